// Writes the page with the results of a whole run: docs/benchmarks.md.
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { inspect } from 'node:util'
import type { AssetOutcome } from './assets.ts'
import { callers } from './callers.ts'
import { ratioChart } from './chart.ts'
import { countsFor } from './data.ts'
import { documentPart } from './documents/document-page.ts'
import type { DocumentOutcome } from './documents/measure-documents.ts'
import { formsPart, keptPart } from './forms/page-part.ts'
import type { GrowthOutcome } from './growth.ts'
import { versionOf } from './installed.ts'
import type { IntrospectionOutcome } from './introspection.ts'
import { type DatabaseName, databaseNames, databaseTitles } from './options.ts'
import { remainder, rerun } from './page-texts.ts'
import type { Outcome } from './reads.ts'
import type { ServedOutcome } from './served.ts'
import type { FileOutcome } from './served-files.ts'
import { aligned, growthTable, ratioTable, throughputTable, timeTable } from './tables.ts'
import {
  assetWorkloads,
  documentWorkloads,
  fileWorkloads,
  type GrowthWorkload,
  growthWorkloads,
  introspectionWorkloads,
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
  readonly documents: readonly DocumentOutcome[]
  readonly assets: readonly AssetOutcome[]
  readonly files: readonly FileOutcome[]
  readonly introspection: readonly IntrospectionOutcome[]
  readonly growth: readonly GrowthOutcome[]
}

/** Writes the page and its pictures below a folder. */
export function writePage(run: Run, folder = new URL('../docs/', import.meta.url)): void {
  mkdirSync(new URL('pictures/', folder), { recursive: true })
  writeFileSync(new URL('benchmarks.md', folder), pageOf(run))
  for (const database of databaseNames)
    writeFileSync(new URL(`pictures/${chartNames[database]}`, folder), chartOf(database, run))
}

const chartNames = {
  sqlite: 'ratios-sqlite.svg',
  postgres: 'ratios-postgres.svg',
} as const satisfies Record<DatabaseName, string>

function chartOf(database: DatabaseName, { outcomes, writes }: Run): string {
  const rows = [
    ...outcomes.map(({ database, workload, objects }) => ({ database, title: workload, results: objects })),
    ...writes.map(({ database, workload, results }) => ({ database, title: workload, results })),
  ].filter((row) => row.database === database)
  return ratioChart(`Time by time of SQL by hand, on ${databaseTitles[database]}`, rows)
}

export function pageOf({
  outcomes,
  writes,
  served,
  documents,
  assets,
  files,
  introspection,
  growth,
}: Run): string {
  const parts = [
    introduction(),
    ...databaseNames.map((database) => partOf(database, outcomes)),
    crowdPart([...outcomes, ...writes]),
    writePart(writes),
    formsPart(),
    servedPart(served),
    documentPart(documents),
    assetPart(assets),
    ...(files.length > 0 ? [filesPart(files)] : []),
    introspectionPart(introspection),
    keptPart('## Pages by cursors'),
    keptPart('## SQLite: reads in threads'),
    remainder,
    keptPart('## Goals missed'),
    growthPart(growth),
    questions(),
    rerun,
  ]
  return `${parts.join('\n\n')}\n`
}

const packages = [
  'better-sqlite3',
  'pg',
  'kysely',
  'drizzle-orm',
  'prisma',
  '@zenstackhq/orm',
  'postgraphile',
  'graphql',
  'graphql-yoga',
  '@pothos/core',
  '@pothos/plugin-prisma',
  'mercurius',
  'sharp',
  'ipx',
] as const

function introduction(): string {
  const { authors, articles, comments, tags, junctions } = countsFor()
  const number = (count: number) => count.toLocaleString('en')
  const versions = packages.map((name) => `${name} ${versionOf(name)}`)
  return `# Benchmarks

How fast Quernel reads and writes, compared with SQL written by hand and with other libraries: same data, same process, same results.
The tables hold ratios of median times, and \`hand\` is 1: the fastest of several hand-written forms, with prepared statements and rows
read as arrays. A ratio of 0.9 to 1.15 is a tie.

- \`quernel\` uses the drivers of \`quernel/sqlite\` and \`quernel/postgres\`; \`quernel, plain\` uses Kysely's own dialects.
- \`narrowed\` has a caller with rules: by hand the same conditions, with ZenStack policies of its models, and with \`RLS\` those of PostgreSQL.
- \`related\` writes under rules that look at memberships: by hand, a transaction that locks the row first, sent in one flight.
- \`hooked\` has a hook that returns at once, \`committing\` one before the commit, \`validated\` a validation, and \`bare\` none of them;
  \`adding\` adds to a number where \`bare\` sets it, and \`transacting\` writes in a transaction.
- \`watching\` has a listener of another collection, as a feed has them, \`listened\` one of the collection that is written, and
  \`recalling\` one that wants to know a value as it was before.
- Every library is measured in several forms, and its fastest one counts. A dash means that it needs plugins or hand-written SQL.

All take turns in random order, and times are compared within a round. A form that takes more than twice as long as the fastest is
measured in every fifth round. All share one connection to SQLite and one pool of PostgreSQL, except Prisma, which opens its own.

The data: ${number(authors)} authors, ${number(articles)} articles of about 600 characters, ${number(comments)} comments, ${number(tags)} tags, ${number(junctions)} links
between articles and tags. All of it fits into memory. ${availableParallelism()} cores, Node ${process.versions.node},
${versions.join(', ')}.`
}

function partOf(database: DatabaseName, outcomes: readonly Outcome[]): string {
  const own = outcomes.filter((outcome) => outcome.database === database)
  const texts = own.filter((outcome) => outcome.texts.length > 0)
  return `## ${databaseTitles[database]}

![The ratios of the table below](pictures/${chartNames[database]})

${ratioTable(own.map(({ workload, objects }) => ({ title: workload, results: objects })))}

JSON text that the database writes: \`listItemsJson\`, by hand, and by libraries that can return it. \`stringified\` is made by
\`JSON.stringify\`:

${ratioTable(texts.map(({ workload, texts }) => ({ title: workload, results: texts })))}`
}

function writePart(outcomes: readonly WriteOutcome[]): string {
  const columns = outcomes.map(({ database, workload, results }) => ({
    title: `${workload} ${databaseTitles[database]}`,
    results,
  }))
  return `## Writes: inserts, updates and deletes

SQLite writes to a file in WAL mode, as better-sqlite3 recommends for servers. Each call of W9a is a transaction of its own, with a
checkpoint between calls. W9q, W10 and W10k find 20,000 more rows in the table. Under rules W9q changes all that it finds or nothing.

${ratioTable(columns)}`
}

function crowdPart(outcomes: readonly (Outcome | WriteOutcome)[]): string {
  const measured = outcomes.filter(({ crowd }) => crowd.length > 0)
  return `## Concurrency: ${callers} callers at once

Calls per second on PostgreSQL; in brackets the milliseconds of processor time that a call costs Node.

${throughputTable(measured.map(({ workload, crowd }) => ({ title: workload, results: crowd })))}`
}

function servedPart(outcomes: readonly ServedOutcome[]): string {
  return `## Over HTTP

Requests of W3 per second for ${callers} clients; in brackets the milliseconds of processor time that a request costs the server. By
hand, the database writes the JSON and \`node:http\` sends it; \`hand, ETag\` adds the entity tag that Quernel and Express send, too; with
Express, objects become JSON by \`response.json\`.

${throughputTable(outcomes.map(({ database, crowd }) => ({ title: databaseTitles[database], results: crowd })))}`
}

function assetPart(outcomes: readonly AssetOutcome[]): string {
  return `## Images: resizing and formats

\`hand\` is sharp alone, without storing the result; \`hand, stored\` writes it to a file and renames the file. Quernel stores each
variant, so that all requests but the first take the time of A4. IPX stores nothing, so it has no A4. Quality is 75 and the effort of
avif 2 for all, with the same copy of sharp.

${ratioTable(outcomes.map(({ workload, results }) => ({ title: workload, results })))}`
}

function filesPart(outcomes: readonly FileOutcome[]): string {
  return `## Files over HTTP

Requests per second for ${callers} clients; in brackets the milliseconds of processor time that a request costs the server. By hand, \`node:http\`
looks up the row, opens the file without following links, and sends it with the same headers; an upload is a form whose file is synced to the
disk, renamed and hashed before its row is written.

${throughputTable(outcomes.map(({ workload, crowd }) => ({ title: workload, results: crowd })))}`
}

function introspectionPart(outcomes: readonly IntrospectionOutcome[]): string {
  return `## Introspection

I1, ${introspectionWorkloads.I1}: milliseconds, and in brackets the processor
time of Node. Kysely reads columns; \`introspectSchema\` also reads keys, relations and defaults, looks at rows, and links them. The first one has a
new connection each time, which has to read the catalogue and to prepare each statement.

${timeTable(outcomes.map(({ database, results }) => ({ title: databaseTitles[database], results })))}`
}

function growthPart(outcomes: readonly GrowthOutcome[]): string {
  const parts = (Object.keys(growthWorkloads) as GrowthWorkload[]).map((workload) => {
    const own = outcomes.filter((outcome) => outcome.workload === workload)
    const curves = own.map(({ database, points }) => ({ title: databaseTitles[database], points }))
    return `${workload}, ${growthWorkloads[workload]}:\n\n${growthTable(curves)}`
  })
  return `## Growth

Milliseconds of Quernel alone, by the size of the request or of the data.

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
  return `## Workloads

${aligned([['', ''], ...Object.entries({ ...workloads, ...writeWorkloads, ...servedWorkloads, ...documentWorkloads, ...assetWorkloads, ...fileWorkloads, ...introspectionWorkloads })])}

W3 as a query of Quernel:

\`\`\`ts
import { parseQuery } from 'quernel'

const query = parseQuery(${source(asked)})

query.fields?.length // → ${fields.length}
\`\`\``
}
