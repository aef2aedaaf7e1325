import { CompiledQuery, type QueryResult } from 'kysely'
import type { Dialect, DriverFault, Isolation } from '../dialects/dialect.ts'
import type { HostDatabase } from '../dialects/host.ts'
import { idleConnection } from '../dialects/idle.ts'
import { fault, isEngineError, quote } from '../errors.ts'
import { abortSignal, anything, optionNames } from '../options.ts'
import type { Collection } from '../schema/model.ts'
import { attempt, type Hears } from './attempt.ts'
import { transact } from './begun.ts'
import type { Course } from './course.ts'
import { uncertain } from './doubt.ts'
import { interruptible } from './interrupt.ts'
import { type Connection, withConnection } from './lending.ts'
import { refuseNested } from './nesting.ts'
import { patient } from './patience.ts'
import type { Row } from './row.ts'
import { getToKnow, isKnown, requireTimeLimits } from './server.ts'
import { type Soon, unlessFailed } from './soon.ts'
import type { Filled } from './template.ts'
import { inTime } from './waiting.ts'
import { answerWithoutWaiting, isTheOnly, waitsForNothing, withoutWaiting } from './write-lock.ts'

/** What a verb may be told besides its query. */
export interface Options {
  /** Gives up when it is aborted. A write that is on its way may be stored all the same. */
  readonly signal?: AbortSignal | undefined
  /** How long the database may take for a statement. */
  readonly timeoutMs?: number | undefined
}

/** Which values it is any of is found out where it is used. */
export const callKinds = { signal: abortSignal, timeoutMs: anything }
export const callOptions = optionNames<Options>(callKinds)

/** One statement that was run. */
export interface QueryReport {
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly durationMs: number
  readonly rows: number
}

export interface Database {
  readonly db: HostDatabase
  /** The same outside of any transaction. */
  readonly home: HostDatabase
  readonly dialect: Dialect
  readonly timeoutMs: number | undefined
  readonly acquireTimeoutMs: number
  /** How many streams may hold a connection at a time; half of the pool unless told otherwise. */
  readonly maxStreams?: number | undefined
  readonly onQuery: ((report: QueryReport) => void) | undefined
  /** How transactions of ours are kept apart from others; undefined as the database has them. */
  readonly isolation?: Isolation | undefined
  /** The collections by whose tables a lock of the whole database may be taken. */
  readonly lockable?: (() => Iterable<Collection>) | undefined
  readonly onError: Hears<never>
  /** The transaction or savepoint that statements are a part of; undefined where each is stored by itself. */
  readonly unit?: { readonly course: Course } | undefined
}

/** Runs a statement and gives its rows. */
export async function execute(
  database: Database,
  statement: Filled,
  options: Options,
): Promise<readonly Row[]> {
  const rows = executeSoon(database, statement, options)
  return rows instanceof Promise ? await rows : rows
}

/** The same, for whoever need not wait where the database answers at once. */
export function executeSoon(database: Database, statement: Filled, options: Options): Soon<readonly Row[]> {
  const { careful } = statement
  const run = () => told(database, statement, options, ({ rows }) => rows)
  return careful ? unlessBeyondJson(database, run, () => executeSoon(database, careful(), options)) : run()
}

/** Does something else where JSON cannot hold what stands in the rows. */
export const unlessBeyondJson = <Answer>(
  { dialect }: Database,
  asJson: () => Soon<Answer>,
  otherwise: () => Soon<Answer>,
): Soon<Answer> =>
  unlessFailed(asJson, (error) => {
    if (error instanceof Error && dialect.isBeyondJson?.(error.cause)) return otherwise()
    throw error
  })

/** Runs a statement that answers no rows, and says how many it has changed. */
export async function affect(database: Database, statement: Filled, options: Options): Promise<number> {
  return await told(database, statement, options, ({ numAffectedRows }) => Number(numAffectedRows ?? 0n))
}

/** Runs a statement that inserts rows and answers none. Gives the number of the last of them, where the driver tells it. */
export function lastInserted(
  database: Database,
  statement: Filled,
  options: Options,
): Soon<bigint | undefined> {
  return told(database, statement, options, ({ insertId }) => insertId)
}

function told<Told>(
  database: Database,
  statement: Filled,
  options: Options,
  of: (result: QueryResult<Row>) => Told,
): Soon<Told> {
  const now = answeredNow(database, statement, options)
  return now ? of(now) : toldLater(database, statement, options, of)
}

async function toldLater<Told>(
  database: Database,
  statement: Filled,
  options: Options,
  of: (result: QueryResult<Row>) => Told,
): Promise<Told> {
  let isSent = false
  try {
    if (isLimited(database, options)) return of(await inLimit(database, statement, options))
    const result = await connected(database, options, (own) => {
      isSent = true
      return resultInCourse(own, database, statement, options)
    })
    return of(result)
  } catch (error) {
    // What gave up by its signal is told that, and nothing of the database.
    const mayBeStored = isSent && !database.unit && isEngineError(error) && writing.test(statement.sql)
    throw translation(mayBeStored ? uncertain(error, database) : error, database, options.signal)
  }
}

/** Texts of statements that write; values are never among them. */
const writing = /\b(?:insert into|update|delete from) /

/** Whether a server is to end a single statement that takes too long. */
const isLimited = ({ db, home, dialect, timeoutMs: own }: Database, { timeoutMs = own }: Options): boolean =>
  db === home && dialect.interruption !== undefined && timeoutMs !== undefined

/** A transaction ends the limit with itself. Anything else could leave it to whoever has the connection next. */
async function inLimit(database: Database, statement: Filled, options: Options): Promise<QueryResult<Row>> {
  const { signal, timeoutMs = database.timeoutMs } = options
  signal?.throwIfAborted()
  checkMilliseconds('timeoutMs', timeoutMs)
  const work = (isWanted: () => boolean, isLeft: () => boolean) =>
    transact(database, { timeoutMs, isLeft }, (_, own) => {
      isWanted()
      return resultOn(own, database, statement, options, 'last')
    })
  return inTime(work, database.acquireTimeoutMs, signal)
}

/** What a single statement answers at once, where nobody has the connection: then nobody can come between. Undefined where it has to be
 *  waited for. */
function answeredNow(
  database: Database,
  { sql, parameters, isPacked }: Filled,
  { signal, timeoutMs = database.timeoutMs }: Options,
): QueryResult<Row> | undefined {
  const answer = database.db === database.home ? idleConnection(database.db) : undefined
  // What answers at once cannot be interrupted.
  if (!answer || database.dialect.interruption) return undefined
  checkMilliseconds('timeoutMs', timeoutMs)
  signal?.throwIfAborted()
  const { onQuery } = database
  const started = onQuery ? performance.now() : 0
  try {
    const answered = waitsForNothing(database, sql)
      ? answerWithoutWaiting(answer, database, { sql, parameters })
      : answer(sql, parameters)
    const given = answered as QueryResult<Row> // rows are read by their positions
    const result = isPacked ? unpacked(given) : given
    if (onQuery) report(database, { sql, parameters }, result, started)
    return result
  } catch (error) {
    throw translation(error, database, undefined)
  }
}

/** Does something with a connection, once there is one. */
export async function connected<Result>(
  database: Database,
  { signal, timeoutMs = database.timeoutMs }: Options,
  use: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted()
  const isOutside = database.db === database.home
  if (isOutside && database.dialect.hasOneConnection) refuseNested(database.home)
  const work = (isWanted: () => boolean) =>
    withConnection(database.db, (connection) => {
      // Whoever gave up has been answered already; the connection goes back at once.
      if (!isWanted()) throw fault('SERVICE_UNAVAILABLE')
      if (isKnown(database)) return use(connection)
      return getToKnow(patient(connection, database, timeoutMs), database).then(() => use(connection))
    })
  try {
    return await inTime(work, database.acquireTimeoutMs, signal)
  } catch (error) {
    throw translation(error, database, signal)
  }
}

export function checkMilliseconds(name: string, given: number | undefined): void {
  if (given === undefined || (Number.isFinite(given) && given > 0)) return
  throw fault('INVALID_OPTIONS', `"${name}" is a number of milliseconds above 0, not ${quote(given)}.`, {
    path: [name],
  })
}

/** Runs a statement on a connection that is already held. */
export async function runOn(
  connection: Connection,
  database: Database,
  statement: Filled,
  options: Options,
): Promise<readonly Row[]> {
  const { rows } = await resultOn(connection, database, statement, options)
  return rows
}

/** Fails where the transaction that a database works in does not go on: the database would end it in silence. */
export async function requireCourse(database: Database, options: Options): Promise<void> {
  const { unit, dialect } = database
  const { timeoutMs = database.timeoutMs } = options
  if (!unit || unit.course.isCertain) return
  await connected(database, options, (own) => unit.course.prove(patient(own, database, timeoutMs), dialect))
}

function resultInCourse(
  connection: Connection,
  database: Database,
  statement: Filled,
  options: Options,
): Promise<QueryResult<Row>> {
  const { unit, dialect } = database
  const { timeoutMs = database.timeoutMs } = options
  const send = () => resultAlone(connection, database, statement, options)
  return unit ? unit.course.send(patient(connection, database, timeoutMs), dialect, send) : send()
}

/** A statement that writes does not stop the process while others do, where the connection is known to be the one that the next takes. */
function resultAlone(
  connection: Connection,
  database: Database,
  statement: Filled,
  options: Options,
): Promise<QueryResult<Row>> {
  const send = () => resultOn(connection, database, statement, options)
  if (!waitsForNothing(database, statement.sql) || !isTheOnly(connection, database)) return send()
  return withoutWaiting(connection, database, send)
}

function resultOn(
  connection: Connection,
  database: Database,
  statement: Filled,
  { signal, timeoutMs = database.timeoutMs }: Options,
  place?: 'last',
): Promise<QueryResult<Row>> {
  if (signal === undefined && timeoutMs === undefined) return send(connection, database, statement)
  signal?.throwIfAborted()
  checkMilliseconds('timeoutMs', timeoutMs)
  const run = (own: Connection) => send(own, database, statement)
  if (timeoutMs !== undefined) requireTimeLimits(database)
  const bounds = { signal, timeoutMs, statement: statement.sql, isLast: place === 'last' }
  return interruptible(run, connection, database, bounds)
}

/** What Kysely's own executors want to know besides. Drivers look at the text and the values alone, and each call would make it anew. */
const unnamed = CompiledQuery.raw('')

async function send(
  connection: Connection,
  database: Database,
  { sql, parameters, isPacked }: Filled,
): Promise<QueryResult<Row>> {
  const started = performance.now()
  const given = await connection.executeQuery<Row>({ ...unnamed, sql, parameters })
  const result = isPacked ? unpacked(given) : given
  if (database.onQuery) report(database, { sql, parameters }, result, started)
  return result
}

/** The rows that one text holds. */
const unpacked = ({ rows }: QueryResult<Row>): QueryResult<Row> => ({
  rows: rows.flatMap((row): readonly Row[] => JSON.parse(String(row[0]))),
})

/** Reports come after the fact: one that fails changes nothing of what was run. */
function report(
  { onQuery, onError }: Database,
  { sql, parameters }: Filled,
  result: QueryResult<Row>,
  started: number,
): void {
  const rows = result.rows.length || Number(result.numAffectedRows ?? 0)
  const durationMs = performance.now() - started
  void attempt(() => onQuery?.({ sql, parameters, durationMs, rows }), undefined, onError)
}

/** Runs a statement that begins or ends a part of a transaction. The server sets it no limit: to take that back would take more, and is not
 *  possible where something has failed. */
export function steer(
  database: Database,
  sql: string,
  { timeoutMs = database.timeoutMs }: Options,
): Promise<unknown> {
  const statement = { sql, parameters: [] }
  const { unit, dialect } = database
  const run = (connection: Connection) => {
    const own = patient(connection, database, timeoutMs)
    const work = () => send(own, database, statement)
    return unit ? unit.course.send(own, dialect, work) : work()
  }
  return translated(() => withConnection(database.db, run), database, undefined)
}

/** Does something whose errors are ours in the end. */
export async function translated<Result>(
  work: () => Promise<Result>,
  database: Database,
  signal: AbortSignal | undefined,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw translation(error, database, signal)
  }
}

/** A driver's error becomes one of ours. What it says may hold SQL and values, so it goes along as the cause only. */
function translation(error: unknown, { dialect }: Database, signal: AbortSignal | undefined): unknown {
  if (isEngineError(error) || (signal?.aborted && error === signal.reason)) return error
  const { code, says } = dialect.faultOf(error) ?? unknownFault
  return fault(code, says, { cause: error })
}

const unknownFault: DriverFault = { code: 'INTERNAL_SERVER_ERROR' }
