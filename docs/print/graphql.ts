// For those who come from the GraphQL of Directus: the decisions by which schemas and answers differ.
import { answerDeviations } from '../../test/graphql/answer-deviations.ts'
import { schemaDeviations } from '../../test/graphql/schema-deviations.ts'
import { list } from './tables.ts'

export const schemaDeviationsList = (): string => list(schemaDeviations.map(({ decision }) => decision))

export const answerDeviationsList = (): string => list(answerDeviations.map(({ decision }) => decision))
