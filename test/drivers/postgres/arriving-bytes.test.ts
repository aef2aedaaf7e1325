// Answers whose bytes are counted as they arrive: nothing is added up before, and what is too much is not kept.
import { Kysely, sql } from 'kysely'
import pg from 'pg'
import { beforeEach, describe, expect, inject, it } from 'vitest'
import {
  createEngine,
  createItem,
  defineSchema,
  type Engine,
  getItem,
  listItems,
  listItemsJson,
} from '../../../src/index.ts'
import { postgresDialect } from '../../../src/postgres.ts'
import { atEnd } from '../../support/at-end.ts'
import type { AnyTables } from '../../support/databases.ts'
import { key, many, maybeOne } from '../../support/fields.ts'
import { keptConnections } from '../../support/kept-connections.ts'

const text = { type: 'string' } as const
const schema = defineSchema({
  books: { fields: { id: key, text, notes: many('notes.book') } },
  notes: { fields: { id: key, body: { type: 'text' }, book: maybeOne('books') } },
})

const refused = {
  code: 'INVALID_QUERY',
  message: 'The answer has more than 100000 bytes, which limits.answerBytes allows.',
}

describe.each([{ pooled: false }, { pooled: true }])('with pooled: $pooled', ({ pooled }) => {
  let db: Kysely<AnyTables>
  let engine: Engine<typeof schema>
  /** Statements that were answered, and texts that were read of their rows. */
  let answered: string[] = []
  let texts = 0

  beforeEach(async () => {
    const name = `arriving_${process.pid}_${Math.random().toString(36).slice(2)}`
    const getTypeParser = (type: number, format?: 'text' | 'binary') => {
      const parse: (value: string) => unknown = pg.types.getTypeParser(type, format as 'text')
      if (type !== pg.types.builtins.TEXT) return parse
      return (value: string) => {
        texts++
        return parse(value)
      }
    }
    const pool = new pg.Pool({
      ...keptConnections(inject('postgres').c, name),
      max: 1,
      types: { getTypeParser } as never,
    })
    await pool.query(`create schema ${name}`)
    db = new Kysely<AnyTables>({ dialect: postgresDialect({ pool, pooled }) })
    atEnd(async () => {
      await pool.query(`drop schema ${name} cascade`)
      await db.destroy()
    })
    await sql`create table books (id integer primary key, text text not null)`.execute(db)
    await sql`create table notes (id integer primary key, body text not null, book integer)`.execute(db)
    await sql`insert into books select n, repeat('x', 1000) from generate_series(1, 2000) as n`.execute(db)
    await sql`insert into notes select n, repeat('y', 1000), 1 from generate_series(1, 200) as n`.execute(db)
    engine = createEngine({
      db,
      schema,
      limits: { answerBytes: 100_000 },
      onQuery: ({ sql: statement }) => void answered.push(statement),
    })
    answered = []
    texts = 0
  })

  const list = (limit: number, by = engine) => listItems(by, 'books', { fields: ['id', 'text'], limit })

  it('an answer within the bound is one statement', async () => {
    expect((await list(90)).data).toHaveLength(90)
    expect((await list(90)).data).toHaveLength(90)
    expect(answered).toHaveLength(2)
    const json = await listItemsJson(engine, 'books', { fields: ['text'], limit: 90 })
    expect(JSON.parse(json).data).toHaveLength(90)
    expect(answered).toHaveLength(3)
  })

  it('the rows of one that is too long are not kept', async () => {
    for (let turn = 0; turn < 3; turn++) {
      texts = 0
      await expect(list(-1)).rejects.toMatchObject(refused)
      expect(texts).toBeLessThanOrEqual(110)
      expect((await list(3)).data).toHaveLength(3)
    }
    await expect(listItemsJson(engine, 'books', { fields: ['text'], limit: -1 })).rejects.toMatchObject(
      refused,
    )
    // Nothing was added up.
    expect(answered).toHaveLength(3)
  })

  it('signs of several bytes count as such', async () => {
    await sql`update books set text = repeat('本', 1000)`.execute(db)
    await list(1)
    answered = []
    expect((await list(30)).data).toHaveLength(30)
    await expect(list(40)).rejects.toMatchObject(refused)
    expect(answered).toHaveLength(1)
  })

  it('a transaction in which one was refused goes on', async () => {
    await engine.transaction(async (inside) => {
      await expect(list(-1, inside)).rejects.toMatchObject(refused)
      await createItem(inside, 'books', { id: 3000, text: 'new' })
      await expect(list(2001, inside)).rejects.toMatchObject(refused)
    })
    expect(await getItem(engine, 'books', 3000)).toMatchObject({ text: 'new' })
  })

  it('lists below one item are added up as before', async () => {
    const query = { fields: ['notes.body'], limit: 1, deep: { notes: { _limit: -1 } } } as const
    await expect(listItems(engine, 'books', query)).rejects.toMatchObject(refused)
    expect(answered.some((statement) => statement.includes('sum('))).toBe(true)
    expect(texts).toBeLessThanOrEqual(2)
  })

  it('what a host writes behind a statement of its own is no bound', async () => {
    const { rows } = await sql<{ text: string }>`select text from books /* at most 10 bytes */`.execute(db)
    expect(rows).toHaveLength(2000)
  })
})
