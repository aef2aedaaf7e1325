import type { HostTransaction } from '../dialects/host.ts'
import { fault } from '../errors/errors.ts'
import { withAcquireTimeout } from './acquire-timeout.ts'
import { runTransaction } from './begin.ts'
import { checkMilliseconds, type Database, type Options } from './database.ts'
import { refuseNested, whileHolding } from './deadlock-guard.ts'
import { translated } from './execute.ts'
import { isolate } from './isolation-level.ts'
import { retryWhenBusy } from './retry-when-busy.ts'
import { patient } from './statement-timeout.ts'
import { takeWriteLock } from './write-lock.ts'

interface Outcome {
  failure?: { readonly error: unknown }
  told?: Promise<void>
}

/** Does something in a transaction of its own, on a connection that is waited for no longer than for any other, and tells once it is
 *  committed. What the work throws is thrown as it is. */
export async function inTransaction<Result>(
  database: Database,
  work: (transaction: HostTransaction) => Promise<Result>,
  tell: () => Promise<void>,
  { signal, timeoutMs = database.timeoutMs }: Options = {},
): Promise<Result> {
  const { home, dialect, acquireTimeoutMs } = database
  checkMilliseconds('timeoutMs', timeoutMs)
  if (dialect.hasOneConnection) refuseNested(home)
  const outcome: Outcome = {}
  let hasBegun = false
  const run = async (isWanted: () => boolean, isLeft: () => boolean) => {
    const result = await runTransaction(database, { timeoutMs, isLeft }, async (transaction, own) => {
      await isolate(patient(own, database, timeoutMs), database)
      await takeWriteLock(own, database)
      // Whoever gave up has been answered already.
      if (!isWanted()) throw fault('SERVICE_UNAVAILABLE')
      hasBegun = true
      return kept(outcome, () => whileHolding(home, () => work(transaction)))
    })
    // Also when the caller waits no more: it has happened.
    outcome.told = tell()
    return result
  }
  const attempt = () => {
    // It may have been left between two attempts.
    signal?.throwIfAborted()
    return translated(() => withAcquireTimeout(run, acquireTimeoutMs, signal), database, signal)
  }
  try {
    const result = await retryWhenBusy(database, signal, { work: attempt, hasBegun: () => hasBegun })
    await outcome.told
    return result
  } catch (error) {
    throw outcome.failure ? outcome.failure.error : error
  }
}

/** Keeps what the work itself fails with apart from what a driver says of a transaction. */
async function kept<Result>(outcome: Outcome, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    outcome.failure = { error }
    throw error
  }
}
