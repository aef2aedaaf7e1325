// Records what a worker has done of a run. Each record carries the token of its claim: whoever has lost the run stores nothing of it.
import { type Sql, sql } from '../../dialects/sql.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { tellWritten } from '../../writes/announce.ts'
import type { RunState } from '../outside/starts.ts'
import { type Rejection, rejectionOf } from '../reject.ts'
import { type KeptStep, Parked } from '../run/keeper.ts'
import type { ClaimedRun, RunProgress } from './run-row.ts'
import { jsonText, numberIn, type RunTables, textIn } from './run-tables.ts'

/** State in which a run is left. */
export interface RunRecord {
  readonly state: RunState
  /** Absent = as it was recorded last. */
  readonly progress?: RunProgress
  readonly attempt: number
  readonly leaseMs: number
  /** Milliseconds after which it is due, if it is ready then. */
  readonly dueInMs?: number
  readonly waits?: string | undefined
  readonly result?: unknown
  readonly error?: Rejection | undefined
}

/** The tables of runs, and the engine inside of a transaction. */
export interface RunPlace {
  readonly tables: RunTables
  readonly engine: EngineInternals
}

const stepColumns = [
  'run',
  'number',
  'operation',
  'status',
  'options',
  'result',
  'error',
  'attempt',
  'started',
  'ended',
] as const

/** Inserts steps, of which the first one has a number. */
export async function insertSteps(
  { tables, engine }: RunPlace,
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
  const statement = () => {
    const values = rows.map(
      (row) =>
        sql`(${sql.join(
          row.map((value) => sql.val(value)),
          sql`, `,
        )})`,
    )
    return sql`insert into ${tables.steps} (${tables.columns(...stepColumns)}) values ${sql.join(values, sql`, `)} returning ${tables.texts('id')}`
  }
  const shape = { statement, parameters: rows.flat() }
  const keys = await tables.writeAlike(`steps ${rows.length}`, shape, engine)
  tellWritten(
    engine,
    'items.create',
    tables.collections.steps,
    keys.map((row) => numberIn(row, 'id')),
  )
}

const over: readonly string[] = ['succeeded', 'failed', 'cancelled', 'skipped']
export const isOver = (state: string): boolean => over.includes(state)

/** Records a run: the last statement of what belongs together. */
export async function recordRun(
  { tables, engine }: RunPlace,
  run: ClaimedRun,
  record: RunRecord,
): Promise<void> {
  const { state, progress, attempt, leaseMs, dueInMs = 0, waits, result, error } = record
  const c = (name: string) => tables.column(name)
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
  const [at, inMs] = isRunning ? ['lease', leaseMs] : ['due', dueInMs]
  const statement = () => {
    const parts: Sql[] = values.map(([name, value]) => sql`${c(name)} = ${sql.val(value)}`)
    parts.push(sql`${c('deaths')} = 0`, sql`${c(at)} = ${tables.in(inMs)}`)
    if (!isRunning) parts.push(sql`${c('lease')} = null`)
    if (isOver(state)) parts.push(sql`${c('ended')} = ${tables.now}`)
    return sql`update ${tables.runs} set ${sql.join(parts, sql`, `)} where ${held(tables, run)} returning ${tables.texts('id')}`
  }
  const parameters = [...values.map(([, value]) => value), Math.round(inMs), run.id, run.token]
  const shape = `record ${progress ? 'at ' : ''}${isRunning ? 'running' : isOver(state) ? 'over' : 'parked'}`
  const found = await tables.writeAlike(shape, { statement, parameters }, engine)
  if (found.length === 0) throw new Parked('This run has another worker.')
  tellWritten(engine, 'items.update', tables.collections.runs, [run.id])
}

/** True for a run as long as it has not been claimed again, or ended. */
export function held(tables: RunTables, { id, token }: Pick<ClaimedRun, 'id' | 'token'>): Sql {
  const c = (name: string) => tables.column(name)
  return sql`${c('id')} = ${sql.val(id)} and ${c('token')} = ${sql.val(token)} and ${c('state')} = 'running'`
}

/** A run that ends, as far as others wait for it. */
export interface EndingRun {
  readonly id: string
  readonly flow: string
  readonly lane: string | undefined
  readonly parent: string | undefined
}

/** Makes those ready that have waited for the end of a run: the next one of its lane, and the one that has started it. */
export async function wakeWaiting(
  { tables, engine }: RunPlace,
  { id, flow, lane, parent }: EndingRun,
): Promise<void> {
  const { runs } = tables
  const c = (name: string) => tables.column(name)
  const wake = async (where: Sql) => {
    const rows = await tables.write(
      sql`update ${runs} set ${c('state')} = 'ready', ${c('waits')} = null, ${c('due')} = ${tables.now} where ${c('state')} = 'waiting' and ${where} returning ${tables.texts('id')}`,
      engine,
    )
    const keys = rows.flatMap((row) => textIn(row, 'id') ?? [])
    if (keys.length > 0) tellWritten(engine, 'items.update', tables.collections.runs, keys)
  }
  if (lane !== undefined)
    await wake(
      sql`${c('waits')} = 'lane' and ${c('flow')} = ${sql.val(flow)} and ${c('lane')} = ${sql.val(lane)} and ${c('number')} = (${tables.firstInLanes(sql`(${sql.val(flow)}, ${sql.val(lane)})`, sql`o.${c('number')}`, sql` and o.${c('id')} <> ${sql.val(id)}`)})`,
    )
  if (parent !== undefined)
    await wake(sql`${c('id')} = ${sql.val(parent)} and ${c('waits')} = ${sql.val(id)}`)
}

/** Ends a run that does not go on anywhere. */
export async function failRun(
  run: ClaimedRun,
  error: unknown,
  { tables, leaseMs }: { readonly tables: RunTables; readonly leaseMs: number },
): Promise<void> {
  await tables.engine.atomic(async (inside) => {
    const place = { tables, engine: inside }
    await wakeWaiting(place, run)
    await recordRun(place, run, {
      state: 'failed',
      attempt: run.attempt,
      error: rejectionOf(error),
      leaseMs,
    })
  }, {})
}
