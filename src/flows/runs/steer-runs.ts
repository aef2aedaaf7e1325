// Cancels runs, and takes up those that have failed.
import { sql } from '../../dialects/sql.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { fault, quote } from '../../errors/errors.ts'
import { tellWritten } from '../../writes/announce.ts'
import type { FramePosition } from '../run/position.ts'
import { findRun, type StoredStep, stepsOf } from './find-run.ts'
import { wakeWaiting } from './record-run.ts'
import type { RunProgress } from './run-row.ts'
import { fromJson, json, type RunTables, textIn } from './run-tables.ts'
import { forgetDeaths } from './worker-row.ts'

/** Cancels a run that is not over, with those that it waits for. Returns the ids of the runs. */
export async function cancelRun(tables: RunTables, id: string): Promise<readonly string[]> {
  const c = (name: string) => tables.column(name)
  return tables.engine.atomic(async (inside) => {
    const cancelled: string[] = []
    let where = sql`${c('id')} = ${sql.val(id)}`
    for (;;) {
      const rows = await tables.write(
        sql`update ${tables.runs} set ${c('state')} = 'cancelled', ${c('waits')} = null, ${c('lease')} = null, ${c('ended')} = ${tables.now} where ${where} and ${tables.isUnfinished()} returning ${tables.texts('id', 'flow', 'lane', 'parent')}`,
        inside,
      )
      if (rows.length === 0) break
      const ids = rows.flatMap((row) => textIn(row, 'id') ?? [])
      cancelled.push(...ids)
      for (const row of rows)
        await wakeWaiting(
          { tables, engine: inside },
          {
            id: textIn(row, 'id') ?? '',
            flow: textIn(row, 'flow') ?? '',
            lane: textIn(row, 'lane'),
            parent: textIn(row, 'parent'),
          },
        )
      where = sql`${c('parent')} in (${tables.list(ids)})`
    }
    tellWritten(inside, 'items.update', tables.collections.runs, cancelled)
    return cancelled
  }, {})
}

/** Takes a run up that has failed or was cancelled, where it ended, or from one of its operations on. */
export async function retryRun(tables: RunTables, id: string, from: string | undefined): Promise<void> {
  const c = (name: string) => tables.column(name)
  await tables.engine.atomic(async (inside) => {
    const [row] = await tables.query(
      sql`select ${tables.texts('state', 'flow', 'lane', 'progress')} from ${tables.runs} where ${c('id')} = ${sql.val(id)}`,
      inside,
    )
    const state = row && textIn(row, 'state')
    if (!row || state === undefined) throw fault('NOT_FOUND', `There is no run ${quote(id)}.`)
    if (state !== 'failed' && state !== 'cancelled')
      throw fault(
        'UNPROCESSABLE_CONTENT',
        `This run is "${state}", and only those that failed or were cancelled are taken up.`,
      )
    const stored = fromJson(textIn(row, 'progress')) as RunProgress | undefined // `recordRun` wrote it
    const progress =
      from === undefined
        ? await resumed(tables, stored, inside)
        : progressFrom(await stepsOf(tables, id, inside), from, stored)
    const lane = textIn(row, 'lane')
    const isBehind = lane === undefined ? sql`1 = 0` : tables.hasUnfinished(textIn(row, 'flow') ?? '', lane)
    const found = await tables.change(
      sql`update ${tables.runs} set ${c('state')} = case when ${isBehind} then 'waiting' else 'ready' end, ${c('waits')} = case when ${isBehind} then 'lane' end, ${c('due')} = ${tables.now}, ${c('attempt')} = 0, ${c('deaths')} = 0, ${c('error')} = null, ${c('result')} = null, ${c('started')} = null, ${c('ended')} = null, ${c('lease')} = null, ${c('progress')} = ${json(progress)} where ${c('id')} = ${sql.val(id)} and ${c('state')} = ${sql.val(state)}`,
      inside,
    )
    if (found === 0) throw fault('UNPROCESSABLE_CONTENT', 'This run was taken up by another call.')
    await forgetDeaths(tables, id, inside)
    tellWritten(inside, 'items.update', tables.collections.runs, [id])
  }, {})
}

/** Returns the progress from which a run is taken up: one that failed before it began begins anew, and what was started and has not succeeded is
 *  started again. */
async function resumed(
  tables: RunTables,
  progress: RunProgress | undefined,
  inside: EngineInternals,
): Promise<RunProgress | undefined> {
  if (!progress || progress.frames.length === 0) return undefined
  const frames: FramePosition[] = []
  for (const frame of progress.frames) {
    const { calls } = frame
    const waitsFor = calls?.waitsFor
    const ended = waitsFor === undefined ? undefined : await findRun(tables, waitsFor, inside)
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
    throw fault('INVALID_OPTIONS', `This run has not come to an operation ${quote(from)}.`, {
      path: ['from'],
      hint: `It has come to: ${[...new Set(steps.map(({ operation }) => operation))].join(', ') || 'none'}.`,
    })
  const end = (steps.at(-1)?.number ?? 0) + 1
  return {
    frames: [{ next: from }],
    steps: stored?.steps ?? 0,
    iterated: stored?.iterated ?? 0,
    forgotten: step ? [...forgotten, [step.number, end]] : forgotten,
  }
}
