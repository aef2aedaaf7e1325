// Inserts the rows of runs that begin.
import { type Sql, sql } from '../../dialects/sql.ts'
import type { NewRun } from './run-row.ts'
import type { RunTables } from './run-tables.ts'

/** Rows of one statement. */
const mostRows = 100

/** Inserts runs. */
export async function insertRuns(tables: RunTables, runs: readonly NewRun[]): Promise<void> {
  for (let from = 0; from < runs.length; from += mostRows) {
    const some = runs.slice(from, from + mostRows)
    const kinds = some.map((run, at) => kindOf(run, some.slice(0, at)))
    // What causes a run waits for it, and writing the text takes longer than the insert.
    const statement = () => insertStatement(tables, some, kinds)
    const parameters = some.flatMap((run, at) => parametersOf(run, kinds[at]))
    await tables.writeAlike(`runs ${kinds.join()}`, { statement, parameters })
  }
  const ids = runs.map(({ id }) => id)
  tables.tell('items.create', 'runs', ids)
}

/** How a run begins: at once, in a lane, behind another one of the same statement, or not at all. */
type RunKind = 'ready' | 'lane' | 'behind' | 'skipped'

function kindOf({ flow, lane, isSkipped }: NewRun, before: readonly NewRun[]): RunKind {
  if (isSkipped) return 'skipped'
  if (lane === undefined) return 'ready'
  return before.some((other) => other.flow === flow && other.lane === lane) ? 'behind' : 'lane'
}

/** Columns whose values are bound, in the order of the statement. */
const bound = {
  id: ({ id }) => id,
  flow: ({ flow }) => flow,
  definition: ({ definition }) => definition,
  trigger: ({ trigger }) => JSON.stringify(trigger ?? null),
  user: ({ origin: { caller } }) => (caller.user === null ? null : String(caller.user)),
  role: ({ origin: { caller } }) => (caller.role === null ? null : String(caller.role)),
  access: ({ access }) => access,
  origin: ({ origin }) => JSON.stringify(origin),
  lane: ({ lane }) => lane ?? null,
  parent: ({ parent }) => parent ?? null,
  depth: ({ depth }) => depth,
  tick: ({ tick }) => tick ?? null,
  request: ({ request }) => request?.key ?? null,
  body: ({ request }) => request?.body ?? null,
} as const satisfies Readonly<Record<string, (run: NewRun) => unknown>>

const readers = Object.values(bound)

function parametersOf(run: NewRun, kind: RunKind | undefined): readonly unknown[] {
  const values = readers.map((read) => read(run))
  // The state and what it waits for are asked for twice, each with the lane twice.
  const lane = [run.flow, run.lane]
  return kind === 'lane' ? [...values, ...lane, ...lane, ...lane, ...lane] : values
}

function insertStatement(tables: RunTables, runs: readonly NewRun[], kinds: readonly RunKind[]): Sql {
  const filled = ['state', 'waits', 'due', 'created', 'ended', 'token', 'deaths', 'attempt']
  const columns = tables.columns(...Object.keys(bound), ...filled)
  const rows = runs.map((run, at) => {
    const values = readers.map((read) => sql.val(read(run)))
    const rest = restOf(tables, run, kinds[at])
    return sql`(${sql.join([...values, ...rest], sql`, `)})`
  })
  return sql`insert into ${tables.runs} (${columns}) values ${sql.join(rows, sql`, `)}`
}

/** The columns that the database fills. */
function restOf(tables: RunTables, run: NewRun, kind: RunKind | undefined): readonly Sql[] {
  const behind = tables.hasUnfinished(run.flow, run.lane)
  const states = {
    ready: [sql`'ready'`, sql`null`],
    lane: [
      sql`case when ${behind} then 'waiting' else 'ready' end`,
      sql`case when ${behind} then 'lane' end`,
    ],
    behind: [sql`'waiting'`, sql`'lane'`],
    skipped: [sql`'skipped'`, sql`null`],
  } as const satisfies Record<RunKind, readonly Sql[]>
  const { now } = tables
  const ended = kind === 'skipped' ? now : sql`null`
  return [...states[kind ?? 'ready'], now, now, ended, sql`0`, sql`0`, sql`0`]
}
