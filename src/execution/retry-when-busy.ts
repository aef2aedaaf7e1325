// Whoever finds the database locked by another process comes back a little later, one after the other.
import { fault, isEngineError } from '../errors/errors.ts'
import { withAcquireTimeout } from './acquire-timeout.ts'
import type { Database } from './database.ts'
import { hasWaited } from './write-lock.ts'

/** Something that writes. It is tried again for as long as it has done nothing but find the lock taken. */
export interface Attempt<Result> {
  readonly work: () => Promise<Result>
  /** Absent = it is one statement. */
  readonly hasBegun?: () => boolean
}

export function retryWhenBusy<Result>(
  database: Database,
  signal: AbortSignal | undefined,
  attempt: Attempt<Result>,
): Promise<Result> {
  if (!database.dialect.writeLock) return attempt.work()
  // Whoever waits already goes first.
  return lines.has(adapterOf(database))
    ? inLine(database, signal, attempt)
    : tryAtOnce(database, signal, attempt)
}

async function tryAtOnce<Result>(
  database: Database,
  signal: AbortSignal | undefined,
  attempt: Attempt<Result>,
): Promise<Result> {
  const started = performance.now()
  try {
    return await attempt.work()
  } catch (error) {
    if (!isLockedOut(error, started, attempt, database)) throw error
    return inLine(database, signal, attempt)
  }
}

/** The last of those who wait for a database, by its adapter. */
const lines = new WeakMap<object, Promise<unknown>>()
const adapterOf = ({ home }: Database): object => home.getExecutor().adapter

function inLine<Result>(
  database: Database,
  signal: AbortSignal | undefined,
  attempt: Attempt<Result>,
): Promise<Result> {
  const { acquireTimeoutMs } = database
  const door = adapterOf(database)
  const until = performance.now() + acquireTimeoutMs
  const standing = (isWanted: () => boolean): Promise<Result> => {
    const turn = (lines.get(door) ?? Promise.resolve()).then(() => {
      if (!isWanted()) throw stillLocked(undefined)
      return persist(attempt, until, database, signal)
    })
    const last = turn
      .catch(() => undefined)
      .finally(() => {
        if (lines.get(door) === last) lines.delete(door)
      })
    lines.set(door, last)
    return turn
  }
  return withAcquireTimeout(standing, acquireTimeoutMs, signal)
}

async function persist<Result>(
  attempt: Attempt<Result>,
  until: number,
  database: Database,
  signal: AbortSignal | undefined,
): Promise<Result> {
  for (let round = 0; ; round++) {
    await pause(round)
    signal?.throwIfAborted()
    const started = performance.now()
    try {
      return await attempt.work()
    } catch (error) {
      if (!isLockedOut(error, started, attempt, database)) throw error
      if (performance.now() >= until) throw stillLocked(error)
    }
  }
}

/** Longer each time, and for each process another time, so that they do not meet again. */
async function pause(round: number): Promise<void> {
  const milliseconds = Math.min(2 ** round, longestPause) * (0.5 + Math.random())
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
}

const longestPause = 20

function isLockedOut(
  error: unknown,
  started: number,
  { hasBegun }: Attempt<unknown>,
  database: Database,
): boolean {
  const cause = isEngineError(error) ? error.cause : error
  if (!database.dialect.writeLock?.isTaken(cause) || hasBegun?.()) return false
  return !hasWaited(error, started, database, 'waiting for nothing')
}

/** Errors of those who have waited long enough. */
const final = new WeakSet<object>()

export const isFinal = (error: unknown): boolean => final.has(Object(error))

function stillLocked(error: unknown) {
  const told = fault('SERVICE_UNAVAILABLE', 'Others hold the database to write to it.', {
    extensions: { retryAfter: 1 },
    cause: isEngineError(error) ? error.cause : error,
  })
  final.add(told)
  return told
}
