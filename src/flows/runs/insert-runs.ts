// Inserts the rows of runs that begin.
import { type Sql, sql } from '../../dialects/sql.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { tellWritten } from '../../writes/announce.ts'
import type { NewRun } from './run-row.ts'
import { json, type RunTables, unfinished } from './run-tables.ts'

const columns = [
  'id',
  'flow',
  'definition',
  'state',
  'waits',
  'trigger',
  'user',
  'role',
  'access',
  'origin',
  'due',
  'token',
  'deaths',
  'attempt',
  'lane',
  'parent',
  'depth',
  'tick',
  'request',
  'body',
  'created',
  'ended',
] as const

/** Rows of one statement. */
const mostRows = 100

/** Inserts runs, in the transaction of an engine if it is in one. */
export async function insertRuns(
  tables: RunTables,
  runs: readonly NewRun[],
  engine: EngineInternals,
): Promise<void> {
  for (let from = 0; from < runs.length; from += mostRows) {
    const some = runs.slice(from, from + mostRows)
    const rows = sql.join(
      some.map((run, at) => rowOf(tables, run, some.slice(0, at))),
      sql`, `,
    )
    await tables.write(sql`insert into ${tables.runs} (${tables.columns(...columns)}) values ${rows}`, engine)
  }
  tellWritten(
    engine,
    'items.create',
    tables.collections.runs,
    runs.map(({ id }) => id),
  )
}

function rowOf(tables: RunTables, run: NewRun, before: readonly NewRun[]): Sql {
  const { user, role } = run.origin.caller
  const isBehind = before.some(({ flow, lane }) => flow === run.flow && lane === run.lane)
  const behind = isBehind ? sql`1 = 1` : hasUnfinished(tables, run)
  const isInLane = run.lane !== undefined && !run.isSkipped
  const values = {
    id: sql.val(run.id),
    flow: sql.val(run.flow),
    definition: sql.val(run.definition),
    state: run.isSkipped
      ? sql`'skipped'`
      : isInLane
        ? sql`case when ${behind} then 'waiting' else 'ready' end`
        : sql`'ready'`,
    waits: isInLane ? sql`case when ${behind} then 'lane' end` : sql`null`,
    trigger: json(run.trigger),
    user: sql.val(user === null ? null : String(user)),
    role: sql.val(role === null ? null : String(role)),
    access: sql.val(run.access),
    origin: json(run.origin),
    due: tables.now,
    token: sql`0`,
    deaths: sql`0`,
    attempt: sql`0`,
    lane: sql.val(run.lane ?? null),
    parent: sql.val(run.parent ?? null),
    depth: sql.val(run.depth),
    tick: sql.val(run.tick ?? null),
    request: sql.val(run.request?.key ?? null),
    body: sql.val(run.request?.body ?? null),
    created: tables.now,
    ended: run.isSkipped ? tables.now : sql`null`,
  } satisfies Record<(typeof columns)[number], Sql>
  return sql`(${sql.join(
    columns.map((name) => values[name]),
    sql`, `,
  )})`
}

/** True if a run of the lane is not over. */
function hasUnfinished(tables: RunTables, { flow, lane }: Pick<NewRun, 'flow' | 'lane'>): Sql {
  const c = (name: string) => tables.column(name)
  return sql`exists (select 1 from ${tables.runs} where ${c('flow')} = ${sql.val(flow)} and ${c('lane')} = ${sql.val(lane)} and ${c('state')} in ${unfinished})`
}
