// A savepoint: a part of a transaction that succeeds or fails as a whole, whatever becomes of the rest.

import { idleConnection } from '../../dialects/connections/sync-connection.ts'
import { onAbort } from '../../errors/abort-signal.ts'
import { type Connection, withConnection } from '../connection.ts'
import type { Database, Options } from '../database.ts'
import { refuseNested } from '../deadlock-guard.ts'
import { answeredNow } from '../execute.ts'
import { sendStatement } from '../send-statement.ts'
import { closingIfLeft, patient } from '../statement-timeout.ts'
import { translated } from '../translate-errors.ts'
import { UnitOfWork } from './unit-of-work.ts'

/** True if a part of a unit of work can be undone alone. */
export const takesSavepoints = (
  { dialect }: Pick<Database, 'dialect'>,
  { joinsParts }: Pick<UnitOfWork, 'joinsParts'>,
): boolean => dialect.savepoints !== false && !joinsParts

/** Runs work in a savepoint of the transaction that a database works in, after all work begun there before. */
export async function inSavepoint<Event, Result>(
  database: Database,
  unit: UnitOfWork<Event>,
  work: (own: UnitOfWork<Event>) => Promise<Result>,
  options: Options = {},
): Promise<Result> {
  // A call inside must not wait for the one around it.
  refuseNested(unit.state)
  const { signal } = options
  let hasBegun = false
  const begins = () => {
    // The caller may have given up while other work had its turn.
    signal?.throwIfAborted()
    hasBegun = true
  }
  const part = async (name: string) => {
    signal?.throwIfAborted()
    const own = new UnitOfWork<Event>(unit)
    const run = (sql: string, of: Database['unit'], sends?: () => void) =>
      sendSavepointStatement({ ...database, unit: of }, sql, options, sends)
    // The host has the transaction, too, and may have ended it.
    unit.state.markUnverified()
    if (!takesSavepoints(database, unit)) {
      begins()
      return joined(unit, own, work)
    }
    await run(`savepoint ${name}`, unit, begins)
    try {
      const result = await work(own)
      await run(`release savepoint ${name}`, own)
      unit.include(own)
      return result
    } catch (error) {
      // The original error is thrown, not one of the rollback.
      const back = () => run(`rollback to savepoint ${name}`, undefined)
      await back()
        .catch(back)
        // A savepoint that cannot be rolled back ends the whole transaction.
        .catch((worse: unknown) => unit.state.end(own.state.failure ?? { error: worse }))
      await run(`release savepoint ${name}`, undefined).catch(() => unit.state.markUnverified())
      throw error
    }
  }
  const turn = unit.inTurn(() => named(part))
  return signal ? leavingEarly(turn, signal, () => hasBegun) : turn
}

/** Waits for work, and no longer if the signal is aborted before that has begun. */
function leavingEarly<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
  hasBegun: () => boolean,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stopListening = onAbort(signal, () => {
      if (!hasBegun()) reject(signal.reason)
    })
    work.then(resolve, reject).finally(stopListening)
  })
}

/** Runs work as a part of the transaction: without a savepoint nothing of it could be undone alone, so that its failure ends all of it. */
async function joined<Event, Result>(
  unit: UnitOfWork<Event>,
  own: UnitOfWork<Event>,
  work: (own: UnitOfWork<Event>) => Promise<Result>,
): Promise<Result> {
  try {
    const result = await work(own)
    unit.include(own)
    return result
  } catch (error) {
    unit.state.end(own.state.failure ?? { error })
    throw error
  }
}

/** Runs work that has a savepoint of some name. No two open ones have the same name, even if a host began one; names that are free are used again, so
 *  that a driver has their statements ready. */
async function named<Result>(work: (name: string) => Promise<Result>): Promise<Result> {
  const number = free.pop() ?? ++made
  try {
    return await work(`quernel_${number}`)
  } finally {
    free.push(number)
  }
}

const free: number[] = []
let made = 0

/** Runs a statement that begins or ends a part of a transaction. It has no timeout on the server: resetting
 *  that would take longer, and is impossible after a failure. */
async function sendSavepointStatement(
  database: Database,
  sql: string,
  { timeoutMs = database.timeoutMs }: Options,
  /** Called before the statement is sent. It may throw. */
  begins?: () => void,
): Promise<void> {
  const statement = { sql, parameters: [] }
  const { unit, dialect, db } = database
  if (unit?.state.isOpenNow(db) && idleConnection(db)) {
    begins?.()
    if (answeredNow(database, statement, {})) return
  }
  const run = async (connection: Connection) => {
    begins?.()
    const own = patient(connection, database, timeoutMs)
    const work = () => sendStatement(own, database, statement)
    const send = () => (unit ? unit.state.send(own, dialect, work) : work())
    return closingIfLeft(connection, database, send)
  }
  await translated(() => withConnection(db, run), database, undefined)
}
