// GraphQL Yoga, asked in process: its parser and its validation with their caches, and its executor, as its server calls them.
import { createYoga, type GraphQLSchemaWithContext, type YogaInitialContext } from 'graphql-yoga'
import type { DocumentParty } from '../documents/document-party.ts'
import type { DatabaseName } from '../options.ts'
import { drizzleSchema } from './drizzle-resolvers.ts'
import { answersOf } from './graphql-answers.ts'

/** @public Loaded by name, once the peers are installed. */
export function openDocuments(database: DatabaseName, place: string): DocumentParty {
  const { schema, close } = drizzleSchema(database, place)
  return { name: 'yoga, drizzle', form: 'prepared queries', answers: yogaAnswers(schema), close }
}

export function yogaAnswers(schema: GraphQLSchemaWithContext<YogaInitialContext>): DocumentParty['answers'] {
  const yoga = createYoga({ schema, logging: false })
  return answersOf(async (query, variableValues) => {
    const { parse, validate, contextFactory, execute, schema } = yoga.getEnveloped({
      request: new Request('http://localhost/graphql'),
      params: { query, variables: variableValues },
    })
    const document = parse(query)
    const errors = validate(schema, document)
    if (errors.length > 0) return { errors }
    return execute({ schema, document, contextValue: await contextFactory(), variableValues })
  })
}
