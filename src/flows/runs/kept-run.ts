// Runs a claimed run until it leaves this worker: to its end, to where it waits, or until another worker has it.
import type { CompiledFlow } from '../check/compiled.ts'
import type { RunStarter } from '../outside/starts.ts'
import { isFinal } from '../reject.ts'
import { storedCopy } from '../run/frames.ts'
import { Parked } from '../run/keeper.ts'
import { defaultRetry, pauseBefore } from '../run/retry.ts'
import { FlowRun } from '../run/run-flow.ts'
import { mostFlows, runStart, tooDeep } from '../run/run-start.ts'
import { mayTry } from './claim-runs.ts'
import { DatabaseKeeper, type RunAttempt, type RunKeeping } from './database-keeper.ts'
import { progressOf, stepsOf } from './find-run.ts'
import { failRun, releaseRun } from './record-run.ts'
import { Undone } from './run-recorder.ts'
import type { ClaimedRun } from './run-row.ts'

export async function runKept(run: ClaimedRun, flow: CompiledFlow, keeping: RunKeeping): Promise<void> {
  const { tables } = keeping.context
  if (run.deaths > 0 && !(await mayTry(run, keeping.context, keeping.row))) return
  if (run.depth >= mostFlows) return failRun(tables, run, tooDeep(flow.name))
  let attempt: RunAttempt = { failures: run.attempt, isAlone: run.attempt > 0, failing: undefined }
  let known: Pick<ClaimedRun, 'progress'> | undefined = run
  while (known) {
    const undone = await tryRun({ ...run, progress: known.progress }, flow, keeping, attempt)
    if (!undone) return
    const { cause: error } = undone
    const failures = attempt.failures
    const stored = await progressOf(tables, run)
    if (!stored) return
    // Repeated alone it is known whose failure it was, and what came before it is stored.
    const isMoved = JSON.stringify(stored.progress) !== JSON.stringify(known.progress)
    if (isFinal(error) && (isMoved || failures < defaultRetry.times)) {
      const next = isMoved ? 0 : failures
      return releaseRun(tables, run, pauseBefore(next, defaultRetry), next + 1)
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
  flow: CompiledFlow,
  keeping: RunKeeping,
  attempt: RunAttempt,
): Promise<Undone | undefined> {
  const { progress, origin, depth } = run
  const { context, signal } = keeping
  const all = progress ? await stepsOf(context.tables, run.id) : []
  const step = (all.at(-1)?.number ?? 0) + 1
  const isForgotten = (number: number) =>
    progress?.forgotten?.some(([from, to]) => number >= from && number < to) === true
  const start = runStart(
    context.flowEngine,
    { ...origin, flow },
    {
      trigger: storedCopy(run.trigger),
      caller: () => callerFrom(origin.caller),
      isInside: false,
      cause: { active: new Set(origin.active), depth },
      signal,
      keep: (running) => new DatabaseKeeper({ run, running, keeping, attempt, step }),
    },
  )
  const kept = new FlowRun(
    start,
    progress,
    all.filter(({ number }) => !isForgotten(number)),
  )
  try {
    await kept.toEnd()
    return undefined
  } catch (error) {
    // An operation that is left in its middle has a transaction open.
    await kept.keeper.undo()
    if (error instanceof Undone) return error
    if (error instanceof Parked) return undefined
    throw error
  }
}

const callerFrom = ({ user, role, roles, admin }: RunStarter) => ({
  ...(user !== null && { user }),
  ...(role !== null && { role }),
  roles,
  admin,
})
