// The write lock of a database with one writer at a time. Drivers block the process while they wait for it. So
// they are set not to wait: a call that finds the lock taken tries again a little later, and everything else
// goes on meanwhile.
import { type QueryResult as Answered, CompiledQuery } from 'kysely'
import { render } from '../dialects/sql.ts'
import type { AnswerNow } from '../dialects/sync-connection.ts'
import type { WriteLockPhrases } from '../dialects/transaction-phrases.ts'
import { isEngineError } from '../errors/errors.ts'
import { tableName } from '../sql/frame.ts'
import type { Connection } from './connection.ts'
import type { Database } from './database.ts'
import { attempt } from './report-errors.ts'
import type { BoundStatement } from './statement.ts'

type QueryResult = Answered<unknown>

/** The known state of a database's lock. */
interface Door {
  /** The busy timeout that the host has set, in milliseconds; undefined while it is not known. */
  patience: number | undefined
  /** True if it could not be restored since it was changed. */
  isOwed: boolean
  /** The time of the last statement that succeeded without waiting, or right after such a one. */
  passed: number
  /** The time until which each statement changes the busy timeout first. */
  crowdedUntil: number
  /** The statement by which the lock was last taken. */
  taking: string | undefined
  connection: Connection | undefined
}

/** States by the adapters of databases: all instances derived from one instance of Kysely share one, and the
 *  same connection. */
const doors = new WeakMap<object, Door>()

function doorOf({ home }: Database): Door {
  const { adapter } = home.getExecutor()
  const known = doors.get(adapter)
  if (known) return known
  const door: Door = {
    patience: undefined,
    isOwed: false,
    passed: Number.NEGATIVE_INFINITY,
    crowdedUntil: Number.NEGATIVE_INFINITY,
    taking: undefined,
    connection: undefined,
  }
  doors.set(adapter, door)
  return door
}

/** Takes the lock at the beginning of a transaction, by the first collection with a table that can be written to. */
export async function takeWriteLock(connection: Connection, database: Database): Promise<void> {
  const { dialect, lockable } = database
  const { writeLock } = dialect
  if (!writeLock) return
  const door = doorOf(database)
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
    if (door.taking !== undefined && (await takes(door.taking))) return
    for (const collection of lockable?.() ?? []) {
      const text = render(writeLock.take(tableName(collection, dialect)), dialect).sql
      if (!(await takes(text))) continue
      door.taking = text
      return
    }
    // If no table can be written to, no lock is needed; a write elsewhere takes it then.
  })
}

/** True if a statement that writes and commits by itself is sent without waiting for the lock. Reading and
 *  setting the busy timeout costs as much as a small write, so a statement right after another skips that. */
export function waitsForNothing(database: Database, text: string): boolean {
  const { db, home, dialect } = database
  if (!dialect.writeLock || db !== home || !writing.test(text)) return false
  const door = doorOf(database)
  const now = performance.now()
  const isFollowing = now - door.passed < rightBehind && now > door.crowdedUntil
  door.passed = now
  return !isFollowing
}

const writing = /^(?:\/\* quernel \*\/ )?(?:insert|update|delete) /
const rightBehind = 1

/** True if a database always uses the same connection. In a pool each statement may run on another one, without
 *  the state of the last. */
export function isTheOnly(connection: Connection, database: Database): boolean {
  const door = doorOf(database)
  const isKnown = door.connection === connection || connection.constructor.name === 'SqliteConnection'
  door.connection = connection
  return isKnown
}

/** Runs a statement synchronously without waiting for the lock. */
export function answerWithoutWaiting(
  answer: AnswerNow,
  database: Database,
  statement: BoundStatement,
): QueryResult {
  const { writeLock } = database.dialect
  const send = () => answer(statement.sql, statement.parameters)
  const door = doorOf(database)
  const patience = writeLock && patienceNow(answer, door, writeLock)
  if (!writeLock || patience === undefined) return send()
  const set = (milliseconds: number) => answer(writeLock.setPatience(milliseconds), [])
  if (patience > 0) take(door, () => set(0))
  try {
    return send()
  } catch (error) {
    throw noted(error, door, writeLock)
  } finally {
    const giveBack = () => {
      set(patience)
      door.isOwed = false
    }
    if (patience > 0) void attempt(giveBack, undefined, database.onError)
  }
}

/** Runs work on a connection whose statements do not wait for the lock. */
export async function withoutWaiting<Result>(
  connection: Connection,
  database: Database,
  work: () => Promise<Result>,
): Promise<Result> {
  const { writeLock } = database.dialect
  const door = doorOf(database)
  const patience = writeLock && (await patienceOf(connection, door, writeLock))
  if (!writeLock || patience === undefined) return work()
  const set = (milliseconds: number) => run(connection, writeLock.setPatience(milliseconds))
  if (patience > 0) await take(door, () => set(0))
  try {
    return await work()
  } catch (error) {
    throw noted(error, door, writeLock)
  } finally {
    // The host uses the connection as well.
    const giveBack = async () => {
      await set(patience)
      door.isOwed = false
    }
    if (patience > 0) await attempt(giveBack, undefined, database.onError)
  }
}

function take<Taken>(door: Door, set: () => Taken): Taken {
  door.isOwed = true
  return set()
}

/** Reads the busy timeout. Undefined where a server does not show it. */
async function patienceOf(
  connection: Connection,
  door: Door,
  writeLock: WriteLockPhrases,
): Promise<number | undefined> {
  try {
    return patienceIn(await run(connection, writeLock.patience), door)
  } catch (error) {
    if (writeLock.isRefused(error)) return undefined
    throw error
  }
}

function patienceNow(answer: AnswerNow, door: Door, writeLock: WriteLockPhrases): number | undefined {
  try {
    return patienceIn(answer(writeLock.patience, []), door)
  } catch (error) {
    if (writeLock.isRefused(error)) return undefined
    throw error
  }
}

/** Returns the host's busy timeout. Where it could not be restored, the database reports the value set here. */
function patienceIn({ rows: [row] }: QueryResult, door: Door): number {
  const told = Number(Object.values(Object(row))[0])
  door.patience = told === 0 && door.isOwed ? (door.patience ?? 0) : told
  return door.patience
}

const run = (connection: Connection, text: string) => connection.executeQuery(CompiledQuery.raw(text))

/** Errors of statements that have not waited. */
const immediate = new WeakSet<object>()

function noted(error: unknown, door: Door, writeLock: WriteLockPhrases): unknown {
  if (!(error instanceof Error) || !writeLock.isTaken(error)) return error
  immediate.add(error)
  door.crowdedUntil = performance.now() + crowded
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
  const door = doorOf(database)
  const now = performance.now()
  door.crowdedUntil = now + crowded
  if (door.patience === 0 || (again === 'waiting for nothing' && door.patience !== undefined)) return false
  return now - started >= (door.patience ?? briefly)
}

const briefly = 100
