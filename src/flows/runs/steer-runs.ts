import { sql } from '../../dialects/sql.ts'
import { fault, quote } from '../../errors/errors.ts'
import { badOption } from '../reject.ts'
import type { FramePosition } from '../run/keeper.ts'
import { findRun, type StoredStep, stepsOf } from './find-run.ts'
import { wakeWaiting } from './record-run.ts'
import { claimedColumns, jsonText, type RunProgress, readRow, shownColumns } from './run-row.ts'
import type { RunTables } from './run-tables.ts'
import { forgetDeaths } from './worker-row.ts'

/** Cancels a run that is not over, with those that it waits for. Returns the ids of the runs. */
export const cancelRun = (tables: RunTables, id: string): Promise<readonly string[]> =>
  tables.atomic(async (inside) => {
    const { column: c } = tables
    const { id: text, flow, lane, parent } = claimedColumns
    const cancelled: string[] = []
    let where = sql`${c('id')} = ${sql.val(id)}`
    for (;;) {
      const rows = await inside.write(
        sql`update ${tables.runs} set ${c('state')} = 'cancelled', ${c('waits')} = null, ${c('lease')} = null, ${c('ended')} = ${tables.now} where ${where} and ${tables.isUnfinished()} returning ${tables.texts('id', 'flow', 'lane', 'parent')}`,
      )
      if (rows.length === 0) break
      const runs = rows.map((row) => readRow({ id: text, flow, lane, parent }, row))
      const ids = runs.map((run) => run.id)
      cancelled.push(...ids)
      for (const run of runs) await wakeWaiting(inside, run)
      where = sql`${c('parent')} in (${tables.list(ids)})`
    }
    inside.tell('items.update', 'runs', cancelled)
    return cancelled
  })

const { flow, lane, progress } = claimedColumns
const endedColumns = { state: shownColumns.state, flow, lane, progress }

/** Takes a run up that has failed or was cancelled, where it ended, or from one of its operations on. */
export async function retryRun(tables: RunTables, id: string, from: string | undefined): Promise<void> {
  const { column: c } = tables
  await tables.atomic(async (inside) => {
    const [row] = await inside.query(
      sql`select ${tables.texts('state', 'flow', 'lane', 'progress')} from ${tables.runs} where ${c('id')} = ${sql.val(id)}`,
    )
    if (!row) throw fault('NOT_FOUND', `There is no run ${quote(id)}.`)
    const { state, flow, lane, progress: stored } = readRow(endedColumns, row)
    if (state !== 'failed' && state !== 'cancelled')
      throw fault(
        'UNPROCESSABLE_CONTENT',
        `This run is "${state}", and only those that failed or were cancelled are taken up.`,
      )
    const progress =
      from === undefined
        ? await resumed(inside, stored)
        : progressFrom(await stepsOf(inside, id), from, stored)
    const isBehind = lane === undefined ? sql`1 = 0` : tables.hasUnfinished(flow, lane)
    const ready = sql`${c('state')} = case when ${isBehind} then 'waiting' else 'ready' end, ${c('waits')} = case when ${isBehind} then 'lane' end, ${c('due')} = ${tables.now}, ${c('attempt')} = 0, ${c('deaths')} = 0, ${c('error')} = null, ${c('result')} = null, ${c('started')} = null, ${c('ended')} = null, ${c('lease')} = null, ${c('progress')} = ${sql.val(jsonText(progress))}`
    const found = await inside.update(
      ready,
      sql`${c('id')} = ${sql.val(id)} and ${c('state')} = ${sql.val(state)}`,
    )
    if (found.length === 0) throw fault('UNPROCESSABLE_CONTENT', 'This run was taken up by another call.')
    await forgetDeaths(inside, id)
  })
}

/** Returns the progress from which a run is taken up: one that failed before it began begins anew, and what was started and has not succeeded is
 *  started again. */
async function resumed(
  tables: RunTables,
  progress: RunProgress | undefined,
): Promise<RunProgress | undefined> {
  if (!progress || progress.frames.length === 0) return undefined
  const frames: FramePosition[] = []
  for (const frame of progress.frames) {
    const { calls } = frame
    const ended = calls?.waitsFor === undefined ? undefined : await findRun(tables, calls.waitsFor)
    frames.push(
      calls && ended?.state !== 'succeeded' ? { ...frame, calls: { results: calls.results } } : frame,
    )
  }
  return { ...progress, frames }
}

/** Returns the progress of a run before it first came to an operation. */
function progressFrom(
  steps: readonly StoredStep[],
  from: string,
  stored: RunProgress | undefined,
): RunProgress {
  const forgotten = stored?.forgotten ?? []
  const isKnown = (number: number) => !forgotten.some(([first, end]) => number >= first && number < end)
  const step = steps.find(({ operation, number }) => operation === from && isKnown(number))
  const isNext = stored?.frames[0]?.next === from
  if (!step && !isNext)
    throw badOption(
      `This run has not come to an operation ${quote(from)}.`,
      ['from'],
      `It has come to: ${[...new Set(steps.map(({ operation }) => operation))].join(', ') || 'none'}.`,
    )
  const end = (steps.at(-1)?.number ?? 0) + 1
  return {
    frames: [{ next: from }],
    steps: stored?.steps ?? 0,
    iterated: stored?.iterated ?? 0,
    forgotten: step ? [...forgotten, [step.number, end]] : forgotten,
  }
}
