// The page that tells what one whole run gave: docs/benchmarks.md.
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { inspect } from 'node:util'
import type { AssetOutcome } from './assets.ts'
import { callers } from './callers.ts'
import { countsFor } from './data.ts'
import type { GrowthOutcome } from './growth.ts'
import { growthChart } from './growth-chart.ts'
import { versionOf } from './installed.ts'
import type { IntrospectionOutcome } from './introspection.ts'
import { type DatabaseName, databaseNames } from './options.ts'
import { aligned, crowdTable, milliseconds, ratioTable, timeTable } from './page-tables.ts'
import { ratioChart } from './ratio-chart.ts'
import type { Outcome } from './reads.ts'
import type { ServedOutcome } from './served.ts'
import {
  assetWorkloads,
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
  readonly assets: readonly AssetOutcome[]
  readonly introspection: readonly IntrospectionOutcome[]
  readonly growth: readonly GrowthOutcome[]
}

/** Writes the page and its pictures below a folder. */
export function writePage(run: Run, folder = new URL('../docs/', import.meta.url)): void {
  mkdirSync(new URL('pictures/', folder), { recursive: true })
  writeFileSync(new URL('benchmarks.md', folder), pageOf(run))
  for (const database of databaseNames)
    writeFileSync(new URL(`pictures/${chartNames[database]}`, folder), chartOf(database, run))
  writeFileSync(new URL(`pictures/${chartNames.growth}`, folder), growthChart(run.growth))
}

const chartNames = {
  sqlite: 'ratios-sqlite.svg',
  postgres: 'ratios-postgres.svg',
  growth: 'growth.svg',
} as const satisfies Record<DatabaseName | 'growth', string>

function chartOf(database: DatabaseName, { outcomes, writes }: Run): string {
  const rows = [
    ...outcomes.map(({ database, workload, objects }) => ({ database, title: workload, results: objects })),
    ...writes.map(({ database, workload, results }) => ({ database, title: workload, results })),
  ].filter((row) => row.database === database)
  return ratioChart(`Time by time of SQL by hand, on ${databaseTitles[database]}`, rows)
}

export function pageOf({ outcomes, writes, served, assets, introspection, growth }: Run): string {
  const parts = [
    introduction(),
    ...databaseNames.map((database) => partOf(database, outcomes)),
    crowdPart(outcomes),
    writePart(writes),
    servedPart(served),
    assetPart(assets),
    introspectionPart(introspection),
    rest,
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

const packages = [
  'better-sqlite3',
  'pg',
  'kysely',
  'drizzle-orm',
  'prisma',
  'postgraphile',
  'sharp',
  'ipx',
] as const

function introduction(): string {
  const { authors, articles, comments, tags, junctions } = countsFor()
  const number = (count: number) => count.toLocaleString('en')
  const versions = packages.map((name) => `${name} ${versionOf(name)}`)
  return `# Benchmarks

How long reads and writes take, next to SQL written by hand and next to other libraries, on the same data in the same process. They
take turns, so that whatever else the machine does falls on all alike, and speed counts only where the answers are equal. What somebody
takes is compared round by round with what the others took, because the machine is faster in one round than in the next; whoever takes
more than twice as long as the fastest comes in each fifth round only. All but Prisma, which opens its own, share one connection to
SQLite and one pool of PostgreSQL: the processor's caches hold what was read last, so a connection that is asked more often answers
sooner.

The tables hold ratios of median times; 0.9 to 1.15 is a tie. 1 is \`hand\`: the fastest of several hand-written forms, with prepared
statements and rows read as arrays. \`quernel\` goes through \`quernel/sqlite\` or \`quernel/postgres\`, \`quernel, plain\` through
Kysely's own dialects, and \`quernel, narrowed\` asks as somebody whose rules are what the filter says elsewhere, and writes as one
whose rules are judged for each item. Of all others, too, the fastest form counts. A dash stands for what a library cannot ask without plugins or SQL of one's own.

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

JSON text that the database writes, of \`listItemsJson\`, by hand, and of those that can hand it out; \`stringified\` is what Node makes
text of:

${ratioTable(texts.map(({ workload, texts }) => ({ title: workload, results: texts })))}`
}

function writePart(outcomes: readonly WriteOutcome[]): string {
  const columns = outcomes.map(({ database, workload, results }) => ({
    title: `${workload} ${databaseTitles[database]}`,
    results,
  }))
  return `## Writing

On SQLite to a file in WAL mode, as better-sqlite3 advises servers to write; each call of W9a is a transaction of its own, and the log
is brought into the file between calls. W10 finds 20,000 rows beside those that it deletes.

${ratioTable(columns)}`
}

function crowdPart(outcomes: readonly Outcome[]): string {
  const measured = outcomes.filter(({ crowd }) => crowd.length > 0)
  return `## ${callers} callers at once

Calls per second on PostgreSQL, and in brackets the milliseconds of processor that a call costs Node.

${crowdTable(measured.map(({ workload, crowd }) => ({ title: workload, results: crowd })))}`
}

function servedPart(outcomes: readonly ServedOutcome[]): string {
  return `## Over HTTP

W3 per second for ${callers} clients, and in brackets the milliseconds of processor that a request costs the server. By hand the
database writes the JSON, and \`node:http\` sends it; in Express objects become JSON by \`response.json\`.

${crowdTable(outcomes.map(({ database, crowd }) => ({ title: databaseTitles[database], results: crowd })))}`
}

function assetPart(outcomes: readonly AssetOutcome[]): string {
  return `## Pictures

\`hand\` is sharp alone, which stores nothing that it makes, and \`hand, stored\` writes it to a file and renames that. Quernel stores
it, too, so that A4 is what everybody but the first one waits for. IPX stores nothing, and has no A4. Quality is 75 and the effort
of avif 2 for all, in the same copy of sharp.

${ratioTable(outcomes.map(({ workload, results }) => ({ title: workload, results })))}`
}

function introspectionPart(outcomes: readonly IntrospectionOutcome[]): string {
  return `## Reading a schema

I1, ${introspectionWorkloads.I1}, in milliseconds, and in brackets those of the
processor that it costs Node. Kysely reads columns; \`introspectSchema\` reads keys, relations and defaults as well, and links them.

${timeTable(outcomes.map(({ database, results }) => ({ title: databaseTitles[database], results })))}`
}

const rest = `## Where the rest goes

What Quernel does and SQL by hand does not, where a ratio is well above 1:

- **Order.** What has no value comes last, and first in a descending order, on both databases. SQLite goes through its index twice for
  that.
- **The page first.** W2 as JSON text on SQLite joins authors to the rows of a page after these were chosen, which costs its statement
  a tenth. It spares the join for all rows that are only sorted or passed over.
- **Moments** are answered in one form, whatever text a column of SQLite holds, so each is looked at.
- **Small reads.** As JSON text, W6 on SQLite is a statement of 21 µs. Ours takes 4 % longer than the one by hand; to make the object
  that is the query takes 9 % of it; and to know its shape, to read its values and to wait for a promise some 20 %. No library that is
  asked with an object comes within a tenth of that, so the goal is the one for objects.
- **Keys.** \`createItem\` has the new key told by \`RETURNING\`, which is right for every table and trigger, and which alone takes
  SQLite half as long again as to insert. Where an insertion is not stored on a disk, as in a database in memory, that is seen: it takes
  three thousandths of a millisecond by hand, and more than twice as long here. By hand, the number of the last row is taken for the
  key. Of many rows only the first are told, and the others are counted and checked, because that takes one statement more for all of
  them.
- **Connections.** W3 and W3p on PostgreSQL read comments and tags by hand on two connections at once, so at two moments. Quernel reads
  all of it in one statement, at one moment, and leaves the other connection to other callers; of the forms by hand that do so, none
  was faster.
- **JSON text** of some hundred rows is there sooner on PostgreSQL when Node writes it. With many callers it is the other way round,
  because Node is what they share; so the database writes it.
- **Pictures** made anew are stored before they are handed out, so that nobody makes them twice, not even in a process that is frozen
  once it has answered. So the goal is next to \`hand, stored\`. The rest is some thirty calls to the file system: whether it is there,
  where links lead, and a name that it gets when it is whole. One that was made before is looked at for links while it is read.`

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

Milliseconds of Quernel alone, by what is asked and by what is there. Both axes of the picture are logarithmic: from one line to the
next time is ten times as long.

![The milliseconds of the tables below](pictures/${chartNames.growth})

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

${aligned([['', ''], ...Object.entries({ ...workloads, ...writeWorkloads, ...servedWorkloads, ...assetWorkloads, ...introspectionWorkloads })])}

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
npm run bench -- --only=A1,A2,A3,A4,A5,A6   # pictures alone
npm run bench -- --check                    # fails when a goal of bench/goals.json is missed
npm run bench -- --write                    # writes this page and its pictures
\`\`\`

A whole run takes about a quarter of an hour. The machine should do nothing else: what else runs falls on all alike, but hits a long
call more often than a short one. The first run installs the other libraries into \`bench/\` and makes the data. \`QUERNEL_PG\` may
name a PostgreSQL server on which the data stays for the next run; without it, a server is started for the run.`
