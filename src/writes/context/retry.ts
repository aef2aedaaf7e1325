// Runs a write as one unit of work, all or nothing: in a transaction of its own, or in a savepoint of the current one. Retries it after
// deadlocks and conflicts.

import type { EngineInternals } from '../../engine/engine.ts'
import { fault } from '../../errors/errors.ts'
import type { Options } from '../../execution/database.ts'
import { isFinal, retryWhenBusy } from '../../execution/retry-when-busy.ts'
import { orElse, type Soon } from '../../execution/soon.ts'
import { takesSavepoints } from '../../execution/transaction/savepoint.ts'
import { hasWaited } from '../../execution/write-lock.ts'
import { isOfSeveral } from './in-halves.ts'

/** Maximum number of attempts of a transaction that the database aborted in favour of another. */
const mostAttempts = 5

export function inOneUnit<Result>(
  engine: EngineInternals,
  options: Options,
  work: (inside: EngineInternals) => Soon<Result>,
): Soon<Result> {
  const inHalves = (error: unknown) => {
    if (!isOfSeveral(error) || !canUndo(engine)) throw error
    return engine.atomic((inside) => {
      if (inside.unit) inside.unit.isHalving = true
      return work(inside)
    }, options)
  }
  const attempt = () => orElse(() => engine.atomic(work, options), inHalves)
  return engine.unit ? inSavepointAgain(engine, attempt) : repeatedly(engine, options, attempt)
}

/** True if a unit of work can be undone without the transaction around it. */
export const canUndo = (engine: EngineInternals): boolean =>
  engine.unit === undefined || takesSavepoints(engine, engine.unit)

class ChangedMeanwhile extends Error {}

/** Error that ends an attempt: others have changed what it was planned by before it was locked. */
export const changedMeanwhile = () =>
  fault('SERVICE_UNAVAILABLE', 'Others change the linked items all the time.', {
    hint: 'Try again.',
    cause: new ChangedMeanwhile(),
  })

/** Runs a savepoint once more if a statement in it was prepared before a table has changed, or others have changed what it was planned by: that is
 *  no conflict, and the rest of the transaction is as it was. */
function inSavepointAgain<Result>(engine: EngineInternals, attempt: () => Soon<Result>): Soon<Result> {
  return orElse(attempt, (error) => {
    const isOutdated =
      error instanceof Error &&
      (error.cause instanceof ChangedMeanwhile || engine.dialect.isOutdated?.(error.cause))
    if (!isOutdated || !canUndo(engine) || isFinal(error)) throw error
    return attempt()
  })
}

/** Retries work that the database aborted in favour of another transaction. The work is one statement, or atomic by itself. It makes no
 *  promise of what a database answers at once: that takes longer than a small write. */
export function withRetry<Result>(
  engine: EngineInternals,
  options: Options,
  work: () => Soon<Result>,
): Soon<Result> {
  return repeatedly(engine, options, () =>
    engine.unit ? work() : retryWhenBusy(engine, options.signal, { work }),
  )
}

function repeatedly<Result>(
  engine: EngineInternals,
  options: Options,
  work: () => Soon<Result>,
): Soon<Result> {
  // Only the host can retry a transaction of its own.
  if (engine.unit) return work()
  const started = performance.now()
  return orElse(work, (error) => repeatedlyAfter({ error, started }, engine, options, work))
}

interface FailedAttempt {
  readonly error: unknown
  readonly started: number
}

async function repeatedlyAfter<Result>(
  first: FailedAttempt,
  engine: EngineInternals,
  { signal }: Options,
  work: () => Soon<Result>,
): Promise<Result> {
  let { error, started } = first
  for (let attempt = 1; attempt < mostAttempts && isTransient(error, started, engine); attempt++) {
    await pause(attempt, signal)
    started = performance.now()
    try {
      return await work()
    } catch (next) {
      error = next
    }
  }
  throw error
}

/** True if a retry may succeed, without as long a wait. */
function isTransient(error: unknown, started: number, engine: EngineInternals): boolean {
  if (!(error instanceof Error) || isFinal(error)) return false
  if (error.cause instanceof ChangedMeanwhile) return true
  return engine.dialect.isTransient(error.cause) && !hasWaited(error, started, engine, 'likewise')
}

/** Waits before a retry: longer each time, and with jitter, so that callers do not collide again. */
export async function pause(attempt: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  const milliseconds = 5 * 2 ** attempt * (0.5 + Math.random())
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
}
