// A schema whose root fields are Drizzle's prepared queries: all that is selected is there before GraphQL walks through it.
import { GraphQLScalarType } from 'graphql'
import { createSchema } from 'graphql-yoga'
import type { Party } from '../contestant.ts'
import type { DatabaseName } from '../options.ts'
import type { Turn } from '../workloads.ts'
import { openParty as openPostgres } from './drizzle-postgres.ts'
import { openParty as openSqlite } from './drizzle-sqlite.ts'
import { schemaText } from './graphql-documents.ts'

const openers = { sqlite: openSqlite, postgres: openPostgres } as const satisfies Record<
  DatabaseName,
  unknown
>

export function drizzleSchema(database: DatabaseName, place: string) {
  const { objects, close } = openers[database](place)
  const [flat, trees, one, many] = (['W1', 'W3', 'W6', 'W7'] as const).map((name) => rowsOf(objects, name))
  const schema = createSchema({
    typeDefs: schemaText,
    resolvers: {
      DateTime,
      JSON: new GraphQLScalarType({ name: 'JSON' }),
      Query: {
        flat: (_root, { page }) => flat?.({ ...turn, page }),
        trees: () => trees?.(turn),
        article: (_root, { id }) => one?.({ ...turn, key: Number(id) }),
        many: (_root, { most }) => many?.({ ...turn, most }),
      },
    },
  })
  return { schema, close }
}

const turn: Turn = { page: 1, key: 0, most: 0, skipped: 0 }

const DateTime = new GraphQLScalarType({
  name: 'DateTime',
  serialize: (value) => (value instanceof Date ? value.toISOString() : value),
})

/** A prepared query, whose lists come without their envelope, and with an author where the row has a key. */
function rowsOf(forms: Party['objects'], name: 'W1' | 'W3' | 'W6' | 'W7') {
  const form = forms[name]?.prepared
  if (!form) throw new Error(`Drizzle has no prepared ${name}.`)
  return async (turn: Turn): Promise<unknown> => {
    const answer: unknown = await form(turn)
    if (typeof answer !== 'object' || answer === null || !('data' in answer)) return answer
    if (!Array.isArray(answer.data) || name === 'W3') return answer.data
    return answer.data.map((row) => ({ ...row, author: row.author === null ? null : { id: row.author } }))
  }
}
