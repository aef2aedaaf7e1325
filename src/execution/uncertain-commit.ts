// Connections of which nobody knows any more in the middle of what they are, and what was written on them.

import type { Sql } from '../dialects/sql.ts'
import type { RawConnection } from '../dialects/wire.ts'
import { type ErrorCode, fault, isEngineError } from '../errors/errors.ts'
import type { Connection } from './connection.ts'
import type { Database } from './database.ts'
import { compiled, patient } from './statement-timeout.ts'

/** Undoes what is open on a connection. Where that fails, the connection is closed; answers what it has failed with. */
export async function undo(
  rollback: Sql,
  connection: Connection,
  line: RawConnection | undefined,
  database: Database,
  timeoutMs: number | undefined,
): Promise<{ readonly error: unknown } | undefined> {
  try {
    await patient(connection, database, timeoutMs).executeQuery(compiled(rollback, database))
    return undefined
  } catch (error) {
    line?.close(unended(error))
    return { error }
  }
}

export const unended = (cause: unknown) =>
  fault('SERVICE_UNAVAILABLE', 'The connection is in a transaction that does not end.', { cause })

/** What a commit has failed with, or a statement that is a transaction of its own, which may have happened all the same. */
export function uncertain(error: unknown, { dialect }: Database): unknown {
  const cause = isEngineError(error) ? error.cause : error
  if (cause === undefined || !dialect.interruption?.isInDoubt(cause)) return error
  return inDoubt(dialect.faultOf(cause)?.code ?? 'INTERNAL_SERVER_ERROR', cause)
}

export const inDoubt = (code: ErrorCode, cause: unknown) =>
  fault(code, 'Nothing was heard of the end of the transaction: what was written may be stored.', {
    hint: 'Look what is there before you do it again.',
    extensions: { mayBeStored: true },
    cause,
  })
