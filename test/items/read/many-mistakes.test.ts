// Whoever is wrong in thousands of places is told of the first of them, and costs no more than that.
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createEngine,
  createItem,
  createItems,
  createVersion,
  defineSchema,
  deleteByQuery,
  type Engine,
  isEngineError,
  listItems,
  parseQuery,
  saveVersion,
  transformAsset,
  updateByQuery,
  updateItem,
  updateItems,
} from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage.ts'
import { type OpenDatabase, openSqlite } from '../../support/databases.ts'

const schema = defineSchema({
  things: {
    versioned: true,
    fields: {
      id: { type: 'integer', key: true },
      name: { type: 'string', nullable: true },
      meta: { type: 'json', nullable: true },
      parent: { type: 'm2o', to: 'things', nullable: true },
      parts: { type: 'o2m', from: 'things.parent' },
    },
  },
})

const many = 20_000
const mostProblems = 100
const names = Array.from({ length: many }, (_, index) => `nam${index}`)
const under = <Value>(value: Value) => Object.fromEntries(names.map((name) => [name, value]))
const everything = { things: { read: true, create: true, update: true, delete: true } }

let opened: OpenDatabase
let engine: Engine
let searches = 0
beforeAll(async () => {
  opened = await openSqlite()
  const { db } = opened
  await sql`create table things (id integer primary key, name text, meta text, parent integer)`.execute(db)
  const storage = memoryStorage()
  engine = createEngine({ db, schema, storage }) as unknown as Engine
  await engine.install()
  await createItem(engine, 'things', { id: 1 })
  await createVersion(engine, 'things', 1, { key: 'draft' })
  countSearches()
})
beforeEach(() => {
  searches = 0
})
afterAll(() => {
  restore()
  return opened.close()
})

/** Whoever looks for the nearest name goes through the names of the fields, and through those of a few other things. */
function countSearches(): void {
  const { keys } = Map.prototype
  Map.prototype.keys = function counted(this: Map<unknown, unknown>) {
    searches++
    return keys.call(this)
  }
  restore = () => {
    Map.prototype.keys = keys
  }
}

let restore = () => {}

async function problemsOf(work: () => unknown): Promise<readonly string[]> {
  try {
    await work()
  } catch (error) {
    if (!isEngineError(error)) throw error
    return (error.errors ?? [error]).map(({ message }) => message)
  }
  return []
}

type Call = (engine: Engine) => unknown
const wrong: Readonly<Record<string, Call>> = {
  'fields, as many as may be named': (by) => listItems(by, 'things', { fields: names.slice(0, 1_000) }),
  'fields below a relation': (by) =>
    listItems(by, 'things', { fields: names.slice(0, 1_000).map((name) => `parent.${name}`) }),
  'names in a filter without any condition': (by) => listItems(by, 'things', { filter: under({}) }),
  'names under a relation': (by) => listItems(by, 'things', { filter: { parts: { _none: under({}) } } }),
  'branches of a filter': (by) =>
    listItems(by, 'things', { filter: { _and: names.slice(0, 500).map((name) => ({ [name]: 1 })) } }),
  'names in a filter of "deep"': (by) =>
    listItems(by, 'things', { fields: 'parts.id', deep: { parts: { _filter: under({}) } } }),
  'levels of "deep"': (by) => listItems(by, 'things', { deep: under({ _limit: 1 }) }),
  'a filter to delete by': (by) => deleteByQuery(by, 'things', { filter: { ...under({}), id: 1 } }),
  'a filter to update by': (by) => updateByQuery(by, 'things', { filter: { ...under({}), id: 1 } }, {}),
  'names of a payload': (by) => createItem(by, 'things', under(1)),
  'names of many payloads': (by) =>
    createItems(
      by,
      'things',
      names.slice(0, 2_000).map((name) => ({ [name]: 1 })),
    ),
  'names of an update': (by) => updateItem(by, 'things', 1, under(1)),
  'names of an update of all': (by) => updateItems(by, 'things', [1], under(1)),
  'names of an update by a query': (by) => updateByQuery(by, 'things', { filter: { id: 1 } }, under(1)),
  'names of a nested payload': (by) => createItem(by, 'things', { parts: [under(1)] }),
  'names of nested payloads': (by) =>
    createItem(by, 'things', { parts: names.slice(0, 2_000).map((name) => ({ [name]: 1 })) }),
  'names of a version': (by) => saveVersion(by, 'things', 1, 'draft', under(1)),
}

describe.each<[string, () => Engine]>([
  ['the engine itself', () => engine],
  ['a caller', () => engine.as({ rules: everything })],
])('%s', (_, whose) => {
  it.each(Object.entries(wrong))(
    'is told of the first wrong %s, and of no nearest names beyond',
    async (_title, call) => {
      const problems = await problemsOf(() => call(whose()))
      expect(problems.length).toBeGreaterThan(1)
      expect(searches).toBeLessThanOrEqual(2 * mostProblems)
    },
  )
})

describe('more names than there may be', () => {
  it.each([
    ['fields', '"fields" takes at most 1000 names.'],
    ['sort', '"sort" takes at most 16 names.'],
    ['groupBy', '"groupBy" takes at most 16 names.'],
  ])('of "%s" are told once, and looked at no further', async (parameter, message) => {
    for (const given of [names, names.join(), names.map(() => '..'), [names.join(), ...names]])
      expect(await problemsOf(() => listItems(engine, 'things', { [parameter]: given }))).toEqual([message])
    expect(searches).toBe(0)
  })

  it.each([
    ['alias', under('name'), '"alias" takes at most 64 names.'],
    ['alias', under('..'), '"alias" takes at most 64 names.'],
    ['aggregate', { count: names }, '"count" takes at most 64 names.'],
    ['aggregate', { count: names.map(() => '..') }, '"count" takes at most 64 names.'],
  ])('of "%s" are told once: %#', async (parameter, given, message) => {
    expect(await problemsOf(() => listItems(engine, 'things', { [parameter]: given }))).toEqual([message])
    expect(searches).toBe(0)
  })

  it('of parameters, operators and aggregates are told up to a hundred times', async () => {
    for (const query of [
      under(1),
      { filter: { name: under(1) } },
      { aggregate: under('*') },
      { deep: { parts: under(1) } },
    ])
      expect((await problemsOf(() => parseQuery(query))).length).toBeLessThanOrEqual(50)
  })

  it('of parameters of a picture are told up to fifty times', async () => {
    const problems = await problemsOf(() => transformAsset(engine, 'none', under(1)))
    expect(problems).toHaveLength(50)
  })
})
