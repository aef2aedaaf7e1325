// Items that hang on items of their own collection, and go away with them.
import { beforeEach, describe, expect, it } from 'vitest'
import {
  createEngine,
  createItems,
  defineSchema,
  deleteByQuery,
  deleteItems,
  type Engine,
  isEngineError,
  listItems,
  updateItem,
  updateItems,
} from '../../../src/index.ts'
import { databases } from '../../support/databases.ts'

const schema = defineSchema({
  topics: {
    fields: {
      id: { type: 'integer', key: true },
      name: { type: 'string' },
      parent: { type: 'm2o', to: 'topics', nullable: true },
      source: { type: 'm2o', to: 'topics', nullable: true },
      children: { type: 'o2m', from: 'topics.parent' },
      copies: { type: 'o2m', from: 'topics.source', deselect: 'delete' },
    },
  },
})

describe.each(databases)('on $name', ({ open }) => {
  let engine: Engine<typeof schema>

  beforeEach(async () => {
    const opened = await open()
    const table = `create table topics (id int primary key, name text not null,
      parent int references topics on delete cascade, source int references topics)`
    await opened.run(table)
    // Without them, whatever is deleted is looked for in every row.
    for (const column of ['parent', 'source'])
      await opened.run(`create index topics_${column} on topics (${column})`)
    engine = createEngine({ db: opened.db, schema })
    await createItems(engine, 'topics', [
      { id: 1, name: 'all' },
      { id: 2, name: 'some', parent: 1 },
      { id: 3, name: 'few', parent: 2, source: 1 },
    ])
  })

  const all = async () => (await listItems(engine, 'topics', { fields: ['id', 'parent', 'source'] })).data

  it.each([[[1, 2, 3]], [[3, 2, 1]], [[1, 3]]])(
    '%j are deleted, whichever goes with another',
    async (keys) => {
      await updateItem(engine, 'topics', 3, { source: null })
      const told: unknown[] = []
      engine.on('items.delete', ({ keys: gone }) => told.push(...gone), { when: 'after' })
      expect(await deleteItems(engine, 'topics', keys)).toEqual({ deleted: keys.length, keys })
      expect(told).toEqual(keys)
      expect(await all()).toEqual([])
    },
  )

  it('an unknown key is not found, whatever goes away with another', async () => {
    const error = await deleteItems(engine, 'topics', [1, 2, 9]).catch((caught: unknown) => caught)
    expect(isEngineError(error) && error.code).toBe('NOT_FOUND')
    expect(await all()).toHaveLength(3)
  })

  it('everything that a query finds is counted, also what goes away with another', async () => {
    await updateItem(engine, 'topics', 3, { source: null })
    const more = Array.from({ length: 10_001 }, (_, index) => ({ id: index + 10, name: 'leaf', parent: 3 }))
    await createItems(engine, 'topics', more, { fields: ['id'] })
    expect(await deleteByQuery(engine, 'topics', { limit: -1 })).toEqual({ deleted: 10_004 })
  })

  it('a child that is left out leaves the relation, also where the same call changes it', async () => {
    await updateItems(engine, 'topics', [
      { id: 1, children: [] },
      { id: 2, name: 'loose' },
    ])
    expect(await all()).toEqual([
      { id: 1, parent: null, source: null },
      { id: 2, parent: null, source: null },
      { id: 3, parent: 2, source: 1 },
    ])
  })

  it('a child that is left out is not deleted where the same call hangs it elsewhere', async () => {
    await updateItem(engine, 'topics', 1, { copies: [], children: [2, 3] })
    expect(await all()).toEqual([
      { id: 1, parent: null, source: null },
      { id: 2, parent: 1, source: null },
      { id: 3, parent: 1, source: null },
    ])
  })
})
