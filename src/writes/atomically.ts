// A verb that writes does all of it or nothing: in a transaction of its own, or in a savepoint of the one it was called in.
import type { Engine } from '../engine.ts'
import type { Options } from '../run/execute.ts'
import { type Soon, unlessFailed } from '../run/soon.ts'

/** How often a transaction is begun anew that the database gave up for another's sake. */
const mostAttempts = 5

export async function atomically<Result>(
  engine: Engine,
  options: Options,
  work: (inside: Engine) => Promise<Result>,
): Promise<Result> {
  const run = () => engine.transaction(work, { signal: options.signal })
  return await persistently(engine, options, run)
}

/** Does something again that the database gave up for another's sake. It must do all or nothing by itself. */
export function persistently<Result>(
  engine: Engine,
  { signal }: Options,
  work: () => Soon<Result>,
): Soon<Result> {
  const attempted = (attempt: number): Soon<Result> =>
    unlessFailed(work, async (error) => {
      // A transaction of the host's is the host's to begin anew.
      if (engine.unit || attempt === mostAttempts || !isPassing(error, engine)) throw error
      await pause(attempt, signal)
      return await attempted(attempt + 1)
    })
  return attempted(1)
}

/** Whether the same may succeed when it is done once more. */
function isPassing(error: unknown, { dialect }: Engine): boolean {
  return error instanceof Error && dialect.isPassing(error.cause)
}

/** Longer each time, and for each caller another time, so that they do not meet again. */
async function pause(attempt: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  const milliseconds = 5 * 2 ** attempt * (0.5 + Math.random())
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
}
