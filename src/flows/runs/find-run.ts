// Reads runs and their steps, and waits for their ends.
import { sql } from '../../dialects/sql.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { fault, isEngineError } from '../../errors/errors.ts'
import type { Row } from '../../rows/row.ts'
import type { RunAnswer, RunState } from '../outside/starts.ts'
import type { Rejection } from '../reject.ts'
import type { FlowStep } from '../run/position.ts'
import { isOver } from './record-run.ts'
import type { EndedRun, RunProgress } from './run-row.ts'
import { fromJson, numberIn, type RunTables, textIn } from './run-tables.ts'

const seen = ['id', 'flow', 'state', 'result', 'error', 'body'] as const

/** Returns a run by its id. */
export async function findRun(
  tables: RunTables,
  id: string,
  engine: EngineInternals = tables.engine,
): Promise<EndedRun | undefined> {
  const [row] = await tables.query(
    sql`select ${tables.texts(...seen)} from ${tables.runs} where ${tables.column('id')} = ${sql.val(id)}`,
    engine,
  )
  return row && endedRun(row)
}

/** Milliseconds for which a key names the run that it has started. */
export const requestMs = 86_400_000

/** Returns the run that was started by a request. A key of long ago is free again. */
export async function runOfRequest(tables: RunTables, key: string): Promise<EndedRun | undefined> {
  const c = (name: string) => tables.column(name)
  const isOf = sql`${c('request')} = ${sql.val(key)}`
  const isLongAgo = sql`${c('created')} < ${tables.in(-requestMs)}`
  const [row] = await tables.query(
    sql`select ${tables.texts(...seen)}, case when ${isLongAgo} then 'yes' end as ${c('old')} from ${tables.runs} where ${isOf}`,
  )
  if (!row || textIn(row, 'old') === undefined) return row && endedRun(row)
  await tables.change(
    sql`update ${tables.runs} set ${c('request')} = null, ${c('body')} = null where ${isOf} and ${isLongAgo}`,
  )
  return undefined
}

const endedRun = (row: Row): EndedRun => ({
  id: textIn(row, 'id') ?? '',
  flow: textIn(row, 'flow') ?? '',
  state: (textIn(row, 'state') ?? 'failed') as RunState, // no other word is written
  result: fromJson(textIn(row, 'result')) ?? null,
  error: fromJson(textIn(row, 'error')) as Rejection | undefined, // `recordRun` wrote it
  body: textIn(row, 'body'),
})

/** A step as it is kept. */
export interface StoredStep extends FlowStep {
  readonly number: number
}

/** Returns the steps of a run in their order. */
export async function stepsOf(
  tables: RunTables,
  id: string,
  engine: EngineInternals = tables.engine,
): Promise<readonly StoredStep[]> {
  const rows = await tables.query(
    sql`select ${tables.texts('number', 'operation', 'status', 'options', 'result', 'error')} from ${tables.steps} where ${tables.column('run')} = ${sql.val(id)} order by ${tables.column('number')}`,
    engine,
  )
  return rows.map((row) => {
    const isResolved = textIn(row, 'status') === 'resolved'
    return {
      number: numberIn(row, 'number'),
      operation: textIn(row, 'operation') ?? '',
      status: isResolved ? 'resolved' : 'rejected',
      options: (fromJson(textIn(row, 'options')) ?? {}) as FlowStep['options'], // `insertSteps` wrote it
      ...(isResolved
        ? { result: fromJson(textIn(row, 'result')) ?? null }
        : { error: fromJson(textIn(row, 'error')) as Rejection }), // `insertSteps` wrote it
    }
  })
}

/** Returns what a run has recorded since, as long as it has the same worker. */
export async function progressOf(
  tables: RunTables,
  { id, token }: { readonly id: string; readonly token: number },
): Promise<{ readonly progress: RunProgress | undefined; readonly attempt: number } | undefined> {
  const c = (name: string) => tables.column(name)
  const [row] = await tables.query(
    sql`select ${tables.texts('progress', 'attempt')} from ${tables.runs} where ${c('id')} = ${sql.val(id)} and ${c('token')} = ${sql.val(token)} and ${c('state')} = 'running'`,
  )
  return (
    row && {
      progress: fromJson(textIn(row, 'progress')) as RunProgress | undefined, // `recordRun` wrote it
      attempt: numberIn(row, 'attempt'),
    }
  )
}

/** Those who wait for runs that leave the worker of this process. */
export class RunEnds {
  readonly #waiting = new Map<string, Set<() => void>>()

  tell(id: string): void {
    for (const listener of this.#waiting.get(id) ?? []) listener()
  }

  /** Resolves when a run has left the worker, or time is over. */
  async next(id: string, milliseconds: number): Promise<void> {
    const all = this.#waiting.get(id) ?? new Set()
    this.#waiting.set(id, all)
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer)
        all.delete(end)
        if (all.size === 0) this.#waiting.delete(id)
        resolve()
      }
      const timer = setTimeout(end, milliseconds)
      all.add(end)
    })
  }
}

const longestLookMs = 500

/** Waits for the end of a run that is stored, and returns how far it is when time is over. A look that fails is followed by another one: whoever
 *  has started the run is told so, though nobody can say how far it is. */
export async function awaitEnd(
  tables: RunTables,
  { id, flow }: Pick<RunAnswer, 'id' | 'flow'>,
  ends: RunEnds,
  {
    waitMs,
    signal,
    report,
  }: {
    readonly waitMs: number
    readonly signal: AbortSignal | undefined
    readonly report: (error: unknown) => void
  },
): Promise<RunAnswer> {
  const until = performance.now() + waitMs
  let last: RunAnswer = { id, flow, state: 'ready' }
  for (let pause = 50; ; pause = Math.min(longestLookMs, pause * 2)) {
    const rest = until - performance.now()
    // Heard before the look: what ends between the two is not missed.
    const heard = rest > 0 && !signal?.aborted ? ends.next(id, Math.min(pause, rest)) : undefined
    try {
      const found = await findRun(tables, id)
      if (!found) throw fault('NOT_FOUND', 'This run is not kept any more.')
      last = found
    } catch (error) {
      if (isEngineError(error) && error.code === 'NOT_FOUND') throw error
      if (!heard) report(error)
    }
    if (isOver(last.state) || !heard) return last
    await heard
  }
}
