// Keys of many new rows, which are not told one by one where the database counts them up.
import BetterSqlite from 'better-sqlite3'
import { Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement, sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { createEngine, createItems, defineSchema, type Engine } from '../../../src/index.ts'
import {
  type AnyTables,
  databases,
  type OpenDatabase,
  openedOn,
  openSqlite,
} from '../../support/databases.ts'

const schema = () =>
  defineSchema({
    notes: { fields: { id: { type: 'bigInteger', key: true }, text: { type: 'string' } } },
  })

type Db = Kysely<AnyTables>
type Notes = Engine<ReturnType<typeof schema>>

let opened: OpenDatabase | undefined
afterEach(async () => {
  opened = undefined
})

const rows = (count: number) => Array.from({ length: count }, (_, index) => ({ text: `note ${index}` }))

/** Creates notes, and requires that each answer is the key of the note that it stands for. */
async function createNotes(engine: Notes, db: Db, count: number): Promise<void> {
  const before = await notesOf(db)
  const created = await createItems(engine, 'notes', rows(count), { fields: ['id'] })
  const after = await notesOf(db)
  expect(created.map(({ id }) => after.get(String(id)))).toEqual(rows(count).map(({ text }) => text))
  for (const key of before.keys()) after.delete(key)
  expect(after.size).toBe(count)
}

/** The texts of what was created here, by their keys. */
async function notesOf(db: Db): Promise<Map<string, string>> {
  const found = await sql<{ key: string; text: string }>`select cast(id as text) as key, text from notes
    where text like 'note %'`.execute(db)
  return new Map(found.rows.map(({ key, text }) => [key, text]))
}

describe.each(databases)('keys of new items on $name', ({ name, open }) => {
  const keys =
    name === 'sqlite'
      ? { counted: 'integer primary key', random: 'int primary key default (abs(random()))' }
      : {
          counted: 'bigint primary key generated always as identity',
          random: 'bigint primary key default (random() * 1e15)::bigint',
        }

  describe.each(Object.entries(keys))('that are %s', (_kind, key) => {
    it.each([1, 255, 256, 257, 700])('are those of %d items', async (count) => {
      opened = await open()
      const { db } = opened
      await sql`create table notes (id ${sql.raw(key)}, text text not null)`.execute(db)
      const engine = createEngine({ db, schema: schema() })
      await createNotes(engine, db, count)
      await createNotes(engine, db, count)
      await db.transaction().execute((inside) => createNotes(engine.using(inside), inside, count))
    })
  })
})

describe('keys that SQLite counts up', () => {
  const numbered = 'create table notes (id integer primary key, text text not null)'
  /** What is in the way of knowing a key by the number of the last row. */
  const tables: Record<string, readonly string[]> = {
    'of a table that counts on behind what was deleted': [
      'create table notes (id integer primary key autoincrement, text text not null)',
      "insert into notes values (500, 'old')",
      'delete from notes',
    ],
    'of a table to which a trigger adds others': [
      numbered,
      `create trigger echo after insert on notes when new.text like 'note %'
        begin insert into notes (text) values ('echo of ' || new.text); end`,
    ],
    'of a table to which a trigger adds others now and then': [
      numbered,
      `create trigger echo before insert on notes when new.text = 'note 600'
        begin insert into notes (text) values ('echo of ' || new.text); end`,
    ],
    'of a table to which a trigger adds others behind one of the first rows': [
      numbered,
      `create trigger echo after insert on notes when new.text = 'note 3'
        begin insert into notes (text) values ('echo of ' || new.text); end`,
    ],
    'of a table from which a trigger takes some away': [
      numbered,
      "insert into notes values (1, 'old')",
      `create trigger echo after insert on notes when new.text = 'note 600'
        begin delete from notes where text = 'old'; end`,
    ],
    'of a table with a key that no number holds': [
      numbered,
      "insert into notes values (9007199254740993, 'old')",
    ],
    'of a table that has the largest key there is': [
      numbered,
      "insert into notes values (9223372036854775807, 'old')",
    ],
  }

  it.each(Object.entries(tables))('%s are those of the items', async (_which, statements) => {
    opened = await openSqlite()
    const { db } = opened
    for (const statement of statements) await sql.raw(statement).execute(db)
    const engine = createEngine({ db, schema: schema() })
    await createNotes(engine, db, 700)
    await createNotes(engine, db, 700)
    for (const count of [7, 20]) await createNotes(createEngine({ db, schema: schema() }), db, count)
  })

  it('are told of the first rows alone, and of all where they turn out to be others', async () => {
    opened = await openSqlite()
    const { db } = opened
    await sql.raw(numbered).execute(db)
    const told: boolean[] = []
    const onQuery = ({ sql }: { sql: string }) => {
      if (sql.includes('insert into')) told.push(sql.includes('returning'))
    }
    const engine = createEngine({ db, schema: schema(), onQuery })
    await createNotes(engine, db, 700)
    expect(told).toEqual([true, ...Array(3).fill(false)])
    await sql`create trigger echo after insert on notes when new.text = 'note 600'
      begin insert into notes (text) values ('echo'); end`.execute(db)
    told.length = 0
    await createNotes(engine, db, 700)
    expect(told).toEqual([true, ...Array(3).fill(false), true])
    told.length = 0
    await createNotes(engine, db, 700)
    expect(told).toEqual([true])
  })

  it('are told of all rows where a driver says nothing of the last one', async () => {
    const database = new BetterSqlite(':memory:')
    database.exec(numbered)
    const db: Db = new Kysely({ dialect: new SqliteDialect({ database: silent(database) }) })
    opened = openedOn(db)
    await createNotes(createEngine({ db, schema: schema() }), db, 700)
  })
})

/** The same database, of which nobody learns what number the last row got. */
function silent(database: SqliteDatabase): SqliteDatabase {
  const quiet = (statement: SqliteStatement): SqliteStatement =>
    new Proxy(statement, {
      get: (target, name) => {
        if (name === 'run')
          return (parameters: readonly unknown[]) => ({
            ...target.run(parameters),
            lastInsertRowid: undefined,
          })
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  return { close: () => database.close(), prepare: (text) => quiet(database.prepare(text)) }
}
