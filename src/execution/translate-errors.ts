// Translates errors of drivers into errors of the engine.

import { faultOfClosed } from '../dialects/connections/closed.ts'
import type { DriverFault } from '../dialects/transaction-phrases.ts'
import { codeTexts } from '../errors/code-texts.ts'
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
  const { code, says, hint, reason } = dialect.faultOf(error) ?? faultOfClosed(error) ?? unknownFault
  return fault(code, says ?? codeTexts[code], { hint, cause: error, extensions: reason && { reason } })
}

/** Returns an error as one of the query, if the database has refused a text of it that only the database can read, or cannot read a stored
 *  JSON value of which the query wants a part. */
export function asRefusedOperand(error: unknown, statement: string, { dialect }: Database): unknown {
  if (!isEngineError(error)) return error
  if (dialect.cannotReadJson?.(error.cause, statement)) {
    const says =
      'The database cannot look into a JSON value that is stored there: it holds U+0000, half a surrogate pair, or what is no JSON.'
    return fault('INVALID_QUERY', says, {
      hint: 'Select the whole field, or store the value anew.',
      cause: error.cause,
    })
  }
  if (!dialect.refusesOperand?.(error.cause, statement)) return error
  const says = 'The database refuses a value of this query: it is none of the type of its field.'
  const hint = 'A field of a type that only the database knows takes text in the form in which it is read.'
  return fault('INVALID_QUERY', says, { hint, cause: error.cause })
}

const unknownFault: DriverFault = { code: 'INTERNAL_SERVER_ERROR' }

/** True if a statement failed because JSON cannot represent a value in the rows. */
export const isBeyondJson = ({ dialect }: Database, error: unknown): boolean =>
  error instanceof Error && dialect.isBeyondJson?.(error.cause) === true
