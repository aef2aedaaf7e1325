// DN: each request comes from a caller whose rules nobody had before. Where they name other fields, the caller needs a schema of its own.
import Database from 'better-sqlite3'
import { Kysely } from 'kysely'
import { createEngine, defineSchema, type FieldDefinition, type Rules, type SchemaDefinition } from 'quernel'
import { answerGraphQL } from 'quernel/graphql'
import { sqliteDialect } from 'quernel/sqlite'
import { contest, type Entrant, type Result } from '../contest.ts'

export async function measureNewCallers(seconds: number): Promise<readonly Result[]> {
  const { ask, close } = openCollections()
  try {
    const entrants = [
      newCallers('other fields', otherFields, ask),
      newCallers('other filters', otherFilters, ask),
    ]
    return await contest(entrants, () => noTurn, seconds / 2)
  } finally {
    await close()
  }
}

const noTurn = { page: 1, key: 1, most: 0, skipped: 0 }

type RulesOf = (caller: number) => Rules
type Ask = (rules: Rules) => Promise<string>

function newCallers(form: string, rulesOf: RulesOf, ask: Ask): Entrant {
  let count = 0
  const run = async () => {
    const answer = await ask(rulesOf(++count))
    if (answer !== expected) throw new Error(`A new caller with ${form} is answered ${answer}.`)
  }
  return { party: 'quernel', form, run }
}

const collectionCount = 50
const nameAt = (at: number) => `collection_${(at + collectionCount) % collectionCount}`
const names = Array.from({ length: collectionCount }, (_, at) => nameAt(at))

const columns: Readonly<Record<string, FieldDefinition>> = {
  id: { type: 'integer', key: true },
  title: { type: 'string' },
  body: { type: 'text', nullable: true },
  status: { type: 'string', nullable: true },
  views: { type: 'integer', nullable: true },
  price: { type: 'float', nullable: true },
  published_at: { type: 'timestamp', nullable: true },
  meta: { type: 'json', nullable: true },
}

const definition: SchemaDefinition = Object.fromEntries(
  names.map((name, at) => {
    const relations: Readonly<Record<string, FieldDefinition>> = {
      parent: { type: 'm2o', to: nameAt(at + 1), nullable: true },
      origin: { type: 'm2o', to: nameAt(at + 7), nullable: true },
      children: { type: 'o2m', from: `${nameAt(at - 1)}.parent` },
      copies: { type: 'o2m', from: `${nameAt(at - 7)}.origin` },
    }
    return [name, { fields: { ...columns, ...relations } }]
  }),
)

const document = `query ($least: GraphQLStringOrFloat) {
  collection_3(filter: { views: { _gte: $least } }, sort: ["-views"]) {
    id title parent { id title } children { id title }
  }
  collection_4_aggregated { countAll }
}`
const expected = `{"data":{"collection_3":[{"id":"1","title":"One","parent":{"id":"1","title":"One"},"children":[{"id":"1","title":"One"}]}],"collection_4_aggregated":[{"countAll":1}]}}`

function openCollections() {
  const database = new Database(':memory:')
  for (const name of names) {
    const own = Object.keys(columns).filter((column) => column !== 'id')
    database.exec(`create table ${name} (id integer primary key, ${own.join(', ')}, parent, origin)`)
    database.exec(`insert into ${name} (id, title, views, parent, origin) values (1, 'One', 1000000, 1, 1)`)
  }
  const db = new Kysely<Record<string, never>>({ dialect: sqliteDialect({ database }) })
  const engine = createEngine({ db, schema: defineSchema(definition) })
  const ask: Ask = (rules) =>
    answerGraphQL(engine.as({ user: 1, rules }), { query: document, variables: { least: 1 } })
  return { ask, close: () => db.destroy() }
}

/** Rules for all collections, of which each number gives others. */
const rulesBy = (filter: object, fieldsAt: (at: number) => readonly string[]): Rules =>
  Object.fromEntries(
    names.map((name, at) => {
      const fields = fieldsAt(at)
      return [name, { create: { fields }, read: { fields, filter }, update: { fields, filter } }]
    }),
  )

const allFields = [...Object.keys(columns), 'parent', 'origin', 'children', 'copies']

const otherFilters: RulesOf = (caller) => rulesBy({ views: { _gt: caller } }, () => allFields)

/** The bits of the number say of which collections one field is hidden. */
const otherFields: RulesOf = (caller) =>
  rulesBy({ views: { _gt: 0 } }, (at) =>
    Math.floor(caller / 2 ** at) % 2 === 1 ? allFields.filter((field) => field !== 'meta') : allFields,
  )
