// An updated item that is no more than its row is returned by the statement that updates it, unless something in the database changes it
// behind that.
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEngine, defineSchema, type Engine, getItem, updateItem } from '../../../src/index.ts'
import { databases, type OpenDatabase, type TestDatabase } from '../../support/databases.ts'

const schema = defineSchema({
  notes: {
    fields: {
      id: { type: 'integer', key: true },
      text: { type: 'string' },
      code: { type: 'string', nullable: true },
      twin: { type: 'string', nullable: true },
      changed: { type: 'timestamp', nullable: true, special: ['date-updated'] },
      parent: { type: 'm2o', to: 'notes', nullable: true },
    },
  },
})

/** Each update shouts, once it is stored. */
const shouting: Readonly<Record<TestDatabase['name'], readonly string[]>> = {
  sqlite: [
    'create trigger shouts after update of text on notes begin update notes set text = upper(text) where id = new.id and text <> upper(text); end',
  ],
  postgres: [
    `create function shout() returns trigger language plpgsql as
      $$ begin update notes set text = upper(text) where id = new.id and text <> upper(text); return null; end $$`,
    'create trigger shouts after update on notes for each row execute function shout()',
  ],
}
/** Each updated note goes away. */
const vanishing: Readonly<Record<TestDatabase['name'], readonly string[]>> = {
  sqlite: ['create trigger vanishes after update on notes begin delete from notes where id = new.id; end'],
  postgres: [
    `create function vanish() returns trigger language plpgsql as
      $$ begin delete from notes where id = new.id; return null; end $$`,
    'create trigger vanishes after update on notes for each row execute function vanish()',
  ],
}
const moment = { sqlite: 'text', postgres: 'timestamptz' } as const

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  let engine: Engine<typeof schema>
  let statements: string[]
  let errors: unknown[]
  const run = async (all: readonly string[]) => {
    for (const one of all) await sql.raw(one).execute(opened.db)
  }
  beforeEach(async () => {
    opened = await open()
    statements = []
    errors = []
    await run([
      `create table notes (id integer primary key, text text not null, code text unique, changed ${moment[name]}, parent integer references notes, twin text references notes (code) on update cascade)`,
      `insert into notes (id, text, code) values (1, 'first', 'a'), (2, 'second', 'b')`,
      'update notes set twin = code',
    ])
    engine = createEngine({
      db: opened.db,
      schema,
      onError: (error) => errors.push(error),
      onQuery: ({ sql: text }) => {
        if (/^\W*(begin|update|select|\/\*.*\*\/ *(update|select))/i.test(text)) statements.push(text)
      },
    })
    // The database is queried once for what follows an update of these columns.
    await updateItem(engine, 'notes', 1, { text: 'first' }, { fields: ['text'] })
    statements = []
  })
  afterEach(() => opened.close())

  it('one statement updates an item and returns it, with what the engine filled in', async () => {
    const one = await updateItem(engine, 'notes', 1, { text: 'x' }, { fields: ['id', 'text', 'changed'] })
    expect(one).toEqual({ id: 1, text: 'x', changed: expect.any(String) })
    expect(statements.map((text) => / returning /.test(text))).toEqual([true])
    expect(await getItem(engine, 'notes', 1, { fields: ['id', 'text', 'changed'] })).toEqual(one)
  })

  it('a missing item is still missing', async () => {
    await expect(updateItem(engine, 'notes', 9, { text: 'x' }, { fields: ['text'] })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })

  it('what lies behind relations is read in the transaction of the update', async () => {
    const found = await updateItem(engine, 'notes', 2, { parent: 1 }, { fields: ['parent.text'] })
    expect(found).toEqual({ parent: { text: 'first' } })
    expect(statements.some((text) => / from .*notes/.test(text))).toBe(true)
  })

  it('a foreign key that cascades back onto the same row is seen', async () => {
    const fields = ['code', 'twin'] as const
    expect(await updateItem(engine, 'notes', 1, { code: 'z' }, { fields })).toEqual({ code: 'z', twin: 'z' })
    expect(await getItem(engine, 'notes', 1, { fields })).toEqual({ code: 'z', twin: 'z' })
  })

  it('a trigger that is added later is noticed by the statement, and kept in mind from then on', async () => {
    await run(shouting[name])
    expect(await updateItem(engine, 'notes', 1, { text: 'a' }, { fields: ['text'] })).toEqual({ text: 'A' })
    statements = []
    expect(await updateItem(engine, 'notes', 1, { text: 'b' }, { fields: ['text'] })).toEqual({ text: 'B' })
    expect(statements.filter((text) => / returning [^(]*text/.test(text))).toEqual([])
  })

  it('an item that cannot be read again is returned as it was updated, and onError hears why', async () => {
    await run(vanishing[name])
    expect(await updateItem(engine, 'notes', 1, { text: 'a' }, { fields: ['text'] })).toEqual({ text: 'a' })
    expect(errors).toEqual([expect.objectContaining({ code: 'NOT_FOUND' })])
  })

  it('a new engine finds the trigger before its first update', async () => {
    await run(shouting[name])
    const later = createEngine({ db: opened.db.withTables(), schema })
    expect(await updateItem(later, 'notes', 2, { code: 'q' }, { fields: ['code', 'twin'] })).toEqual({
      code: 'q',
      twin: 'q',
    })
    expect(await updateItem(later, 'notes', 2, { text: 'm' }, { fields: ['text'] })).toEqual({ text: 'M' })
  })
})
