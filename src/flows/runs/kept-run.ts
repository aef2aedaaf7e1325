// Runs a claimed run as far as it goes here: to its end, to where it waits, or until another worker has it.

import { sql } from '../../dialects/sql.ts'
import { fault } from '../../errors/errors.ts'
import type { CompiledFlow } from '../check/compiled.ts'
import type { RunStarter } from '../outside/starts.ts'
import { isFinal, rejectionOf } from '../reject.ts'
import { storedCopy } from '../run/frames.ts'
import { Parked } from '../run/keeper.ts'
import { defaultRetry, pauseBefore } from '../run/retry.ts'
import { FlowRun } from '../run/run-flow.ts'
import { mostFlows, RunningCause, type RunStart, tooDeep } from '../run/run-start.ts'
import { progressOf, stepsOf } from './find-run.ts'
import { releaseRun } from './leases.ts'
import { held, recordRun, wakeWaiting } from './record-run.ts'
import { type RunAttempt, RunKeeper, type RunKeeping } from './run-keeper.ts'
import { Undone } from './run-recorder.ts'
import type { ClaimedRun } from './run-row.ts'
import type { RunTables } from './run-tables.ts'

/** Setting of runs, the same for all of a worker. */
export interface RunSetting extends Pick<RunStart, 'secrets' | 'setting' | 'now' | 'redact' | 'world'> {
  readonly rights: RunKeeping['rights']
}

/** A flow, and what runs it. */
export interface RunWork {
  readonly flow: CompiledFlow
  readonly keeping: RunKeeping
  readonly setting: RunSetting
}

/** Number of workers that died over one step of a run, after which it is set aside: do they die without it, too? The count goes on by two from
 *  there, one for being set aside and one for the death after that. */
const mostDeaths = 3
/** Count from which on it is not tried any more, whatever else dies. */
const mostCounted = 9
const shortestAsideMs = 5_000

/** Runs a claimed run. */
export async function runKept(run: ClaimedRun, work: RunWork): Promise<void> {
  const { flow, keeping } = work
  if (run.deaths >= mostDeaths && !(await isTriedAgain(run, keeping))) return
  if (run.deaths > 0 && !(await noteSuspicion(keeping.tables, run))) return
  if (run.depth >= mostFlows) return failRun(run, tooDeep(flow.name), keeping)
  let attempt: RunAttempt = { failures: run.attempt, isAlone: run.attempt > 0, failing: undefined }
  let known: Pick<ClaimedRun, 'progress'> | undefined = run
  while (known) {
    const undone = await tryRun({ ...run, progress: known.progress }, work, attempt)
    if (!undone) return
    const { error } = undone
    const failures = attempt.failures
    const stored = await progressOf(keeping.tables, run)
    if (!stored) return
    // Repeated alone it is known whose failure it was, and what came before it is stored.
    const isMoved = JSON.stringify(stored.progress) !== JSON.stringify(known.progress)
    if (isFinal(error) && (isMoved || failures < defaultRetry.times)) {
      const next = isMoved ? 0 : failures
      return releaseRun(keeping.tables, run, {
        inMs: pauseBefore(next, defaultRetry),
        attempt: next + 1,
      })
    }
    // The record itself cannot be stored: later, perhaps.
    if (attempt.failing && !isMoved) throw error
    const failing = attempt.isAlone && !isMoved ? { error } : undefined
    attempt = { failures: isMoved ? 0 : failures, isAlone: true, failing }
    known = stored
  }
}

/** Decides on a run under which three workers have died. Where workers die without it, too, it is tried again. */
async function isTriedAgain(run: ClaimedRun, keeping: RunKeeping): Promise<boolean> {
  const { tables, leaseMs } = keeping
  const hasJustDied = run.deaths % 2 === mostDeaths % 2
  if (hasJustDied && run.deaths < mostCounted) {
    const inMs = Math.max(2 * leaseMs, shortestAsideMs)
    await releaseRun(tables, run, { inMs, deaths: run.deaths + 1 })
    return false
  }
  if (!hasJustDied && (await othersDie(tables, run))) return true
  const error = fault('SERVICE_UNAVAILABLE', 'Its worker died three times at the same step.')
  await failRun(run, error, keeping)
  return false
}

/** True if there are other runs under which workers have died of late. Those that are set aside do not count. */
async function othersDie(tables: RunTables, { id }: ClaimedRun): Promise<boolean> {
  const c = (name: string) => tables.column(name)
  const rows = await tables.query(
    sql`select 1 as ${c('found')} from ${tables.runs} where ${tables.isUnfinished()} and ${c('deaths')} > 0 and ${c('deaths')} < ${sql.val(mostDeaths)} and ${c('id')} <> ${sql.val(id)} limit 1`,
  )
  return rows.length > 0
}

/** Notes that a run is tried under which a worker may have died. A record of what it has done takes that back. Returns false if it has another
 *  worker. */
async function noteSuspicion(tables: RunTables, run: ClaimedRun): Promise<boolean> {
  const found = await tables.change(
    sql`update ${tables.runs} set ${tables.column('deaths')} = ${sql.val(run.deaths + 1)} where ${held(tables, run)}`,
  )
  return found > 0
}

/** Runs it once. Returns what has undone the attempt, if anything has. */
async function tryRun(
  run: ClaimedRun,
  { flow, keeping, setting }: RunWork,
  attempt: RunAttempt,
): Promise<Undone | undefined> {
  const { progress } = run
  const all = progress ? await stepsOf(keeping.tables, run.id) : []
  const step = (all.at(-1)?.number ?? 0) + 1
  const keeper = new RunKeeper(run, keeping, attempt, step)
  const isForgotten = (number: number) =>
    progress?.forgotten?.some(([from, to]) => number >= from && number < to) === true
  const kept = new FlowRun(
    flow,
    startOf(run, keeper, keeping, setting),
    progress,
    all.filter(({ number }) => !isForgotten(number)),
  )
  keeper.watch(kept)
  try {
    await keeper.finish(await kept.toEnd())
    return undefined
  } catch (error) {
    if (error instanceof Undone) return error
    // An operation that is left in its middle has a transaction open.
    await keeper.undo()
    if (error instanceof Parked) return undefined
    throw error
  }
}

function startOf(
  run: ClaimedRun,
  keeper: RunKeeper,
  { signal }: RunKeeping,
  { secrets, setting, now, redact, world }: RunSetting,
): RunStart {
  const { caller, active } = run.origin
  return {
    trigger: storedCopy(run.trigger),
    secrets,
    caller: () => callerFrom(caller),
    engineFor: async () => keeper.engine,
    isInside: false,
    cause: new RunningCause(new Set([...active, run.flow]), run.depth + 1),
    budget: { iterated: 0, until: Number.POSITIVE_INFINITY },
    steps: undefined,
    setting,
    now,
    redact,
    world,
    reach: world.reachOf(run.origin),
    keeper,
    signal,
    startFlow: (name, payload, access) => keeper.start({ flow: name, payload, access }),
  }
}

const callerFrom = ({ user, role, roles, admin }: RunStarter) => ({
  ...(user !== null && { user }),
  ...(role !== null && { role }),
  roles,
  admin,
})

/** Ends a run that does not go on anywhere. */
export async function failRun(
  run: ClaimedRun,
  error: unknown,
  { tables, leaseMs }: Pick<RunKeeping, 'tables' | 'leaseMs'>,
): Promise<void> {
  const progress = run.progress ?? { frames: [], steps: 0, iterated: 0 }
  await tables.engine.atomic(async (inside) => {
    const place = { tables, engine: inside }
    await wakeWaiting(place, run)
    await recordRun(place, run, {
      state: 'failed',
      progress,
      attempt: run.attempt,
      error: rejectionOf(error),
      leaseMs,
    })
  }, {})
}
