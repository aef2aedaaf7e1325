// Runs a write as one unit of work, all or nothing: in a transaction of its own, or in a savepoint of the current one. Retries it after
// deadlocks and conflicts.

import type { EngineInternals } from '../engine/engine.ts'
import type { Options } from '../execution/database.ts'
import { isFinal, retryWhenBusy } from '../execution/retry-when-busy.ts'
import { hasWaited } from '../execution/write-lock.ts'

/** Maximum number of attempts of a transaction that the database aborted in favour of another. */
const mostAttempts = 5

export function inOneUnit<Result>(
  engine: EngineInternals,
  options: Options,
  work: (inside: EngineInternals) => Promise<Result>,
): Promise<Result> {
  return repeatedly(engine, options, () => engine.atomic(work, options))
}

/** Retries work that the database aborted in favour of another transaction. The work is one statement, or atomic by itself. */
export function withRetry<Result>(
  engine: EngineInternals,
  options: Options,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  return repeatedly(engine, options, () =>
    engine.unit ? work() : retryWhenBusy(engine, options.signal, { work }),
  )
}

async function repeatedly<Result>(
  engine: EngineInternals,
  { signal }: Options,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  // Only the host can retry a transaction of its own.
  if (engine.unit) return work()
  for (let attempt = 1; ; attempt++) {
    const started = performance.now()
    try {
      return await work()
    } catch (error) {
      if (attempt === mostAttempts || !isTransient(error, started, engine)) throw error
      await pause(attempt, signal)
    }
  }
}

/** True if a retry may succeed, without as long a wait. */
function isTransient(error: unknown, started: number, engine: EngineInternals): boolean {
  if (!(error instanceof Error) || isFinal(error)) return false
  return engine.dialect.isTransient(error.cause) && !hasWaited(error, started, engine, 'likewise')
}

/** Waits before a retry: longer each time, and with jitter, so that callers do not collide again. */
async function pause(attempt: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  const milliseconds = 5 * 2 ** attempt * (0.5 + Math.random())
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
}
