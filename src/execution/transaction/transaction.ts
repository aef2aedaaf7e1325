import { type ReservedConnection, reserveConnection } from '../../dialects/connections/sync-connection.ts'
import type { HostTransaction } from '../../dialects/host.ts'
import { isEngineError } from '../../errors/errors.ts'
import { withAcquireTimeout } from '../acquire-timeout.ts'
import { checkMilliseconds, type Database, type Options } from '../database.ts'
import { refuseNested } from '../deadlock-guard.ts'
import { connected } from '../execute.ts'
import { attempt as reporting } from '../report-errors.ts'
import { retryWhenBusy } from '../retry-when-busy.ts'
import { orElse, type Soon, soon } from '../soon.ts'
import { patient } from '../statement-timeout.ts'
import { translateError } from '../translate-errors.ts'
import { beginLocked, takeWriteLock } from '../write-lock.ts'
import { nobodyWaits, runTransaction } from './begin.ts'
import { isolate } from './isolation-level.ts'

interface Outcome<Result> {
  failure?: { readonly error: unknown }
  stored?: { readonly result: Result; readonly reported: Promise<void> | undefined }
}

/** Runs work in a transaction of its own, with the usual timeout for its connection, and calls `notify` after
 *  the commit. An error of the work is thrown as it is. It makes no promise if nothing has to be waited for. */
export function inTransaction<Result>(
  database: Database,
  work: (transaction: HostTransaction, isLeft: () => boolean) => Soon<Result>,
  notify: () => Promise<void> | undefined,
  { signal, timeoutMs = database.timeoutMs }: Options = {},
): Soon<Result> {
  const { home, dialect, acquireTimeoutMs } = database
  checkMilliseconds('timeoutMs', timeoutMs)
  if (dialect.hasOneConnection) refuseNested(home)
  const outcome: Outcome<Result> = {}
  let hasBegun = false
  const failed = (error: unknown) => {
    // An error of the work itself is no error of the driver.
    outcome.failure = { error }
    throw error
  }
  const run = (isWanted: () => boolean, isLeft: () => boolean, reserved: ReservedConnection | undefined) => {
    const begun = (transaction: HostTransaction, isGivenUp: () => boolean) => {
      if (!isWanted()) throw nobodyWaits()
      hasBegun = true
      return orElse(() => work(transaction, isGivenUp), failed)
    }
    const ran = reserved
      ? inReservedTransaction(reserved, database, isLeft, (transaction) => begun(transaction, isLeft))
      : runTransaction(database, { timeoutMs, isLeft }, async (transaction, own, isGivenUp) => {
          await isolate(patient(own, database, timeoutMs), database)
          await takeWriteLock(own, database)
          return begun(transaction, isGivenUp)
        })
    return soon(ran, (result) => {
      // Also if the caller has given up: the commit has happened.
      outcome.stored = { result, reported: notify() }
      return result
    })
  }
  const attempt = () => {
    // The caller may have given up between two attempts.
    signal?.throwIfAborted()
    const reserved = reservedFor(database)
    // The connection is there without a wait, and only a signal can abort meanwhile.
    if (reserved && !signal) return run(always, never, reserved)
    const waiting = async (isWanted: () => boolean, isLeft: () => boolean) => {
      // The signal is listened to once this has returned, and a hook may abort it.
      await undefined
      return run(isWanted, isLeft, reserved)
    }
    return withAcquireTimeout(waiting, acquireTimeoutMs, { signal })
  }
  const reported = (result: Result) => soon(outcome.stored?.reported, () => result)
  return orElse(
    () => soon(retryWhenBusy(database, signal, { work: attempt, hasBegun: () => hasBegun }), reported),
    (error) => {
      // A hook behind the commit may abort the signal.
      if (outcome.stored) return reported(outcome.stored.result)
      if (outcome.failure) throw outcome.failure.error
      const known = translateError(error, database, signal)
      if (isEngineError(known) && dialect.faultOf(known.cause)?.lacksTransactions) withoutAny.add(home)
      throw known
    },
  )
}

/** Databases whose driver has refused to begin a transaction. */
const withoutAny = new WeakSet<object>()

/** True if the driver of a database is known to have no transactions. */
export const lacksTransactions = (home: object): boolean => withoutAny.has(home)

const always = () => true
const never = () => false

// A transaction on a connection that is free at once, and responds at once: what takes a dozen promises elsewhere takes one.

/** Returns the connection of a database for a transaction. Undefined where it has to be waited for. */
const reservedFor = ({ home, dialect }: Database): ReservedConnection | undefined =>
  dialect.writeLock && !dialect.interruption && !dialect.settings ? reserveConnection(home) : undefined

/** Runs work in a transaction on a connection, commits it, and gives the connection back. */
function inReservedTransaction<Result>(
  reserved: ReservedConnection,
  database: Database,
  isLeft: () => boolean,
  work: (transaction: HostTransaction) => Soon<Result>,
): Soon<Result> {
  let isOpen = false
  const commit = (result: Result) => {
    if (isLeft()) throw nobodyWaits()
    reserved.end('committed')
    reserved.answer('commit', [])
    reserved.giveBack()
    return result
  }
  const begin = () => {
    if (isLeft()) throw nobodyWaits()
    beginLocked(reserved, database)
    isOpen = true
    return soon(work(reserved.transaction), commit)
  }
  return orElse(begin, (error) => {
    try {
      if (isOpen) reserved.end('rolled back')
      // The caller gets the error of the work.
      if (isOpen) void reporting(() => reserved.rollback(), undefined, database.onError)
    } finally {
      reserved.giveBack()
    }
    throw error
  })
}

/** Throws if the transaction that a database works in is over: the database would end it silently. */
export async function requireOpen(database: Database, options: Options): Promise<void> {
  const { unit, dialect } = database
  const { timeoutMs = database.timeoutMs } = options
  if (!unit || unit.state.isCertain) return
  await connected(database, options, (own) => unit.state.prove(patient(own, database, timeoutMs), dialect))
}
