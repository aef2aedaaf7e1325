// The part of the page about documents.
import { type DatabaseName, databaseNames, databaseTitles } from '../options.ts'
import { ratioTable, timeTable } from '../tables.ts'
import type { DocumentWorkload } from '../workloads.ts'
import { base } from './document-parties.ts'
import type { DocumentOutcome } from './measure-documents.ts'

export function documentPart(outcomes: readonly DocumentOutcome[]): string {
  const parts = databaseNames.map((database) => tableOf(database, outcomes))
  return `## GraphQL

Documents with variables, answered as JSON text in the same process: \`quernel\` by \`answerGraphQL\`. The limit is what Quernel does
without GraphQL: \`${base}\` is \`listItemsJson\`, and for D6 \`getItem\` with \`JSON.stringify\`. All servers run as in production:
documents are kept, and Mercurius compiles them. In Yoga and Mercurius, each root field is a prepared query of Drizzle that selects what
the document asks for. Pothos uses its plugin for Prisma, and is served by Yoga.

${parts.join('\n\n')}

DC, DN and DF in milliseconds, and in brackets the processor time of Node. In DN, each request comes from a caller with rules that nobody had
before; in DF, each document is the first of its engine. Both run on SQLite in memory. In DC, Quernel also makes a statement for the
document; those of Yoga and Mercurius were there before.

${timeTable([
  ...titled(outcomes, 'DC').map(({ database, results }) => ({
    title: `DC ${databaseTitles[database]}`,
    results,
  })),
  ...(['DN', 'DF'] as const).flatMap((name) =>
    titled(outcomes, name).flatMap(({ results }) =>
      results.map((result) => ({ title: `${name}, ${result.form}`, results: [result] })),
    ),
  ),
])}`
}

const titled = (outcomes: readonly DocumentOutcome[], name: DocumentWorkload) =>
  outcomes.filter(({ workload }) => workload === name)

function tableOf(database: DatabaseName, outcomes: readonly DocumentOutcome[]): string {
  const own = outcomes.filter((outcome) => outcome.database === database)
  const compared = own.filter(({ results }) => results.some(({ party }) => party === base))
  const columns = compared.map(({ workload, results }) => ({ title: workload, results }))
  return `${databaseTitles[database]}:\n\n${ratioTable(columns, base)}`
}
