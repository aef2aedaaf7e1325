import { sql } from '../../dialects/sql.ts'
import { fault, isEngineError } from '../../errors/errors.ts'
import type { RunAnswer, StartRequest } from '../outside/starts.ts'
import type { FlowStep } from '../run/keeper.ts'
import { isOver } from './record-run.ts'
import { claimedColumns, readRow, type ShownRun, shownColumns, stepColumns, textIn } from './run-row.ts'
import type { RunTables } from './run-tables.ts'
import type { RunsContext } from './runs-context.ts'

const shown = Object.keys(shownColumns)

export async function findRun(tables: RunTables, id: string): Promise<ShownRun | undefined> {
  const [row] = await tables.query(
    sql`select ${tables.texts(...shown)} from ${tables.runs} where ${tables.column('id')} = ${sql.val(id)}`,
  )
  return row && readRow(shownColumns, row)
}

/** Milliseconds for which a key names the run that it has started. */
export const requestMs = 86_400_000

/** Returns the run that was started by a request. A key of long ago is free again. */
export async function runOfRequest(tables: RunTables, key: string): Promise<ShownRun | undefined> {
  const { column: c, runs } = tables
  const isOf = sql`${c('request')} = ${sql.val(key)}`
  const isLongAgo = sql`${c('created')} < ${tables.in(-requestMs)}`
  const [row] = await tables.query(
    sql`select ${tables.texts(...shown)}, case when ${isLongAgo} then 'yes' end as ${c('old')} from ${runs} where ${isOf}`,
  )
  if (!row || textIn(row, 'old') === undefined) return row && readRow(shownColumns, row)
  await tables.change(
    sql`update ${runs} set ${c('request')} = null, ${c('body')} = null where ${isOf} and ${isLongAgo}`,
  )
  return undefined
}

export interface StoredStep extends FlowStep {
  readonly number: number
}

export async function stepsOf(tables: RunTables, id: string): Promise<readonly StoredStep[]> {
  const { column: c, steps } = tables
  const rows = await tables.query(
    sql`select ${tables.texts(...Object.keys(stepColumns))} from ${steps} where ${c('run')} = ${sql.val(id)} order by ${c('number')}`,
  )
  return rows.map((row) => {
    const { result, error, ...step } = readRow(stepColumns, row)
    return { ...step, ...(step.status === 'resolved' ? { result } : error && { error }) }
  })
}

/** Returns what a run has recorded since, as long as it has the same worker. */
export async function progressOf(
  tables: RunTables,
  { id, token }: { readonly id: string; readonly token: number },
) {
  const { column: c, runs } = tables
  const [row] = await tables.query(
    sql`select ${tables.texts('progress')} from ${runs} where ${c('id')} = ${sql.val(id)} and ${c('token')} = ${sql.val(token)} and ${c('state')} = 'running'`,
  )
  return row && readRow({ progress: claimedColumns.progress }, row)
}

const longestLookMs = 500

/** Waits for the end of a run that is stored, and returns how far it is when time is over. A failed look is repeated: the caller gets the last
 *  known state if none succeeds. */
export async function awaitEnd(
  { tables, ends, report }: RunsContext,
  { id, flow }: Pick<RunAnswer, 'id' | 'flow'>,
  { waitMs, signal }: Pick<StartRequest, 'waitMs' | 'signal'>,
): Promise<RunAnswer> {
  const until = performance.now() + waitMs
  let last: RunAnswer = { id, flow, state: 'ready' }
  for (let pause = 50; ; pause = Math.min(longestLookMs, pause * 2)) {
    const rest = until - performance.now()
    // Waited for before the look: an end between the two is not missed.
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
