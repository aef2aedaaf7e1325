// Records what a worker has done of a run. Each record carries the token of its claim: whoever has lost the run stores nothing of it.
import { type Sql, sql } from '../../dialects/sql.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { tellWritten } from '../../writes/announce.ts'
import type { RunState } from '../outside/starts.ts'
import type { Rejection } from '../reject.ts'
import { type KeptStep, Parked } from '../run/keeper.ts'
import type { ClaimedRun, RunProgress } from './run-row.ts'
import { json, numberIn, type RunTables, textIn, unfinished } from './run-tables.ts'

/** What becomes of a run. */
export interface RunRecord {
  readonly state: RunState
  readonly progress: RunProgress
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
  const rows = steps.map(
    ({ operation, status, options, result, error, attempt, started, ended }, at) =>
      sql`(${sql.join(
        [
          sql.val(run.id),
          sql.val(first + at),
          sql.val(operation),
          sql.val(status),
          json(options),
          json(result),
          json(error),
          sql.val(attempt),
          sql.val(Math.round(started)),
          sql.val(Math.round(ended)),
        ],
        sql`, `,
      )})`,
  )
  const statement = sql`insert into ${tables.steps} (${tables.columns(...stepColumns)}) values ${sql.join(rows, sql`, `)} returning ${tables.texts('id')}`
  const keys = await tables.write(statement, engine)
  tellWritten(
    engine,
    'items.create',
    tables.collections.steps,
    keys.map((row) => numberIn(row, 'id')),
  )
}

const over: readonly RunState[] = ['succeeded', 'failed', 'cancelled', 'skipped']
export const isOver = (state: RunState): boolean => over.includes(state)

/** Records a run: the last statement of what belongs together. */
export async function recordRun(
  { tables, engine }: RunPlace,
  run: ClaimedRun,
  record: RunRecord,
): Promise<void> {
  const { state, progress, attempt, leaseMs, dueInMs = 0, waits, result, error } = record
  const c = (name: string) => tables.column(name)
  const isRunning = state === 'running'
  const parts: Sql[] = [
    sql`${c('state')} = ${sql.val(state)}`,
    sql`${c('progress')} = ${json(progress)}`,
    sql`${c('attempt')} = ${sql.val(attempt)}`,
    sql`${c('deaths')} = 0`,
    sql`${c('lease')} = ${isRunning ? tables.in(leaseMs) : sql`null`}`,
  ]
  if (!isRunning)
    parts.push(
      sql`${c('waits')} = ${sql.val(waits ?? null)}`,
      sql`${c('due')} = ${tables.in(dueInMs)}`,
      sql`${c('result')} = ${json(result)}`,
      sql`${c('error')} = ${json(error)}`,
    )
  if (isOver(state)) parts.push(sql`${c('ended')} = ${tables.now}`)
  const found = await tables.change(
    sql`update ${tables.runs} set ${sql.join(parts, sql`, `)} where ${held(tables, run)}`,
    engine,
  )
  if (found === 0) throw new Parked('This run has another worker.')
  tellWritten(engine, 'items.update', tables.collections.runs, [run.id])
}

/** True for a run as long as it has not been claimed again, or ended. */
export function held(tables: RunTables, { id, token }: Pick<ClaimedRun, 'id' | 'token'>): Sql {
  const c = (name: string) => tables.column(name)
  return sql`${c('id')} = ${sql.val(id)} and ${c('token')} = ${sql.val(token)} and ${c('state')} = 'running'`
}

/** What others wait for at the end of a run. */
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
      sql`${c('waits')} = 'lane' and ${c('number')} = (select min(${c('number')}) from ${runs} where ${c('flow')} = ${sql.val(flow)} and ${c('lane')} = ${sql.val(lane)} and ${c('state')} in ${unfinished} and ${c('id')} <> ${sql.val(id)})`,
    )
  if (parent !== undefined)
    await wake(sql`${c('id')} = ${sql.val(parent)} and ${c('waits')} = ${sql.val(id)}`)
}
