// The same list asked again and again: what does not stand in the query is looked at each time.
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createEngine, defineSchema, getItem, listItems } from '../../../src/index.ts'
import { databases, insert, type OpenDatabase, type TestDatabase } from '../../support/databases.ts'
import { key, string } from '../../support/fields.ts'

const schema = defineSchema({ notes: { fields: { id: key, owner: string, due: { type: 'timestamp' } } } })

const createNotes = (db: OpenDatabase['db'], name: TestDatabase['name']) =>
  sql
    .raw(
      `create table notes (id integer primary key, owner text, due ${name === 'postgres' ? 'timestamptz' : 'text'})`,
    )
    .execute(db)

describe.each(databases)('on $name', ({ name, open }) => {
  it('a list asked again follows the rows, the clock, the caller and the values', async () => {
    const { db } = await open()
    let now = Date.UTC(2026, 0, 2)
    const engine = createEngine({ db, schema, clock: () => new Date(now) })
    await engine.install()
    await createNotes(db, name)
    await insert(db, 'notes', [
      { id: 1, owner: 'ada', due: '2026-01-01T00:00:00.000Z' },
      { id: 2, owner: 'bob', due: '2026-01-03T00:00:00.000Z' },
    ])
    const keys = async (asker: typeof engine, query: object) => {
      const { data } = await listItems(asker, 'notes', { fields: ['id'], sort: 'id', ...query })
      return data.map(({ id }) => id)
    }
    const over = { filter: { due: { _lt: '$NOW' } } }
    const mine = { filter: { owner: '$CURRENT_USER' } }
    const [ada, bob] = [engine.as({ user: 'ada', admin: true }), engine.as({ user: 'bob', admin: true })]
    for (let round = 0; round < 3; round++) {
      now = Date.UTC(2026, 0, 2)
      expect(await keys(engine, over)).toEqual([1])
      now = Date.UTC(2026, 0, 4)
      expect(await keys(engine, over)).toEqual([1, 2])
      expect(await keys(ada, mine)).toEqual([1])
      expect(await keys(bob, mine)).toEqual([2])
      expect(await keys(engine, { filter: { owner: 'ada' } })).toEqual([1])
      expect(await keys(engine, { filter: { owner: 'bob' } })).toEqual([2])
      expect(await keys(engine, { filter: { owner: 'bob' }, limit: 1, page: 2 })).toEqual([])
      expect(await keys(engine, { filter: { id: { _in: [1, 2] } }, limit: 1, page: 2 })).toEqual([2])
      expect(await keys(engine, { filter: { id: { _in: [1, 2] } }, limit: 1, page: 1 })).toEqual([1])
    }
  })

  it('an item asked for again is the one with the key', async () => {
    const { db } = await open()
    const engine = createEngine({ db, schema })
    await createNotes(db, name)
    const keys = [1, 2, 3]
    await insert(
      db,
      'notes',
      keys.map((id) => ({ id, owner: `owner ${id}`, due: null })),
    )
    for (let round = 0; round < 3; round++) {
      for (const id of keys) {
        expect(await getItem(engine, 'notes', id, { fields: ['id', 'owner'] })).toEqual({
          id,
          owner: `owner ${id}`,
        })
        // Keys come as text, too, from the path of a request.
        expect(await getItem(engine, 'notes', String(id) as never, { fields: ['id'] })).toEqual({ id })
      }
      for (const absent of [4, '1.5', 'one', '$NOW', 1.5])
        await expect(getItem(engine, 'notes', absent as never, { fields: ['id'] })).rejects.toMatchObject({
          code: 'NOT_FOUND',
        })
      await expect(getItem(engine, 'notes', null as never, { fields: ['id'] })).rejects.toMatchObject({
        code: 'INVALID_PAYLOAD',
      })
    }
  })

  it('a query that says something else each time it is read says nothing for others', async () => {
    const { db } = await open()
    const engine = createEngine({ db, schema })
    await createNotes(db, name)
    const owners = ['ada', 'bob']
    await insert(
      db,
      'notes',
      owners.map((owner, at) => ({ id: at + 1, owner, due: null })),
    )
    const list = async (query: object) => (await listItems(engine, 'notes', query)).data
    /** Says the first, then the second, again and again, or the second for good. */
    const fickle = (name: string, said: readonly unknown[], isForGood: boolean) => {
      let times = 0
      const get = () => said[isForGood ? Math.min(times++, 1) : times++ % 2]
      return Object.defineProperty({}, name, { get, enumerable: true })
    }
    for (const isForGood of [true, false]) {
      // What is asked, and which names are: the one is left open in what is kept of a query, the other is not.
      const limit = isForGood ? 10 : 20
      const of = (owner: unknown) => ({ fields: ['id'], filter: { owner }, limit })
      const odd = () => list(of(fickle('_eq', owners, isForGood)))
      await list(of({ _eq: 'nobody' }))
      for (let round = 0; round < 4; round++) {
        await odd()
        expect(await list(of({ _eq: 'ada' }))).toEqual([{ id: 1 }])
        expect(await list(of({ _eq: 'bob' }))).toEqual([{ id: 2 }])
      }
      const sort = isForGood ? ['id'] : ['-id']
      const odder = Object.assign(fickle('fields', [['id'], ['owner']], isForGood), { sort, limit: 1 })
      await list(odder)
      expect(await list({ fields: ['id'], sort, limit: 1 })).toEqual([{ id: isForGood ? 1 : 2 }])
    }
  })
})
