// G8: a caller comes with rules that are equal to those of the last one, in an object of their own, as each request reads them from a
// table. What is measured is the narrowing and the first question; on SQLite in memory, because it has little to do with a database.
import Database from 'better-sqlite3'
import { Kysely } from 'kysely'
import { createEngine, defineSchema, type FieldDefinition, listItems, type Rules } from 'quernel'
import { sqliteDialect } from 'quernel/sqlite'
import { contest, type Entrant } from './contest.ts'
import type { GrowthPoint } from './growth-data.ts'

const collectionCounts = [10, 100, 1_000] as const

export interface FreshRules {
  readonly points: readonly GrowthPoint[]
  /** What it takes to write down the same rules. */
  readonly written: readonly GrowthPoint[]
}

export async function measureFreshRules(seconds: number): Promise<FreshRules> {
  const points: GrowthPoint[] = []
  const written: GrowthPoint[] = []
  for (const size of collectionCounts) {
    const { asks, close } = openCollections(size)
    const [own, text] = await contest(asks, () => noTurn, seconds / collectionCounts.length)
    points.push({ size, time: own?.time ?? Number.NaN })
    written.push({ size, time: text?.time ?? Number.NaN })
    await close()
  }
  return { points, written }
}

const noTurn = { page: 1, key: 1, most: 0, skipped: 0 }

const fields: Readonly<Record<string, FieldDefinition>> = {
  id: { type: 'integer', key: true },
  title: { type: 'string' },
  status: { type: 'string' },
  views: { type: 'integer' },
  owner: { type: 'integer' },
}

function openCollections(count: number) {
  const names = Array.from({ length: count }, (_, at) => `collection_${at}`)
  const database = new Database(':memory:')
  database.exec('create table collection_0 (id integer primary key, title, status, views, owner)')
  database.exec(
    `insert into collection_0 values (1, 'One', 'published', 1, 1), (2, 'Two', 'published', 1, 2)`,
  )
  const db = new Kysely<Record<string, never>>({ dialect: sqliteDialect({ database }) })
  const schema = defineSchema(Object.fromEntries(names.map((name) => [name, { fields }])))
  const engine = createEngine({ db, schema })
  const known = Object.fromEntries(names.map((name) => [name, rulesOfOne]))
  let rules: Rules = {}
  const before = async () => {
    rules = structuredClone(known)
  }
  const ask = async () => {
    const { data } = await listItems(engine.as({ user: 1, rules }), 'collection_0', { fields: ['id'] })
    if (data.length !== 1) throw new Error(`A caller with fresh rules sees ${data.length} items.`)
  }
  const asks: readonly Entrant[] = [
    { party: 'quernel', form: 'fresh rules', run: ask, before },
    { party: 'hand', form: 'JSON.stringify', run: () => JSON.stringify(rules), before },
  ]
  return { asks, close: () => db.destroy() }
}

const own = { owner: '$CURRENT_USER' } as const
/** Those of a thousand collections are some 150 kB of JSON. */
const rulesOfOne = {
  read: { filter: own },
  create: { presets: own },
  update: { filter: own },
} as const satisfies Rules[string]
