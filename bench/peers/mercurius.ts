// Mercurius with its compiler of documents, which takes over once a document was asked for a second time.
import fastify from 'fastify'
import mercurius from 'mercurius'
import type { DocumentParty } from '../documents/document-party.ts'
import type { DatabaseName } from '../options.ts'
import { drizzleSchema } from './drizzle-resolvers.ts'
import { answersOf } from './graphql-answers.ts'

/** @public Loaded by name, once the peers are installed. */
export async function openDocuments(database: DatabaseName, place: string): Promise<DocumentParty> {
  const { schema, close } = drizzleSchema(database, place)
  const app = fastify()
  await app.register(mercurius, { schema, jit: 1 })
  await app.ready()
  return {
    name: 'mercurius, drizzle',
    form: 'prepared queries, jit',
    answers: answersOf((query, variables) => app.graphql(query, undefined, variables)),
    close: async () => {
      await app.close()
      await close()
    },
  }
}
