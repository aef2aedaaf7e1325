// DF: the first document that an engine answers, over a schema of many collections of which it names two.
import Database from 'better-sqlite3'
import { Kysely } from 'kysely'
import { createEngine, defineSchema, type Engine, type FieldDefinition } from 'quernel'
import { answerGraphQL } from 'quernel/graphql'
import { sqliteDialect } from 'quernel/sqlite'
import { contest, type Result } from '../contest.ts'

const collectionCount = 1_000
const nameAt = (at: number) => `collection_${(at + collectionCount) % collectionCount}`

export async function measureFirstDocument(seconds: number): Promise<readonly Result[]> {
  const database = new Database(':memory:')
  for (const at of [3, 2]) {
    database.exec(`create table ${nameAt(at)} (id integer primary key, title, parent)`)
    database.exec(`insert into ${nameAt(at)} values (1, 'One', 1)`)
  }
  const db = new Kysely<Record<string, never>>({ dialect: sqliteDialect({ database }) })
  let engine: Engine | undefined
  const before = async () => {
    engine = createEngine({ db, schema: defineSchema(definition()) })
  }
  const run = async () => {
    const answer = engine && (await answerGraphQL(engine, { query: document }))
    if (answer !== expected) throw new Error(`The first document is answered ${answer}.`)
  }
  try {
    const form = `${collectionCount} collections`
    return await contest([{ party: 'quernel', form, run, before }], () => noTurn, seconds / 2)
  } finally {
    await db.destroy()
  }
}

const noTurn = { page: 1, key: 1, most: 0, skipped: 0 }
const document = '{ collection_3 { id title parent { id title } } }'
const expected = '{"data":{"collection_3":[{"id":"1","title":"One","parent":{"id":"1","title":"One"}}]}}'

function definition() {
  const columns: Readonly<Record<string, FieldDefinition>> = {
    title: { type: 'string' },
    ...Object.fromEntries(
      Array.from({ length: 8 }, (_, at) => [
        `value_${at}`,
        { type: at % 2 === 0 ? ('integer' as const) : ('timestamp' as const) },
      ]),
    ),
  }
  return Object.fromEntries(
    Array.from({ length: collectionCount }, (_, at) => {
      const fields: Readonly<Record<string, FieldDefinition>> = {
        id: { type: 'integer', key: true },
        ...columns,
        parent: { type: 'm2o', to: nameAt(at - 1), nullable: true },
        children: { type: 'o2m', from: `${nameAt(at + 1)}.parent` },
      }
      return [nameAt(at), { fields }]
    }),
  )
}
