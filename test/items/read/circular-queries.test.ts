// Queries that have no bottom: an object inside of itself, or more levels than anybody means.
import { beforeAll, describe, expect, it } from 'vitest'
import {
  createEngine,
  createItem,
  defineSchema,
  deleteByQuery,
  type Engine,
  explainItems,
  getItem,
  listItems,
  listItemsJson,
} from '../../../src/index.ts'
import { openSqlite } from '../../support/databases.ts'
import { key, maybeOne, text } from '../../support/fields.ts'

const schema = defineSchema({ nodes: { fields: { id: key, name: text, parent: maybeOne('nodes') } } })

const itself: Record<string, unknown> = {}
itself.parent = itself
const list: unknown[] = []
list.push(list)
let filter: object = { name: 'x' }
for (let level = 0; level < 100_000; level++) filter = { _and: [filter] }

const queries = [
  ['a filter in itself', { filter: { _and: list } }],
  ['a filter of many levels', { filter }],
  ['a list of values in itself', { filter: { name: { _in: list } } }],
  ['a deep query in itself', { deep: itself }],
  ['a deep filter of many levels', { deep: { parent: { _filter: filter } } }],
  ['fields in themselves', { fields: list }],
  ['aliases in themselves', { alias: itself }],
] as const

const verbs: Readonly<Record<string, (engine: Engine, query: object) => Promise<unknown>>> = {
  listItems: (engine, query) => listItems(engine, 'nodes', query),
  listItemsJson: (engine, query) => listItemsJson(engine, 'nodes', query),
  explainItems: (engine, query) => explainItems(engine, 'nodes', query),
  getItem: (engine, query) => getItem(engine, 'nodes', 1, query),
  createItem: (engine, query) => createItem(engine, 'nodes', { name: 'x' }, query),
  deleteByQuery: (engine, query) => deleteByQuery(engine, 'nodes', query),
}

describe.each(Object.entries(verbs))('%s', (_, verb) => {
  let engine: Engine
  beforeAll(async () => {
    const opened = await openSqlite()
    await opened.run('create table nodes (id integer primary key, name text, parent integer)')
    await opened.run('insert into nodes (id) values (1)')
    engine = createEngine({ db: opened.db, schema })
  })

  it.each(queries)('refuses %s, and does nothing', async (_, query) => {
    await expect(verb(engine, query)).rejects.toMatchObject({ code: 'INVALID_QUERY', status: 400 })
    await expect(listItems(engine, 'nodes', { meta: 'total_count' })).resolves.toMatchObject({
      meta: { total_count: 1 },
    })
  })
})
