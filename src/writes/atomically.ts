// A verb that writes does all of it or nothing: in a transaction of its own, or in a savepoint of the one it was called in.
import type { Engine } from '../engine.ts'
import type { Options } from '../run/execute.ts'
import { isFinal, onceUnlocked } from '../run/once-unlocked.ts'
import { type Soon, unlessFailed } from '../run/soon.ts'
import { hasWaited } from '../run/write-lock.ts'

/** How often a transaction is begun anew that the database gave up for another's sake. */
const mostAttempts = 5

export async function atomically<Result>(
  engine: Engine,
  options: Options,
  work: (inside: Engine) => Promise<Result>,
): Promise<Result> {
  const run = () => engine.atomic(work, options)
  return await repeatedly(engine, options, run)
}

/** Does something again that the database gave up for another's sake. It is one statement, or does all or nothing by itself. */
export function persistently<Result>(
  engine: Engine,
  options: Options,
  work: () => Soon<Result>,
): Soon<Result> {
  if (engine.unit) return work()
  return repeatedly(engine, options, () => onceUnlocked(engine, options.signal, { work }))
}

function repeatedly<Result>(engine: Engine, { signal }: Options, work: () => Soon<Result>): Soon<Result> {
  // A transaction of the host's is the host's to begin anew.
  if (engine.unit) return work()
  const attempted = (attempt: number): Soon<Result> => {
    const started = performance.now()
    return unlessFailed(work, async (error) => {
      if (attempt === mostAttempts || !isPassing(error, started, engine)) throw error
      await pause(attempt, signal)
      return await attempted(attempt + 1)
    })
  }
  return attempted(1)
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
