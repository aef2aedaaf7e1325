// The lock of a database that one connection writes to at a time. Drivers stop the process while they wait for it. So they are told to wait
// for nothing: whoever finds the lock taken tries again a little later, and everything else goes on meanwhile.
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

/** What is known of a database. */
interface Door {
  /** How long the host lets statements wait; undefined while it is not known. */
  patience: number | undefined
  /** Whether that could not be set again since it was taken. */
  isOwed: boolean
  /** When the last statement got through that waits for nothing, or came right behind such a one. */
  passed: number
  /** Until when it is better to ask before. */
  crowdedUntil: number
  /** The statement by which the lock was taken before. */
  taking: string | undefined
  connection: Connection | undefined
}

/** By the adapters of databases: all that is made of one instance of Kysely has one, and the same connection. */
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

/** Takes the lock at the beginning of a transaction, by the first collection that has a table to be written to. */
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
    // Whatever cannot be written to needs no lock, and what writes elsewhere takes it then.
  })
}

/** How a statement is sent that writes and is a transaction of its own. To ask for and set how long it waits costs as much as a small write
 *  does. So one that comes right behind another takes its chance. */
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

/** Whether a database gives everybody the same connection. Of a pool each statement may run on another one, and know nothing of the last. */
export function isTheOnly(connection: Connection, database: Database): boolean {
  const door = doorOf(database)
  const isKnown = door.connection === connection || connection.constructor.name === 'SqliteConnection'
  door.connection = connection
  return isKnown
}

/** Sends a statement that does not wait for the lock. */
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

/** Does something on a connection whose statements do not wait for the lock. */
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
    // The connection is the host's as much as ours.
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

/** Undefined where a server lets nobody see it. */
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

/** Where it could not be set again, the database tells what we have made of it. */
function patienceIn({ rows: [row] }: QueryResult, door: Door): number {
  const told = Number(Object.values(Object(row))[0])
  door.patience = told === 0 && door.isOwed ? (door.patience ?? 0) : told
  return door.patience
}

const run = (connection: Connection, text: string) => connection.executeQuery(CompiledQuery.raw(text))

/** Errors of what has not waited. */
const immediate = new WeakSet<object>()

function noted(error: unknown, door: Door, writeLock: WriteLockPhrases): unknown {
  if (!(error instanceof Error) || !writeLock.isTaken(error)) return error
  immediate.add(error)
  door.crowdedUntil = performance.now() + crowded
  return error
}

/** How long nobody takes a chance after somebody has found the lock taken. */
const crowded = 10_000

/** Whether what found the lock taken has stopped the process for that. `again`: whether the same would be done in the same way. */
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
