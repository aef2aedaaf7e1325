// The write lock of a database with one writer at a time. Drivers block the process while they wait for it. So
// they are set not to wait: a call that finds the lock taken tries again a little later, and everything else
// goes on meanwhile.
import { type QueryResult as Answered, CompiledQuery } from 'kysely'
import { isOnlyConnection } from '../dialects/connections/kysely-connections.ts'
import type { AnswerNow, ReservedConnection } from '../dialects/connections/sync-connection.ts'
import { render } from '../dialects/sql.ts'
import type { WriteLockPhrases } from '../dialects/transaction-phrases.ts'
import { isEngineError } from '../errors/errors.ts'
import { tableName } from '../sql/frame.ts'
import type { Connection } from './connection.ts'
import type { Database } from './database.ts'
import { attempt } from './report-errors.ts'
import type { BoundStatement } from './statement.ts'

type QueryResult = Answered<unknown>

/** The known state of a database's lock. */
interface LockState {
  /** The busy timeout that the host has set, in milliseconds; undefined while it is not known. */
  busyTimeout: number | undefined
  /** True if it could not be restored since it was changed. */
  isChanged: boolean
  /** The time of the last write that was sent. */
  lastWrite: number
  /** The time until which each statement changes the busy timeout first. */
  contendedUntil: number
  /** The statement by which the lock was last taken. */
  taking: string | undefined
  connection: Connection | undefined
}

/** States by the adapters of databases: all instances derived from one instance of Kysely share one, and the
 *  same connection. */
const lockStates = new WeakMap<object, LockState>()

function lockStateOf({ home }: Database): LockState {
  const { adapter } = home.getExecutor()
  const known = lockStates.get(adapter)
  if (known) return known
  const state: LockState = {
    busyTimeout: undefined,
    isChanged: false,
    lastWrite: Number.NEGATIVE_INFINITY,
    contendedUntil: Number.NEGATIVE_INFINITY,
    taking: undefined,
    connection: undefined,
  }
  lockStates.set(adapter, state)
  return state
}

/** Takes the lock at the beginning of a transaction, by the first collection with a table that can be written to. */
export async function takeWriteLock(connection: Connection, database: Database): Promise<void> {
  const { dialect, lockable } = database
  const { writeLock } = dialect
  if (!writeLock) return
  const state = lockStateOf(database)
  const takes = async (text: string) => {
    try {
      await run(connection, text)
      return true
    } catch (error) {
      if (writeLock.isRefused(error)) return false
      throw error
    }
  }
  await withoutWaiting(connection, database, async () => {
    if (state.taking !== undefined && (await takes(state.taking))) return
    for (const collection of lockable?.() ?? []) {
      const text = render(writeLock.take(tableName(collection, dialect)), dialect).sql
      if (!(await takes(text))) continue
      state.taking = text
      return
    }
    // If no table can be written to, no lock is needed; a write elsewhere takes it then.
  })
}

/** True if a statement that writes and commits by itself is sent without waiting for the lock. */
export function waitsForNothing(database: Database, { kind }: BoundStatement): boolean {
  const { db, home, dialect } = database
  if (!dialect.writeLock || db !== home || kind !== 'write') return false
  return !isFollowing(lockStateOf(database), performance.now())
}

/** True if a write is right behind another. Reading and setting the busy timeout costs as much as a small write, so that it skips that. */
function isFollowing(state: LockState, now: number): boolean {
  const isClose = now - state.lastWrite < rightBehind && now > state.contendedUntil
  state.lastWrite = now
  return isClose
}

const rightBehind = 1

/** True if a database always uses the same connection. In a pool each statement may run on another one, without
 *  the state of the last. */
export function isTheOnly(connection: Connection, database: Database): boolean {
  const state = lockStateOf(database)
  const isKnown = state.connection === connection || isOnlyConnection(connection)
  state.connection = connection
  return isKnown
}

/** Runs a statement synchronously without waiting for the lock. */
export function answerWithoutWaiting(
  answer: AnswerNow,
  database: Database,
  statement: BoundStatement,
): QueryResult {
  return withoutWaitingNow(answer, database, () => answer(statement.sql, statement.parameters))
}

/** Begins a transaction synchronously, with the lock, without waiting for it. Where nothing can be written there is none, and none is needed. */
export function beginLocked({ answer, isAlone }: ReservedConnection, database: Database): void {
  const { writeLock } = database.dialect
  const begin = (): void => {
    try {
      answer(writeLock?.begin ?? 'begin', [])
    } catch (error) {
      if (!writeLock?.isRefused(error)) throw error
      answer('begin', [])
    }
  }
  const state = lockStateOf(database)
  const now = performance.now()
  // Of a database in memory, only a file that the host has attached can be locked by others.
  const isExpected = isFollowing(state, now) || (isAlone && now > state.contendedUntil)
  if (isExpected) begin()
  else withoutWaitingNow(answer, database, begin)
  // One that has waited for the lock is the last that does.
  if (isExpected && performance.now() - now > briefly) state.contendedUntil = now + crowded
}

function withoutWaitingNow<Result>(answer: AnswerNow, database: Database, send: () => Result): Result {
  const { writeLock } = database.dialect
  const state = lockStateOf(database)
  const busyTimeout = writeLock && busyTimeoutNow(answer, state, writeLock)
  if (!writeLock || busyTimeout === undefined) return send()
  const set = (milliseconds: number) => answer(writeLock.setBusyTimeout(milliseconds), [])
  if (busyTimeout > 0) take(state, () => set(0))
  try {
    return send()
  } catch (error) {
    throw noted(error, state, writeLock)
  } finally {
    const giveBack = () => {
      set(busyTimeout)
      state.isChanged = false
    }
    if (busyTimeout > 0) void attempt(giveBack, undefined, database.onError)
  }
}

/** Runs work on a connection whose statements do not wait for the lock. */
export async function withoutWaiting<Result>(
  connection: Connection,
  database: Database,
  work: () => Promise<Result>,
): Promise<Result> {
  const { writeLock } = database.dialect
  const state = lockStateOf(database)
  const busyTimeout = writeLock && (await busyTimeoutOf(connection, state, writeLock))
  if (!writeLock || busyTimeout === undefined) return work()
  const set = (milliseconds: number) => run(connection, writeLock.setBusyTimeout(milliseconds))
  if (busyTimeout > 0) await take(state, () => set(0))
  try {
    return await work()
  } catch (error) {
    throw noted(error, state, writeLock)
  } finally {
    // The host uses the connection as well.
    const giveBack = async () => {
      await set(busyTimeout)
      state.isChanged = false
    }
    if (busyTimeout > 0) await attempt(giveBack, undefined, database.onError)
  }
}

function take<Taken>(state: LockState, set: () => Taken): Taken {
  state.isChanged = true
  return set()
}

/** Reads the busy timeout. Undefined where a server does not show it. */
async function busyTimeoutOf(
  connection: Connection,
  state: LockState,
  writeLock: WriteLockPhrases,
): Promise<number | undefined> {
  try {
    return busyTimeoutIn(await run(connection, writeLock.busyTimeout), state)
  } catch (error) {
    if (writeLock.isRefused(error)) return undefined
    throw error
  }
}

function busyTimeoutNow(answer: AnswerNow, state: LockState, writeLock: WriteLockPhrases) {
  try {
    return busyTimeoutIn(answer(writeLock.busyTimeout, []), state)
  } catch (error) {
    if (writeLock.isRefused(error)) return undefined
    throw error
  }
}

/** Returns the host's busy timeout. Where it could not be restored, the database reports the value set here. */
function busyTimeoutIn({ rows: [row] }: QueryResult, state: LockState): number {
  const reported = Number(Object.values(Object(row))[0])
  state.busyTimeout = reported === 0 && state.isChanged ? (state.busyTimeout ?? 0) : reported
  return state.busyTimeout
}

const run = (connection: Connection, text: string) => connection.executeQuery(CompiledQuery.raw(text))

/** Errors of statements that have not waited. */
const immediate = new WeakSet<object>()

function noted(error: unknown, state: LockState, writeLock: WriteLockPhrases): unknown {
  if (!(error instanceof Error) || !writeLock.isTaken(error)) return error
  immediate.add(error)
  state.contendedUntil = performance.now() + crowded
  return error
}

/** The milliseconds for which every statement changes the busy timeout first, after one has found the lock taken. */
const crowded = 10_000

/** True if a statement that found the lock taken has blocked the process while it waited. `again` is how the
 *  same would run next time. */
export function hasWaited(
  error: unknown,
  started: number,
  database: Database,
  again: 'likewise' | 'waiting for nothing',
): boolean {
  const cause = isEngineError(error) ? error.cause : error
  if (!database.dialect.writeLock?.isTaken(cause) || immediate.has(Object(cause))) return false
  const state = lockStateOf(database)
  const now = performance.now()
  state.contendedUntil = now + crowded
  if (state.busyTimeout === 0 || (again === 'waiting for nothing' && state.busyTimeout !== undefined))
    return false
  return now - started >= (state.busyTimeout ?? briefly)
}

const briefly = 100
