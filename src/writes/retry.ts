// A verb that writes does all of it or nothing: in a transaction of its own, or in a savepoint of the one it was called in.

import type { Engine } from '../engine/engine.ts'
import type { Options } from '../execution/database.ts'
import { isFinal, retryWhenBusy } from '../execution/retry-when-busy.ts'
import { hasWaited } from '../execution/write-lock.ts'

/** How often a transaction is begun anew that the database gave up for another's sake. */
const mostAttempts = 5

export function inOneUnit<Result>(
  engine: Engine,
  options: Options,
  work: (inside: Engine) => Promise<Result>,
): Promise<Result> {
  return repeatedly(engine, options, () => engine.atomic(work, options))
}

/** Does something again that the database gave up for another's sake. It is one statement, or does all or nothing by itself. */
export function withRetry<Result>(
  engine: Engine,
  options: Options,
  work: () => Promise<Result>,
): Promise<Result> {
  if (engine.unit) return work()
  return repeatedly(engine, options, () => retryWhenBusy(engine, options.signal, { work }))
}

async function repeatedly<Result>(
  engine: Engine,
  { signal }: Options,
  work: () => Promise<Result>,
): Promise<Result> {
  // A transaction of the host's is the host's to begin anew.
  if (engine.unit) return work()
  for (let attempt = 1; ; attempt++) {
    const started = performance.now()
    try {
      return await work()
    } catch (error) {
      if (attempt === mostAttempts || !isPassing(error, started, engine)) throw error
      await pause(attempt, signal)
    }
  }
}

/** Whether the same may succeed when it is done once more, without as long a wait. */
function isPassing(error: unknown, started: number, engine: Engine): boolean {
  if (!(error instanceof Error) || isFinal(error)) return false
  return engine.dialect.isPassing(error.cause) && !hasWaited(error, started, engine, 'likewise')
}

/** Longer each time, and for each caller another time, so that they do not meet again. */
async function pause(attempt: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  const milliseconds = 5 * 2 ** attempt * (0.5 + Math.random())
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
}
