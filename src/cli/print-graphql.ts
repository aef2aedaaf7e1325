import { createEngine } from '../create-engine.ts'
import type { SchemaArguments } from './arguments.ts'
import { installGraphQL } from './install-graphql.ts'
import { openDatabase } from './open-database.ts'
import { readSchema } from './read-schema.ts'
import { failure, type Terminal } from './terminal.ts'

/** Prints the GraphQL schema of a database, and reports what has no name in it. */
export async function printGraphQL(words: SchemaArguments, terminal: Terminal): Promise<void> {
  const { out, tell, load } = terminal
  const { printGraphQLSchema, reportGraphQLNames } = await loadLanguage()
  const db = await openDatabase(words.database, { isReadonly: true, tell, load })
  try {
    const engine = createEngine({ db, schema: await readSchema(words, db, terminal) })
    out(printGraphQLSchema(engine))
    for (const { message } of reportGraphQLNames(engine)) tell(`skipped: ${message}\n`)
  } finally {
    await db.destroy()
  }
}

type GraphQLEntry = Pick<typeof import('../graphql.ts'), 'printGraphQLSchema' | 'reportGraphQLNames'>

/** Loads what needs the package `graphql`, which no other command does. */
export async function loadLanguage(
  from: () => Promise<GraphQLEntry> = () => import('../graphql.ts'),
): Promise<GraphQLEntry> {
  try {
    return await from()
  } catch (cause) {
    throw failure('The package "graphql" cannot be loaded.', installGraphQL, cause)
  }
}
