// The page for those who come from the GraphQL of the reference service: where schemas and answers differ.
import { answerDeviations } from '../../test/graphql/answer-deviations.ts'
import { schemaDeviations } from '../../test/graphql/schema-deviations.ts'
import { code, table } from './tables.ts'
import { textOf } from './texts.ts'

/** The decisions that make a difference, each with the place of one. */
export const schemaDeviationsTable = (): string =>
  table(
    ['decision', 'for example'],
    schemaDeviations.map(({ decision, example }) => [decision, code(example)]),
  )

/** The decisions about answers, each with the shortest of the requests that it is about. */
export const answerDeviationsTable = (): string => {
  const queries = new Map(recorded().map(({ id, query }) => [id, query]))
  return table(
    ['decision', 'for example'],
    answerDeviations.map(({ decision, ids }) => [decision, code(shortestOf(ids, queries))]),
  )
}

interface Recorded {
  readonly id: string
  readonly query: string
}

const recorded = (): readonly Recorded[] =>
  textOf('test/graphql/fixture/answers.jsonl')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

function shortestOf(ids: readonly string[], queries: ReadonlyMap<string, string>): string {
  const found = ids.map((id) => queries.get(id)?.replace(/\s+/g, ' ').trim() ?? id)
  // A pipe would end the cell.
  return [...found].sort((a, b) => a.length - b.length)[0]?.replaceAll('|', '\\|') ?? ''
}
