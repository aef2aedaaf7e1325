// Retry on a busy database: writers that find it locked by another process try again a little later, one after the other.
import { fault, isEngineError } from '../errors/errors.ts'
import { withAcquireTimeout } from './acquire-timeout.ts'
import type { Database } from './database.ts'
import { orElse, type Soon } from './soon.ts'
import { hasWaited } from './write-lock.ts'

/** Work that writes. It is retried as long as it has done nothing but find the lock taken. */
export interface Attempt<Result> {
  readonly work: () => Soon<Result>
  /** True once the work has had an effect. Absent for a single statement. */
  readonly hasBegun?: () => boolean
}

export function retryWhenBusy<Result>(
  database: Database,
  signal: AbortSignal | undefined,
  attempt: Attempt<Result>,
): Soon<Result> {
  if (!database.dialect.writeLock) return attempt.work()
  // Callers that already wait go first.
  return lines.has(adapterOf(database))
    ? inLine(database, signal, attempt)
    : tryAtOnce(database, signal, attempt)
}

function tryAtOnce<Result>(
  database: Database,
  signal: AbortSignal | undefined,
  attempt: Attempt<Result>,
): Soon<Result> {
  const started = performance.now()
  return orElse(attempt.work, (error) => {
    if (!isLockedOut(error, started, attempt, database)) throw error
    return inLine(database, signal, attempt)
  })
}

/** The last waiting call of each database, by its adapter. */
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
  return withAcquireTimeout(standing, acquireTimeoutMs, { signal })
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

/** Waits longer each time, and for a random time, so that two processes do not collide again. */
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

/** Errors of calls that have waited long enough. */
const final = new WeakSet<object>()

export const isFinal = (error: unknown): boolean => final.has(Object(error))

function stillLocked(error: unknown) {
  const reported = fault('SERVICE_UNAVAILABLE', 'Another connection is writing to the database.', {
    extensions: { retryAfter: 1 },
    cause: isEngineError(error) ? error.cause : error,
  })
  final.add(reported)
  return reported
}
