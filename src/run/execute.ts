import { CompiledQuery, type DatabaseConnection } from 'kysely'
import type { Dialect } from '../dialects/dialect.ts'
import type { HostDatabase } from '../dialects/host.ts'
import { fault, isEngineError, quote } from '../errors.ts'
import { interruptible } from './interrupt.ts'
import { refuseNested } from './nesting.ts'
import type { Row } from './row.ts'
import type { Filled } from './template.ts'
import { inTime } from './waiting.ts'

/** What a verb may be told besides its query. */
export interface Options {
  /** Gives up when it is aborted. */
  readonly signal?: AbortSignal | undefined
  /** How long the database may take for a statement. */
  readonly timeoutMs?: number | undefined
}

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
  readonly onQuery: ((report: QueryReport) => void) | undefined
}

/** Runs a statement and gives its rows. */
export async function execute(
  database: Database,
  statement: Filled,
  options: Options,
): Promise<readonly Row[]> {
  return connected(database, options, (connection) => runOn(connection, database, statement, options))
}

/** Does something with a connection, once there is one. */
export async function connected<Result>(
  database: Database,
  { signal }: Options,
  use: (connection: DatabaseConnection) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted()
  const isOutside = database.db === database.home
  if (isOutside && database.dialect.hasOneConnection) refuseNested(database.home)
  const executor = database.db.getExecutor()
  const work = (isWanted: () => boolean) =>
    executor.provideConnection(async (connection) => {
      // Whoever gave up has been answered already; the connection goes back at once.
      if (!isWanted()) throw fault('SERVICE_UNAVAILABLE')
      return use(connection)
    })
  return translated(() => inTime(work, database.acquireTimeoutMs, signal), database, signal)
}

export function checkMilliseconds(name: string, given: number | undefined): void {
  if (given === undefined || (Number.isFinite(given) && given > 0)) return
  throw fault('INVALID_OPTIONS', `"${name}" is a number of milliseconds above 0, not ${quote(given)}.`, {
    path: [name],
  })
}

/** Runs a statement on a connection that is already held. */
export async function runOn(
  connection: DatabaseConnection,
  database: Database,
  statement: Filled,
  { signal, timeoutMs = database.timeoutMs }: Options,
): Promise<readonly Row[]> {
  signal?.throwIfAborted()
  checkMilliseconds('timeoutMs', timeoutMs)
  const run = () => send(connection, database, statement)
  const isBound = signal !== undefined || timeoutMs !== undefined
  return isBound ? interruptible(run, connection, database, { signal, timeoutMs }) : run()
}

async function send(
  connection: DatabaseConnection,
  { onQuery }: Database,
  { sql, parameters }: Filled,
): Promise<readonly Row[]> {
  const started = onQuery ? performance.now() : 0
  const result = await connection.executeQuery<Row>(CompiledQuery.raw(sql, parameters as unknown[]))
  onQuery?.({ sql, parameters, durationMs: performance.now() - started, rows: result.rows.length })
  return result.rows
}

/** A driver's error becomes one of ours. What it says may hold SQL and values, so it goes along as the cause only. */
export async function translated<Result>(
  work: () => Promise<Result>,
  { dialect }: Database,
  signal: AbortSignal | undefined,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const isOurs = isEngineError(error) || (signal?.aborted && error === signal.reason)
    throw isOurs
      ? error
      : fault(dialect.faultOf(error) ?? 'INTERNAL_SERVER_ERROR', undefined, { cause: error })
  }
}

/** Runs a statement that answers no rows, and says how many it has changed. */
export async function affect(
  database: Database,
  { sql, parameters }: Filled,
  options: Options,
): Promise<number> {
  return connected(database, options, async (connection) => {
    const { timeoutMs = database.timeoutMs, signal } = options
    checkMilliseconds('timeoutMs', timeoutMs)
    const started = performance.now()
    const run = () => connection.executeQuery(CompiledQuery.raw(sql, parameters as unknown[]))
    const isBound = signal !== undefined || timeoutMs !== undefined
    const { numAffectedRows = 0n } = isBound
      ? await interruptible(run, connection, database, { signal, timeoutMs })
      : await run()
    const rows = Number(numAffectedRows)
    database.onQuery?.({ sql, parameters, durationMs: performance.now() - started, rows })
    return rows
  })
}
