// A caller with rules is answered as anybody is over a database without the rows and the fields that the rules hide.
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { answerGraphQL } from '../../src/graphql.ts'
import {
  type CollectionDefinition,
  createEngine,
  defineSchema,
  type Engine,
  type Rules,
} from '../../src/index.ts'
import { fuzzSeed, Random } from '../property/seeded-random.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { isLong, isShort } from '../support/long-runs.ts'
import { requestsOf } from './drawn-cursors.ts'
import { collections, DocumentDraw, schema, tables } from './random-documents.ts'

const rows = { teas: 4, farms: 2, lots: 4 } as const
type TypeName = keyof typeof rows
const names = ['teas', 'farms', 'lots'] as const

/** Fields that may be hidden one by one: a list of children cannot be described without the field behind it. */
const hideable: Readonly<Record<TypeName, readonly string[]>> = {
  teas: ['name', 'score', 'picked', 'lots', 'later'],
  farms: ['name', 'teas'],
  lots: ['weight'],
}

type Hidden = Readonly<
  Record<TypeName, { readonly ids: readonly number[]; readonly fields: readonly string[] }>
>

const drawn = (random: Random): Hidden => ({
  teas: hiddenOf('teas', random),
  farms: hiddenOf('farms', random),
  lots: hiddenOf('lots', random),
})

function hiddenOf(name: TypeName, random: Random) {
  const ids = Array.from({ length: rows[name] }, (_, index) => index + 1).filter(() => random.below(3) === 0)
  return { ids, fields: hideable[name].filter(() => random.below(5) === 0) }
}

function rulesOf(hidden: Hidden): Rules {
  return Object.fromEntries(
    names.map((name) => {
      const { ids, fields } = hidden[name]
      const seen = Object.keys(collections[name].fields).filter((field) => !fields.includes(field))
      return [name, { read: { fields: seen, filter: { id: { _nin: ids } } } }]
    }),
  )
}

type Fields = CollectionDefinition['fields']

/** The schema without the hidden fields. */
const schemaWithout = (hidden: Hidden) =>
  defineSchema(
    Object.fromEntries(
      names.map((name) => {
        const all: Fields = collections[name].fields
        const fields = Object.entries(all).filter(([field]) => !hidden[name].fields.includes(field))
        return [name, { fields: Object.fromEntries(fields) }]
      }),
    ),
  )

const worlds = isLong ? 200 : isShort ? 2 : 8
const documents = isLong ? 40 : 8

describe.each(databases)('A caller with rules on $name', ({ open }) => {
  it(`is answered as without what is hidden (seed ${fuzzSeed})`, async () => {
    const random = new Random(fuzzSeed)
    let compared = 0
    let refused = 0
    for (let world = 0; world < worlds; world++) {
      const hidden = drawn(random)
      const whole = await filled(open)
      const part = await filled(open)
      try {
        for (const name of names)
          for (const id of hidden[name].ids)
            await sql`delete from ${sql.table(name)} where id = ${id}`.execute(part.db)
        const narrowed = createEngine({ db: whole.db, schema }).as({ rules: rulesOf(hidden) })
        const removed = createEngine({ db: part.db, schema: schemaWithout(hidden) })
        for (let index = 0; index < documents; index++) {
          const draw = new DocumentDraw(random)
          const query = draw.document()
          const told = await answersOf(narrowed, draw, query)
          expect(told, `${query}\n${JSON.stringify(hidden)}`).toEqual(await answersOf(removed, draw, query))
          compared += told.length
          refused += told.filter((text) => !text.includes('"data"')).length
        }
      } finally {
        await whole.close()
        await part.close()
      }
    }
    // Both happen: documents that name what is hidden, and those that do not.
    expect(refused).toBeGreaterThan(0)
    expect(compared).toBeGreaterThan(refused)
  })
})

async function filled(open: () => Promise<OpenDatabase>): Promise<OpenDatabase> {
  const database = await open()
  for (const table of tables) await database.run(table)
  return database
}

/** The answers with the cursors of the caller's own lists. */
async function answersOf(engine: Engine, draw: DocumentDraw, document: string): Promise<readonly string[]> {
  const asked = await requestsOf(draw, document, (query) => answerGraphQL(engine, { query }).then(dataOf))
  const answers: string[] = []
  for (const { query, variables } of asked) answers.push(await answerGraphQL(engine, { query, variables }))
  return answers.map(withPlaces)
}

const dataOf = (text: string): unknown => JSON.parse(text).data

/** The answer with what its cursors stand for: their mark is of the schema, too. */
const withPlaces = (answer: string): string =>
  answer.replaceAll(/"(WyJ[\w-]+)"/g, (_, token: string) => {
    const [, ...values] = JSON.parse(Buffer.from(token, 'base64url').toString())
    return JSON.stringify(values)
  })
