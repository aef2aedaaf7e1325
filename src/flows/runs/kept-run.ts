// Runs a claimed run as far as it goes here: to its end, to where it waits, or until another worker has it.

import type { CompiledFlow } from '../check/compiled.ts'
import type { RunStarter } from '../outside/starts.ts'
import { isFinal } from '../reject.ts'
import { storedCopy } from '../run/frames.ts'
import { Parked } from '../run/keeper.ts'
import { defaultRetry, pauseBefore } from '../run/retry.ts'
import { FlowRun } from '../run/run-flow.ts'
import { mostFlows, newBudget, RunningCause, type RunStart, tooDeep } from '../run/run-start.ts'
import { progressOf, stepsOf } from './find-run.ts'
import { releaseRun } from './leases.ts'
import { failRun } from './record-run.ts'
import { type RunAttempt, RunKeeper, type RunKeeping } from './run-keeper.ts'
import { Undone } from './run-recorder.ts'
import type { ClaimedRun } from './run-row.ts'
import { mayTry } from './set-aside.ts'

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

/** Runs a claimed run. */
export async function runKept(run: ClaimedRun, work: RunWork): Promise<void> {
  const { flow, keeping } = work
  if (run.deaths > 0 && !(await mayTry(run, keeping))) return
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
    budget: newBudget(run.origin.isRow),
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
