// Connections with an unknown transaction state, and writes with an unknown outcome.

import { CompiledQuery } from 'kysely'
import { isOnlyConnection } from '../../dialects/connections/kysely-connections.ts'
import type { RawConnection } from '../../dialects/connections/wire.ts'
import type { Sql } from '../../dialects/sql.ts'
import { type ErrorCode, fault, isEngineError } from '../../errors/errors.ts'
import type { Connection } from '../connection.ts'
import type { Database } from '../database.ts'
import type { BoundStatement } from '../statement.ts'
import { compiled, patient } from '../statement-timeout.ts'
import { asRefusedOperand, translateError } from '../translate-errors.ts'

/** The connection of an open transaction. */
interface OpenTransaction {
  readonly connection: Connection
  readonly raw: RawConnection | undefined
  readonly timeoutMs: number | undefined
}

/** Rolls back the open transaction of a connection. If that fails, the connection is closed and the error returned. */
export async function undo(
  rollback: Sql,
  { connection, raw, timeoutMs }: OpenTransaction,
  database: Database,
): Promise<{ readonly error: unknown } | undefined> {
  try {
    await patient(connection, database, timeoutMs).executeQuery(compiled(rollback, database))
    return undefined
  } catch (error) {
    raw?.close(unended(error))
    return { error }
  }
}

export const unended = (cause: unknown) =>
  fault('SERVICE_UNAVAILABLE', 'The connection is in a transaction that does not end.', { cause })

/** Connections that cannot be closed, with a transaction that could not be rolled back. */
const inDoubt = new WeakSet<Connection>()

/** True if a connection is to be rolled back before its next use. Not inside of a transaction: it has begun, so that none was left. */
export const isInDoubt = (connection: Connection, { unit }: Database): boolean =>
  !unit && inDoubt.has(connection)

/** Rolls back where a rollback may have failed. Until that works, nothing else runs on the connection. */
export async function rollBackAgain(connection: Connection, { dialect }: Database): Promise<void> {
  const { probe, undo: rollback } = dialect.transactionStatus
  if (rollback === undefined || !isOnlyConnection(connection)) return
  const send = async (text: string) => connection.executeQuery(CompiledQuery.raw(text))
  inDoubt.add(connection)
  try {
    // A rollback of nothing fails, too: the probe shows what is open, as it begins only if no transaction is.
    await send(rollback).catch(() => undefined)
    await send(probe)
    await send(rollback)
  } catch (error) {
    throw notRolledBack(error)
  }
  inDoubt.delete(connection)
}

export const notRolledBack = (cause: unknown) =>
  fault('SERVICE_UNAVAILABLE', 'The connection is in a transaction that could not be rolled back.', {
    hint: 'Close what still reads on it, such as an iterator or a stream.',
    cause,
  })

/** Translates the error of a single statement, or of the wait for its connection. */
export function statementError(
  error: unknown,
  database: Database,
  { sql, kind }: BoundStatement,
  { isSent, signal }: { readonly isSent: boolean; readonly signal: AbortSignal | undefined },
): unknown {
  // An abort by the signal is thrown as it is, without anything of the database.
  const mayBeStored = isSent && !database.unit && isEngineError(error) && kind === 'write'
  const known = translateError(mayBeStored ? uncertain(error, database) : error, database, signal)
  return asRefusedOperand(known, sql, database)
}

/** Translates an error of a commit, or of a statement that commits by itself, which may have been stored all the same. */
export function uncertain(error: unknown, { dialect }: Database): unknown {
  const cause = isEngineError(error) ? error.cause : error
  if (cause === undefined || !dialect.interruption?.isInDoubt(cause)) return error
  return unverifiedCommit(dialect.faultOf(cause)?.code ?? 'INTERNAL_SERVER_ERROR', cause)
}

/** True for the error of a commit whose outcome is unknown. */
export const mayBeStored = (error: unknown): boolean =>
  isEngineError(error) && error.extensions.mayBeStored === true

export const unverifiedCommit = (code: ErrorCode, cause: unknown) =>
  fault(code, 'The outcome of the transaction is unknown: what was written may be stored.', {
    hint: 'Check what is stored before you repeat the call.',
    extensions: { mayBeStored: true },
    cause,
  })
