// Translates errors of drivers into errors of the engine.
import type { DriverFault } from '../dialects/transaction-phrases.ts'
import { fault, isEngineError } from '../errors/errors.ts'
import type { Database } from './database.ts'

/** Runs work and translates its errors. */
export async function translated<Result>(
  work: () => Promise<Result>,
  database: Database,
  signal: AbortSignal | undefined,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw translateError(error, database, signal)
  }
}

/** Translates a driver's error into an engine error. Its message may have SQL and values, so it is kept only as
 *  the cause. */
export function translateError(
  error: unknown,
  { dialect }: Database,
  signal: AbortSignal | undefined,
): unknown {
  if (isEngineError(error) || (signal?.aborted && error === signal.reason)) return error
  const { code, says } = dialect.faultOf(error) ?? unknownFault
  return fault(code, says, { cause: error })
}

const unknownFault: DriverFault = { code: 'INTERNAL_SERVER_ERROR' }
