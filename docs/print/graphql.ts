// The page on GraphQL: where the schema differs from that of the reference service.
import { schemaDeviations } from '../../test/graphql/schema-deviations.ts'
import { code, table } from './tables.ts'

/** The decisions that make a difference, each with the place of one. */
export const schemaDeviationsTable = (): string =>
  table(
    ['decision', 'for example'],
    schemaDeviations.map(({ decision, example }) => [decision, code(example)]),
  )
