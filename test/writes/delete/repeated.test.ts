// Deletions of queries that look alike share their statements, and never their values.
import { type Kysely, sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { createEngine, defineSchema, deleteByQuery, type Engine } from '../../../src/index.ts'
import { type AnyTables, databases, insert } from '../../support/databases.ts'
import { key, many, maybeOne, string, text } from '../../support/fields.ts'

const schema = defineSchema({
  notes: { fields: { id: key, text, at: { type: 'timestamp' }, author: maybeOne('people') } },
  people: { fields: { id: key, name: string, notes: many('notes.author') } },
})

const rows = Array.from({ length: 12 }, (_, index) => ({
  id: index + 1,
  text: ['a', 'b', 'A', null][index % 4],
  at: `20${10 + index}-01-01T00:00:00.000Z`,
  author: [1, 2, null][index % 3],
}))

describe.each(databases)('deletions that look alike, on $name', ({ open, name }) => {
  let db: Kysely<AnyTables>
  let now = new Date('2015-06-01T00:00:00Z')

  beforeEach(async () => {
    const database = await open()
    db = database.db
    await sql`create table people (id integer primary key, name text not null)`.execute(db)
    await sql
      .raw(
        `create table notes (id integer primary key, text text, at ${name === 'sqlite' ? 'text' : 'timestamptz'} not null, author integer references people(id))`,
      )
      .execute(db)
    await insert(db, 'people', [
      { id: 1, name: 'Ada' },
      { id: 2, name: 'Bob' },
    ])
    await restore()
  })

  async function restore(): Promise<void> {
    await db.deleteFrom('notes').execute()
    await db.insertInto('notes').values(rows).execute()
  }
  const left = async () =>
    (await db.selectFrom('notes').select('id').orderBy('id').execute()).map(({ id }) => id)
  const newEngine = () => createEngine({ db, schema, clock: () => now })

  /** Queries of one shape, one after the other. */
  const alike: Readonly<Record<string, readonly object[]>> = {
    values: [{ filter: { text: 'a' } }, { filter: { text: 'b' } }, { filter: { text: 'none' } }],
    keys: [
      { filter: { id: { _in: [1, 2] } } },
      { filter: { id: { _in: [9] } } },
      { filter: { id: { _in: [] } } },
    ],
    exclusions: [{ filter: { id: { _nin: [1, 2, 3] } } }, { filter: { id: { _nin: [4] } } }],
    pairs: [{ filter: { id: { _between: [2, 4] } } }, { filter: { id: { _between: [7, 20] } } }],
    'values out of range': [
      { filter: { id: { _lt: 3 } } },
      { filter: { id: { _lt: 99_999_999_999 } } },
      { filter: { id: { _gt: 99_999_999_999 } } },
    ],
    moments: [
      { filter: { at: { _gte: '2019-01-01T00:00:00Z' } } },
      { filter: { at: { _gte: '2013-01-01T00:00:00.000Z' } } },
    ],
    variables: [{ filter: { at: { _lt: '$NOW' } } }, { filter: { at: { _lt: '$NOW(+2 years)' } } }],
    relations: [{ filter: { author: { name: 'Ada' } } }, { filter: { author: { name: 'Bob' } } }],
    junctions: [
      { filter: { _or: [{ text: 'a' }, { id: 2 }] } },
      { filter: { _or: [{ text: 'b' }, { id: 9 }] } },
      { filter: { _or: [{ text: { _null: true } }, { id: 9 }] } },
    ],
    search: [{ search: 'a' }, { search: 'b' }, { search: 'zzz' }],
    'sort without limit': [
      { filter: { id: { _gt: 3 } }, sort: '-id' },
      { filter: { id: { _gt: 9 } }, sort: '-id' },
    ],
    limits: [
      { limit: 3, sort: ['-id'] },
      { limit: 5, sort: ['-id'] },
      { limit: 5, offset: 4 },
      { limit: 2, offset: 6 },
    ],
    'everything that is left': [{ limit: -1 }, { limit: -1 }],
  }

  it.each(Object.entries(alike))('mean what each says: %s', async (_, queries) => {
    const warm = newEngine()
    for (const options of [{}, { keys: false }, { maxAffected: 20 }]) {
      for (const query of [...queries, ...queries]) {
        const told = await deleteByQuery(warm, 'notes', query, options)
        const kept = await left()
        await restore()
        expect(await deleteByQuery(newEngine(), 'notes', query, options)).toEqual(told)
        expect(await left()).toEqual(kept)
        expect(told.deleted).toBe(rows.length - kept.length)
        await restore()
      }
    }
  })

  it('mean the time at which each is asked', async () => {
    const engine = newEngine()
    const query = { filter: { at: { _lt: '$NOW' } } }
    for (const [year, deleted] of [
      [2011, 1],
      [2014, 3],
      [2030, 8],
    ] as const) {
      now = new Date(`${year}-01-01T00:00:00Z`)
      expect(await deleteByQuery(engine, 'notes', query, { keys: false })).toEqual({ deleted })
    }
  })

  it('are refused for what is wrong in each', async () => {
    const engine = newEngine()
    await deleteByQuery(engine, 'notes', { filter: { id: { _in: [1] }, author: { id: 1 } } })
    const refused = async (query: object) => {
      await expect(deleteByQuery(engine, 'notes', query)).rejects.toMatchObject({
        code: expect.stringMatching(/^INVALID_/),
      })
    }
    await refused({ filter: { id: { _in: ['one'] }, author: { id: 1 } } })
    await refused({ filter: { id: { _nin: [] } } })
    await refused({ filter: {} })
    await refused({ search: ' ' })
    await refused({ filter: { id: 1 }, page: 2 })
  })

  it('still run hooks that were added in between, and obey rules', async () => {
    const engine: Engine<typeof schema> = newEngine()
    const query = (text: string) => ({ filter: { text } })
    expect(await deleteByQuery(engine, 'notes', query('a'))).toEqual({ deleted: 3, keys: [1, 5, 9] })
    const heard: unknown[] = []
    engine.on('items.delete', 'notes', ({ keys }) => heard.push(...keys), { when: 'after' })
    const rules = { notes: { read: true, delete: { filter: { id: 2 } } } } as const
    await expect(deleteByQuery(engine.as({ user: 1, rules }), 'notes', query('b'))).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
    expect(await deleteByQuery(engine, 'notes', query('b'))).toEqual({ deleted: 3, keys: [2, 6, 10] })
    expect(heard).toEqual([2, 6, 10])
  })

  it('do not keep what the caller changes afterwards', async () => {
    const engine = newEngine()
    const ids = [1, 2]
    const query = { filter: { id: { _in: ids } } }
    expect(await deleteByQuery(engine, 'notes', query)).toEqual({ deleted: 2, keys: [1, 2] })
    ids.splice(0, 2, 5, 6, 7)
    expect(await deleteByQuery(engine, 'notes', query)).toEqual({ deleted: 3, keys: [5, 6, 7] })
  })
})
