import type { QueryResult } from 'kysely'
import type { Readers } from '../dialects/connections/readers.ts'
import { isMarked } from '../dialects/connections/statement-mark.ts'
import { idleConnection } from '../dialects/connections/sync-connection.ts'
import type { Row } from '../rows/row.ts'
import { type OnLeave, withAcquireTimeout } from './acquire-timeout.ts'
import { cancellable } from './cancel.ts'
import { type Connection, withConnection } from './connection.ts'
import { checkMilliseconds, type Database, type Options } from './database.ts'
import { refuseNested } from './deadlock-guard.ts'
import { isPrepared, prepareConnection } from './prepare-connection.ts'
import { runAlone, senderFor } from './run-alone.ts'
import { report, sendStatement } from './send-statement.ts'
import { requireTimeLimits } from './server-version.ts'
import { orElse, type Soon } from './soon.ts'
import type { BoundStatement } from './statement.ts'
import { closingIfLeft, grace, patient } from './statement-timeout.ts'
import { nobodyWaits, runTransaction } from './transaction/begin.ts'
import { statementError } from './transaction/uncertain-commit.ts'
import { isBeyondJson, translateError } from './translate-errors.ts'
import { confirmed } from './uniqueness.ts'
import { answerWithoutWaiting, isTheOnly, waitsForNothing, withoutWaiting } from './write-lock.ts'

/** Runs a statement and returns its rows. */
export async function execute(
  database: Database,
  statement: BoundStatement,
  options: Options,
): Promise<readonly Row[]> {
  return executeSoon(database, statement, options)
}

/** Runs a statement, without a promise if the database responds synchronously: a promise and a turn of the queue cost
 *  more than a small statement. */
export function executeSoon(
  database: Database,
  statement: BoundStatement,
  options: Options,
): readonly Row[] | Promise<readonly Row[]> {
  const { lossless } = statement
  if (lossless) return executeAsJson(database, statement, lossless, options)
  return runStatement(database, statement, options, ({ rows }) => rows)
}

/** Runs a statement whose rows come as JSON, and the careful one if JSON cannot represent their values. */
function executeAsJson(
  database: Database,
  statement: BoundStatement,
  lossless: () => BoundStatement,
  options: Options,
): readonly Row[] | Promise<readonly Row[]> {
  return orElse(
    () => runStatement(database, statement, options, ({ rows }) => rows),
    (error) => {
      if (!isBeyondJson(database, error)) throw error
      return execute(database, lossless(), options)
    },
  )
}

/** Runs a statement without result rows, and returns the number of rows it has changed: without a promise if the database responds synchronously. */
export const affect = (database: Database, statement: BoundStatement, options: Options): Soon<number> =>
  runStatement(database, statement, options, ({ numAffectedRows }) => Number(numAffectedRows ?? 0n))

/** Runs an insert of some rows without result rows. Returns the id of the last one, if all are inserted and the driver has it. */
export function lastInserted(
  database: Database,
  rows: number,
  statement: BoundStatement,
  options: Options,
): bigint | undefined | Promise<bigint | undefined> {
  return runStatement(database, statement, options, ({ insertId, numAffectedRows }) =>
    numAffectedRows === BigInt(rows) ? insertId : undefined,
  )
}

function runStatement<Returned>(
  database: Database,
  statement: BoundStatement,
  options: Options,
  of: (result: QueryResult<Row>) => Returned,
): Returned | Promise<Returned> {
  if (statement.kind) database.gate?.beforeWrite()
  const unsure = statement.relies && confirmColumns(database, statement, options)
  if (unsure) return unsure.then(() => runStatement(database, statement, options, of))
  const isRead = database.readers && statement.kind === undefined && isMarked(statement.sql)
  const readers = isRead ? database.readers?.() : undefined
  const place = readers?.placeOf(statement.sql, statement.parameters)
  if (readers && place?.reason !== undefined) return inReader(readers, database, { statement, options, of })
  const started = place?.isTimed ? performance.now() : undefined
  const now = answeredNow(database, statement, options)
  if (now && started !== undefined) readers?.note(statement.sql, performance.now() - started)
  if (now) return of(now)
  const send = senderFor(database, options)
  const later = () => runStatementLater(database, statement, options, of)
  return send
    ? runAlone(send, database, statement, { signal: options.signal, of, otherwise: later })
    : later()
}

interface ReadCall<Returned> {
  readonly statement: BoundStatement
  readonly options: Options
  readonly of: (result: QueryResult<Row>) => Returned
}

function inReader<Returned>(
  readers: Readers,
  database: Database,
  { statement, options, of }: ReadCall<Returned>,
): Promise<Returned> {
  database.gate?.beforeHeavy()
  // A call inside of a transaction that reads outside of it is refused, whatever it reads.
  if (database.dialect.hasOneConnection) refuseNested(database.home)
  const { db } = readers
  const reader: Database = { ...database, db, home: db, readers: undefined }
  return Promise.resolve(runStatement(reader, statement, options, of)).catch((error: unknown) => {
    if (!readers.cannotRun(statement.sql, error)) throw error
    return runStatement({ ...database, readers: undefined }, statement, options, of)
  })
}

/** Returns a database whose readers, if it has some, run all reads. */
export function inReaders<Own extends Database>(database: Own): Own {
  const { readers } = database
  return readers ? { ...database, readers: () => readers()?.forStreams } : database
}

/** Asks for the columns on which a statement relies. Undefined if all are known to be unique. */
export const confirmColumns = (database: Database, statement: BoundStatement, options: Options) =>
  confirmed(statement, database, (asking) => executeSoon(database, asking, options))

async function runStatementLater<Returned>(
  database: Database,
  statement: BoundStatement,
  options: Options,
  of: (result: QueryResult<Row>) => Returned,
): Promise<Returned> {
  let isSent = false
  try {
    if (isLimited(database, options)) return of(await inLimit(database, statement, options))
    const result = await connected(database, options, (own) => {
      isSent = true
      return resultInTransaction(own, database, statement, options)
    })
    return of(result)
  } catch (error) {
    throw statementError(error, database, statement, { isSent, signal: options.signal })
  }
}

/** True if the server enforces a timeout on a single statement. */
const isLimited = ({ db, home, dialect, timeoutMs: own }: Database, { timeoutMs = own }: Options): boolean =>
  db === home && dialect.interruption !== undefined && timeoutMs !== undefined

/** Runs a statement in a transaction, which ends the timeout with itself. Otherwise the timeout could stay on
 *  the connection for its next user. */
async function inLimit(
  database: Database,
  statement: BoundStatement,
  options: Options,
): Promise<QueryResult<Row>> {
  const { signal, timeoutMs = database.timeoutMs } = options
  signal?.throwIfAborted()
  checkMilliseconds('timeoutMs', timeoutMs)
  const work = (isWanted: () => boolean, isLeft: () => boolean) =>
    runTransaction(database, { timeoutMs, isLeft }, async (_, own) => {
      if (!isWanted()) throw nobodyWaits()
      return resultOn(own, database, statement, { signal, timeoutMs, isLast: true })
    })
  return withAcquireTimeout(work, database.acquireTimeoutMs, { signal })
}

/** Runs a single statement synchronously if the connection is idle: then no other call can come between.
 *  Returns undefined if it has to wait. */
export function answeredNow(
  database: Database,
  statement: BoundStatement,
  { signal, timeoutMs = database.timeoutMs }: Options,
): QueryResult<Row> | undefined {
  const { db, home, unit, dialect, onQuery } = database
  const { sql, parameters } = statement
  const answer = db === home || unit?.state.isOpenNow(db) ? idleConnection(db) : undefined
  // A synchronous statement cannot be interrupted.
  if (!answer || dialect.interruption || dialect.settings) return undefined
  checkMilliseconds('timeoutMs', timeoutMs)
  signal?.throwIfAborted()
  const started = onQuery ? performance.now() : 0
  try {
    const answered = waitsForNothing(database, statement)
      ? answerWithoutWaiting(answer, database, statement)
      : answer(sql, parameters)
    const result = answered as QueryResult<Row> // rows are read by their positions
    if (onQuery) report(database, statement, result, started)
    return result
  } catch (error) {
    if (unit) unit.state.fail(error, db, dialect)
    throw translateError(error, database, undefined)
  }
}

/** Runs work with a connection, once there is one. */
export function connected<Result>(
  database: Database,
  { signal, timeoutMs = database.timeoutMs }: Options,
  use: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted()
  const isOutside = database.db === database.home
  if (isOutside && database.dialect.hasOneConnection) refuseNested(database.home)
  database.unit?.state.requireOn(database.dialect)
  const work = (isWanted: () => boolean, _: unknown, onLeave: OnLeave) => {
    const begun = (connection: Connection) => {
      // The connection goes back at once.
      if (!isWanted()) throw nobodyWaits()
      return closingIfLeft(connection, database, () => {
        if (isPrepared(connection, database)) return use(connection)
        return prepareConnection(connection, database, timeoutMs).then(() => use(connection))
      })
    }
    return withConnection(database.db, begun, onLeave)
  }
  // In a transaction others follow on the connection, and its end does: first the statement is ended there.
  const waiting = { signal, patience: isOutside ? 0 : grace }
  return withAcquireTimeout(work, database.acquireTimeoutMs, waiting, (error) =>
    translateError(error, database, signal),
  )
}

/** Runs a statement on a connection that the caller already has. */
export async function runOn(
  connection: Connection,
  database: Database,
  statement: BoundStatement,
  options: Options,
): Promise<readonly Row[]> {
  const { rows } = await resultOn(connection, database, statement, options)
  return rows
}

function resultInTransaction(
  connection: Connection,
  database: Database,
  statement: BoundStatement,
  options: Options,
): Promise<QueryResult<Row>> {
  const { unit, dialect } = database
  const { timeoutMs = database.timeoutMs } = options
  const send = () => resultAlone(connection, database, statement, options)
  return unit ? unit.state.send(patient(connection, database, timeoutMs), dialect, send) : send()
}

/** Runs a single statement. One that writes does not wait for the write lock inside the driver, which would
 *  block the process, if the next statement is known to use the same connection. */
function resultAlone(
  connection: Connection,
  database: Database,
  statement: BoundStatement,
  options: Options,
): Promise<QueryResult<Row>> {
  const send = () => resultOn(connection, database, statement, options)
  if (!waitsForNothing(database, statement) || !isTheOnly(connection, database)) return send()
  return withoutWaiting(connection, database, send)
}

function resultOn(
  connection: Connection,
  database: Database,
  statement: BoundStatement,
  { signal, timeoutMs = database.timeoutMs, isLast = false }: Options & { readonly isLast?: boolean },
): Promise<QueryResult<Row>> {
  if (signal === undefined && timeoutMs === undefined) return sendStatement(connection, database, statement)
  signal?.throwIfAborted()
  checkMilliseconds('timeoutMs', timeoutMs)
  const run = (own: Connection) => sendStatement(own, database, statement)
  if (timeoutMs !== undefined) requireTimeLimits(database)
  const bounds = { signal, timeoutMs, statement: statement.sql, isLast }
  return cancellable(run, connection, database, bounds)
}
