// The page that tells what one whole run gave: docs/benchmarks.md.
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { inspect } from 'node:util'
import { callers, type Throughput } from './callers.ts'
import type { Result } from './contest.ts'
import { countsFor } from './data.ts'
import type { GrowthOutcome } from './growth.ts'
import { versionOf } from './installed.ts'
import { type DatabaseName, databaseNames } from './options.ts'
import { bestOf, fastestByHand, mostOf, ratioText } from './ratios.ts'
import type { Outcome } from './reads.ts'
import type { ServedOutcome } from './served.ts'
import {
  type GrowthWorkload,
  growthWorkloads,
  queries,
  servedWorkloads,
  workloads,
  writeWorkloads,
} from './workloads.ts'
import type { WriteOutcome } from './writes.ts'

export interface Run {
  readonly outcomes: readonly Outcome[]
  readonly writes: readonly WriteOutcome[]
  readonly served: readonly ServedOutcome[]
  readonly growth: readonly GrowthOutcome[]
}

export function writePage(run: Run): void {
  writeFileSync(new URL('../docs/benchmarks.md', import.meta.url), pageOf(run))
}

export function pageOf({ outcomes, writes, served, growth }: Run): string {
  const parts = [
    introduction(),
    ...databaseNames.map((database) => partOf(database, outcomes)),
    crowdPart(outcomes),
    writePart(writes),
    servedPart(served),
    growthPart(growth),
    questions(),
    rerun,
  ]
  return `${parts.join('\n\n')}\n`
}

const databaseTitles = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const satisfies Record<
  DatabaseName,
  string
>

function introduction(): string {
  const { authors, articles, comments, tags, junctions } = countsFor()
  const number = (count: number) => count.toLocaleString('en')
  const versions = ['better-sqlite3', 'pg', 'kysely', 'drizzle-orm', 'prisma'].map(
    (name) => `${name} ${versionOf(name)}`,
  )
  return `# Benchmarks

How long reads and writes take, next to SQL written by hand and next to other libraries, on the same data in the same process. They
take turns, so that whatever else the machine does falls on all alike, and speed counts only where the answers are equal.

The tables hold ratios of median times. 1 is \`hand\`: the fastest of several hand-written forms, with prepared statements
and rows read as arrays. \`quernel\` goes through \`quernel/sqlite\` or \`quernel/postgres\`, \`quernel, plain\` through
Kysely's own dialects. A dash stands for what a library cannot ask without SQL of one's own.

The data: ${number(authors)} authors, ${number(articles)} articles of about 600 characters, ${number(comments)} comments, ${number(tags)} tags, ${number(junctions)} links
between articles and tags. Node ${process.versions.node}, ${availableParallelism()} cores, ${versions.join(', ')}.`
}

function partOf(database: DatabaseName, outcomes: readonly Outcome[]): string {
  const own = outcomes.filter((outcome) => outcome.database === database)
  const texts = own.filter((outcome) => outcome.texts.length > 0)
  return `## ${databaseTitles[database]}

${tableOf(own, ({ objects }) => objects)}

JSON text, of \`listItemsJson\` and by hand:

${tableOf(texts, ({ texts }) => texts)}`
}

function tableOf(outcomes: readonly Outcome[], resultsOf: (outcome: Outcome) => readonly Result[]): string {
  const parties = new Set(outcomes.flatMap((outcome) => resultsOf(outcome).map(({ party }) => party)))
  const rows = [...parties].map((party) => [
    party,
    ...outcomes.map((outcome) =>
      ratioText(bestOf(party, resultsOf(outcome)), fastestByHand(resultsOf(outcome))),
    ),
  ])
  const best = outcomes.map((outcome) => milliseconds(fastestByHand(resultsOf(outcome)).time))
  return aligned([['', ...outcomes.map(({ workload }) => workload)], ...rows, ['hand, ms', ...best]])
}

const milliseconds = (time: number) => (time < 1 ? time.toFixed(3) : time.toPrecision(3))

function writePart(outcomes: readonly WriteOutcome[]): string {
  const titled = outcomes.map(({ database, workload, results }) => ({
    title: `${workload} ${databaseTitles[database]}`,
    results,
  }))
  const parties = new Set(outcomes.flatMap(({ results }) => results.map(({ party }) => party)))
  const rows = [...parties].map((party) => [
    party,
    ...titled.map(({ results }) => ratioText(bestOf(party, results), fastestByHand(results))),
  ])
  const best = titled.map(({ results }) => milliseconds(fastestByHand(results).time))
  return `## Writing

${aligned([['', ...titled.map(({ title }) => title)], ...rows, ['hand, ms', ...best]])}`
}

function crowdPart(outcomes: readonly Outcome[]): string {
  const measured = outcomes.filter(({ crowd }) => crowd.length > 0)
  return `## ${callers} callers at once

Calls per second on PostgreSQL, and in brackets the milliseconds of processor that a call costs Node.

${crowdTable(measured.map(({ workload, crowd }) => ({ title: workload, crowd })))}`
}

function servedPart(outcomes: readonly ServedOutcome[]): string {
  return `## Over HTTP

W3 per second for ${callers} clients, and in brackets the milliseconds of processor that a request costs the server. By hand the
database writes the JSON, and \`node:http\` sends it; in Express objects become JSON by \`response.json\`.

${crowdTable(outcomes.map(({ database, crowd }) => ({ title: databaseTitles[database], crowd })))}`
}

function crowdTable(
  columns: readonly { readonly title: string; readonly crowd: readonly Throughput[] }[],
): string {
  const parties = new Set(columns.flatMap(({ crowd }) => crowd.map(({ party }) => party)))
  const cell = (party: string, crowd: readonly Throughput[]) => {
    const own = mostOf(party, crowd)
    return own ? `${Math.round(own.perSecond)} (${own.processor.toFixed(2)})` : '—'
  }
  const rows = [...parties].map((party) => [party, ...columns.map(({ crowd }) => cell(party, crowd))])
  return aligned([['', ...columns.map(({ title }) => title)], ...rows])
}

function growthPart(outcomes: readonly GrowthOutcome[]): string {
  const parts = (Object.keys(growthWorkloads) as GrowthWorkload[]).map((workload) => {
    const own = outcomes.filter((outcome) => outcome.workload === workload)
    const sizes = own[0]?.points.map(({ size }) => size) ?? []
    const rows = own.map(({ database, points }) => [
      databaseTitles[database],
      ...points.map((point) => milliseconds(point.milliseconds)),
    ])
    const table = aligned([['', ...sizes.map((size) => size.toLocaleString('en'))], ...rows])
    return `${workload}, ${growthWorkloads[workload]}:\n\n${table}`
  })
  return `## Growth

Milliseconds of Quernel alone, by what is asked and by what is there.

${parts.join('\n\n')}`
}

/** A query as it would be written. */
function source(query: object): string {
  const lines = Object.entries(query).map(([name, value]) => {
    if (!Array.isArray(value)) return `  ${name}: ${inspect(value)},`
    return `  ${name}: [\n${value.map((one) => `    ${inspect(one)},`).join('\n')}\n  ],`
  })
  return `{\n${lines.join('\n')}\n}`
}

function questions(): string {
  const asked = queries.W3({ page: 1, key: 0, most: 0, skipped: 0 })
  const { fields = [] } = asked
  return `## What is asked

${aligned([['', ''], ...Object.entries({ ...workloads, ...writeWorkloads, ...servedWorkloads })])}

W3, as Quernel is asked:

\`\`\`ts
import { parseQuery } from 'quernel'

const query = parseQuery(${source(asked)})

query.fields?.length // → ${fields.length}
\`\`\``
}

const rerun = `## Measure yourself

\`\`\`sh
npm ci
npm run bench -- --quick                    # everything, for a first look
npm run bench -- --only=W3,W6 --database=sqlite
npm run bench -- --check                    # fails when a goal of bench/goals.json is missed
npm run bench -- --write                    # writes this page
\`\`\`

The first run installs the other libraries into \`bench/\` and makes the data. \`QUERNEL_PG\` may name a PostgreSQL server on
which the data stays for the next run; without it, a server is started for the run.`

/** A table of Markdown whose columns line up. */
function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`
  const [head = [], ...body] = rows
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}
