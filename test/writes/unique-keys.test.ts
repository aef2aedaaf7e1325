// Keys that several rows have, because nothing in the database keeps the column unique that a schema calls the key.
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  createEngine,
  defineSchema,
  deleteByQuery,
  deleteItem,
  deleteItems,
  type Engine,
  updateByQuery,
  updateItem,
  updateItems,
} from '../../src/index.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { key, maybeOne, string } from '../support/fields.ts'
import { titled } from '../support/titled.ts'

const schema = defineSchema({
  orders: { fields: { id: key, lines: { type: 'o2m', from: 'lines.order', deselect: 'delete' } } },
  lines: { fields: { ord: key, text: string, order: maybeOne('orders') } },
})

type Ours = Engine<typeof schema>
interface Write {
  readonly title: string
  /** True if rows that are found are written by what finds them, and not by their keys, where no hooks look at each. */
  readonly isByCondition?: true
  readonly call: (engine: Ours) => Promise<unknown>
}

const writes: readonly Write[] = titled({
  'changed by its key': { call: (engine) => updateItem(engine, 'lines', 1, { text: 'x' }) },
  'changed by its key, answering the key alone': {
    call: (engine) => updateItem(engine, 'lines', 1, { text: 'x' }, { fields: ['ord'] }),
  },
  'changed by keys': { call: (engine) => updateItems(engine, 'lines', [1, 2], { text: 'x' }) },
  'changed as one of several items': {
    call: (engine) =>
      updateItems(engine, 'lines', [
        { ord: 1, text: 'x' },
        { ord: 2, text: 'y' },
      ]),
  },
  'changed by a query that finds one of them': {
    isByCondition: true,
    call: (engine) => updateByQuery(engine, 'lines', { filter: { text: 'b' } }, { text: 'x' }),
  },
  'changed below another item': {
    call: (engine) => updateItem(engine, 'orders', 1, { lines: { update: [{ ord: 1, text: 'x' }] } }),
  },
  'deleted by its key': { call: (engine) => deleteItem(engine, 'lines', 1) },
  'deleted by keys': { call: (engine) => deleteItems(engine, 'lines', [1, 2]) },
  'deleted as the first that a query finds': {
    call: (engine) => deleteByQuery(engine, 'lines', { filter: { ord: 1 }, limit: 1 }),
  },
  'taken out of a relation': {
    call: (engine) => updateItem(engine, 'orders', 1, { lines: [] }),
  },
})

describe.each(databases)('a row on $name that shares its key with others', ({ open }) => {
  let database: OpenDatabase
  let engine: Ours
  const stored = async () => (await sql`select * from lines order by text`.execute(database.db)).rows
  beforeEach(async () => {
    database = await open()
    const { db, run } = database
    await run('create table orders (id integer primary key)')
    await run('create table lines (ord integer, text varchar(9), "order" integer)')
    await run('insert into orders values (1)')
    await run("insert into lines values (1, 'a', 1), (1, 'b', 1), (1, 'c', 1), (2, 'd', 1)")
    engine = createEngine({ db, schema })
  })

  it.each(writes)('is not $title, and neither are they', async ({ call, isByCondition }) => {
    const before = await stored()
    const hosts = createEngine({ db: database.db, schema })
    hosts.on('items.delete', () => {}, { when: 'after' })
    const rules = { orders: { read: true, update: true }, lines: { read: true, update: true, delete: true } }
    hosts.on('items.update', () => {}, { when: 'after' })
    const bare = isByCondition ? [] : [engine, engine.as({ admin: true }), engine.as({ rules })]
    for (const one of [...bare, hosts]) {
      await expect(call(one as Ours)).rejects.toMatchObject({
        code: 'RECORD_NOT_UNIQUE',
        message: 'Several items of "lines" have the same key, so nothing was changed.',
      })
      expect(await stored()).toEqual(before)
    }
  })

  it('leaves those alone whose key is their own', async () => {
    expect(await updateItem(engine, 'lines', 2, { text: 'x' })).toMatchObject({ ord: 2, text: 'x' })
    await deleteItem(engine, 'lines', 2)
    expect(await stored()).toHaveLength(3)
    await expect(deleteItem(engine, 'lines', 2)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(updateItem(engine, 'lines', 2, { text: 'y' }, { fields: ['ord'] })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })

  it('is changed alone where a query finds it alone', async () => {
    expect(await updateByQuery(engine, 'lines', { filter: { text: 'b' } }, { text: 'x' })).toMatchObject({
      updated: 1,
    })
    expect(await stored()).toMatchObject([
      { text: 'a' },
      { text: 'c' },
      { ord: 2, text: 'd' },
      { ord: 1, text: 'x' },
    ])
  })

  it('goes where a query finds all of them, each counted', async () => {
    expect(await deleteByQuery(engine, 'lines', { filter: { ord: 1 } })).toMatchObject({ deleted: 3 })
  })
})
