// Records the progress of a run by its worker. Each record carries the token of its claim: a worker whose lease was taken over cannot write.
import { type Sql, sql } from '../../dialects/sql.ts'
import type { RunState } from '../outside/starts.ts'
import { type Rejection, rejectionOf } from '../reject.ts'
import { type FlowStep, Parked } from '../run/keeper.ts'
import { defaultRetry, pauseBefore } from '../run/retry.ts'
import { type ClaimedRun, jsonText, numberIn, type RunProgress, textsIn } from './run-row.ts'
import type { RunTables } from './run-tables.ts'

/** A step with its times, in milliseconds of the database. */
export interface KeptStep extends FlowStep {
  readonly attempt: number
  readonly started: number
  readonly ended: number
}

export interface RunRecord {
  readonly state: RunState
  /** Absent = as it was recorded last. */
  readonly progress?: RunProgress
  readonly attempt: number
  /** Milliseconds after which it is due; of a run that goes on, those of its lease. */
  readonly inMs?: number
  readonly waits?: string | undefined
  readonly result?: unknown
  readonly error?: Rejection | undefined
}

/** Columns of a step, in the order of its values. */
const columns = 'run number operation status options result error attempt started ended'.split(' ')

export async function insertSteps(
  tables: RunTables,
  run: Pick<ClaimedRun, 'id'>,
  steps: readonly KeptStep[],
  first: number,
): Promise<void> {
  const rows = steps.map(({ operation, status, options, result, error, attempt, started, ended }, at) => [
    run.id,
    first + at,
    operation,
    status,
    jsonText(options),
    jsonText(result),
    jsonText(error),
    attempt,
    Math.round(started),
    Math.round(ended),
  ])
  const hasListener = tables.hasListener('items.create', 'steps')
  const statement = () => {
    const values = rows.map((row) => sql`(${tables.list(row)})`)
    const insert = sql`insert into ${tables.steps} (${tables.columns(...columns)}) values ${sql.join(values, sql`, `)}`
    return hasListener ? sql`${insert} returning ${tables.texts('id')}` : insert
  }
  const shape = `${hasListener ? 'returned ' : ''}steps ${rows.length}`
  const parameters = rows.flat()
  const written = await tables.writeAlike(shape, { statement, parameters, isUnread: !hasListener })
  const keys = written.map((row) => numberIn(row, 'id'))
  tables.tell('items.create', 'steps', keys)
}

const over: readonly string[] = ['succeeded', 'failed', 'cancelled', 'skipped']
export const isOver = (state: string): boolean => over.includes(state)

/** Records a run: the last statement of what belongs together. */
export async function recordRun(tables: RunTables, run: ClaimedRun, record: RunRecord): Promise<void> {
  const { state, progress, attempt, inMs = 0, waits, result, error } = record
  const { column: c } = tables
  const isRunning = state === 'running'
  const values: readonly (readonly [string, unknown])[] = [
    ['state', state],
    ...(progress ? ([['progress', jsonText(progress)]] as const) : []),
    ['attempt', attempt],
    ...(isRunning
      ? []
      : ([
          ['waits', waits ?? null],
          ['result', jsonText(result)],
          ['error', jsonText(error)],
        ] as const)),
  ]
  const statement = () => {
    const parts: Sql[] = values.map(([name, value]) => sql`${c(name)} = ${sql.val(value)}`)
    parts.push(sql`${c('deaths')} = 0`, sql`${c(isRunning ? 'lease' : 'due')} = ${tables.in(inMs)}`)
    if (!isRunning) parts.push(sql`${c('lease')} = null`)
    if (isOver(state)) parts.push(sql`${c('ended')} = ${tables.now}`)
    return sql`update ${tables.runs} set ${sql.join(parts, sql`, `)} where ${held(tables, run)} returning ${tables.texts('id')}`
  }
  const parameters = [...values.map(([, value]) => value), Math.round(inMs), run.id, run.token]
  const shape = `record ${progress ? 'at ' : ''}${isRunning ? 'running' : isOver(state) ? 'over' : 'parked'}`
  const found = await tables.writeAlike(shape, { statement, parameters })
  if (found.length === 0) throw new Parked('This run has another worker.')
  tables.tell('items.update', 'runs', [run.id])
}

/** True for a run as long as it has not been claimed again, or ended. */
export function held(tables: RunTables, { id, token }: Pick<ClaimedRun, 'id' | 'token'>): Sql {
  const { column: c } = tables
  return sql`${c('id')} = ${sql.val(id)} and ${c('token')} = ${sql.val(token)} and ${c('state')} = 'running'`
}

/** Releases a run as it was recorded last. What another worker has claimed meanwhile stays as it is. */
export async function releaseRun(
  tables: RunTables,
  run: ClaimedRun,
  inMs = 0,
  attempt = run.attempt,
): Promise<void> {
  const { column: c } = tables
  const ready = sql`${c('state')} = 'ready', ${c('lease')} = null, ${c('due')} = ${tables.in(inMs)}, ${c('attempt')} = ${sql.val(attempt)}`
  await tables.update(ready, held(tables, run))
}

/** Extends the leases of claimed runs. Returns the ids of those that are still held. */
export async function extendLeases(
  tables: RunTables,
  runs: readonly Pick<ClaimedRun, 'id' | 'token'>[],
  { leaseMs, signal }: { readonly leaseMs: number; readonly signal: AbortSignal },
): Promise<ReadonlySet<string>> {
  const any = runs.map((run) => sql`(${held(tables, run)})`)
  const rows = await tables.write(
    sql`update ${tables.runs} set ${tables.column('lease')} = ${tables.in(leaseMs)} where ${sql.join(any, sql` or `)} returning ${tables.texts('id')}`,
    { signal },
  )
  return new Set(textsIn(rows))
}

/** Makes those ready that have waited for the end of a run: the next one of its lane, and the one that has started it. */
export async function wakeWaiting(
  tables: RunTables,
  { id, flow, lane, parent }: Pick<ClaimedRun, 'id' | 'flow' | 'lane' | 'parent'>,
): Promise<void> {
  const { column: c } = tables
  if (lane !== undefined) {
    const place = sql`(${sql.val(flow)}, ${sql.val(lane)})`
    const next = tables.firstInLanes(place, sql`o.${c('number')}`, sql` and o.${c('id')} <> ${sql.val(id)}`)
    await tables.ready(
      sql`${c('waits')} = 'lane' and ${c('flow')} = ${sql.val(flow)} and ${c('lane')} = ${sql.val(lane)} and ${c('number')} = (${next})`,
    )
  }
  if (parent !== undefined)
    await tables.ready(sql`${c('id')} = ${sql.val(parent)} and ${c('waits')} = ${sql.val(id)}`)
}

/** Ends a run that does not go on anywhere. */
export async function failRun(tables: RunTables, run: ClaimedRun, error: unknown): Promise<void> {
  await tables.atomic(async (inside) => {
    await wakeWaiting(inside, run)
    await recordRun(inside, run, { state: 'failed', attempt: run.attempt, error: rejectionOf(error) })
  })
}

/** Tries a run again, later, after a failure outside of its operations. Returns in how many milliseconds; undefined if it has failed now. If that fails, its
 *  lease ends, and another look finds it. */
export async function tryLater(
  tables: RunTables,
  run: ClaimedRun,
  error: unknown,
): Promise<number | undefined> {
  const { attempt } = run
  if (attempt >= defaultRetry.times) {
    await failRun(tables, run, error)
    return undefined
  }
  const inMs = pauseBefore(attempt, defaultRetry)
  await releaseRun(tables, run, inMs, attempt + 1)
  return inMs
}
