// A savepoint: a part of a transaction that succeeds or fails as a whole, whatever becomes of the rest.

import { idleConnection } from '../../dialects/connections/sync-connection.ts'
import { onAbort } from '../../errors/abort-signal.ts'
import { type Connection, withConnection } from '../connection.ts'
import type { Database, Options } from '../database.ts'
import { refuseNested } from '../deadlock-guard.ts'
import { answeredNow } from '../execute.ts'
import { sendStatement } from '../send-statement.ts'
import { orElse, type Soon, soon } from '../soon.ts'
import { closingIfLeft, patient } from '../statement-timeout.ts'
import { translated } from '../translate-errors.ts'
import { UnitOfWork } from './unit-of-work.ts'

/** True if a part of a unit of work can be undone alone. */
export const takesSavepoints = (
  { dialect }: Pick<Database, 'dialect'>,
  { joinsParts }: Pick<UnitOfWork, 'joinsParts'>,
): boolean => dialect.savepoints !== false && !joinsParts

/** Work in a part of a unit, and the database as it is there. */
interface Part<Inside extends Database, Event, Result> {
  readonly within: (own: UnitOfWork<Event>) => Inside
  readonly work: (inside: Inside, own: UnitOfWork<Event>) => Soon<Result>
}

/** Runs work in a savepoint of the transaction that a database works in, after all work begun there before: without a promise if nothing of it has to
 *  be waited for. */
export function inSavepoint<Inside extends Database, Event, Result>(
  database: Database,
  unit: UnitOfWork<Event>,
  { within, work }: Part<Inside, Event, Result>,
  options: Options = {},
): Soon<Result> {
  // A call inside must not wait for the one around it.
  refuseNested(unit.state)
  const { signal } = options
  let hasBegun = false
  const begins = () => {
    // The caller may have given up while other work had its turn.
    signal?.throwIfAborted()
    hasBegun = true
  }
  const part = (): Soon<Result> => {
    signal?.throwIfAborted()
    unit.state.requireOn(database.dialect)
    const own = new UnitOfWork<Event>(unit)
    const inside = within(own)
    // The host has the transaction, too, and may have ended it.
    unit.state.markUnverified()
    if (!takesSavepoints(database, unit)) {
      begins()
      return joined(unit, own, () => work(inside, own))
    }
    const number = (free.length > spare ? free.shift() : undefined) ?? ++made
    const run = (text: string, of: Database, sends?: () => void) =>
      sendSavepointStatement(of, `${text} quernel_${number}`, options, sends)
    let isOpen = false
    const ended = () => {
      own.state.close()
      free.push(number)
    }
    const released = (result: Result) =>
      soon(run('release savepoint', inside), () => {
        unit.include(own)
        ended()
        return result
      })
    const opened = () => {
      isOpen = true
      return soon(work(inside, own), released)
    }
    return orElse(
      () => soon(run('savepoint', database, begins), opened),
      async (error) => {
        if (isOpen) await undone(unit, own, async (text) => run(text, { ...database, unit: undefined }))
        ended()
        throw error
      },
    )
  }
  // Elsewhere statements of other calls that were sent before come before its own.
  const begin = idleConnection(database.db) ? part : () => nothing.then(part)
  const turn = unit.inTurn(begin)
  return signal && turn instanceof Promise ? leavingEarly(turn, signal, () => hasBegun) : turn
}

const nothing = Promise.resolve()

/** The numbers in names of savepoints. No two open ones have the same name, even if a host began one; names that are free are used again, so that a
 *  driver has their statements ready. Those that were freed last are spared: a driver may send their release with later savepoints. */
const spare = 8
const free: number[] = []
let made = 0

/** Undoes a part that has failed. Its error is thrown, and not one of the rollback. */
async function undone<Event>(
  unit: UnitOfWork<Event>,
  own: UnitOfWork<Event>,
  run: (text: string) => Promise<void>,
): Promise<void> {
  const back = () => run('rollback to savepoint')
  await back()
    .catch(back)
    // A savepoint that cannot be rolled back ends the whole transaction.
    .catch((worse: unknown) => unit.state.end(own.state.failure ?? { error: worse }))
  await run('release savepoint').catch(() => unit.state.markUnverified())
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
function joined<Event, Result>(
  unit: UnitOfWork<Event>,
  own: UnitOfWork<Event>,
  work: () => Soon<Result>,
): Soon<Result> {
  const done = (result: Result) => {
    unit.include(own)
    return result
  }
  return orElse(
    () => soon(work(), done),
    (error) => {
      unit.state.end(own.state.failure ?? { error })
      throw error
    },
  )
}

/** Runs a statement that begins or ends a part of a transaction, without a promise if the database responds synchronously. It has no timeout on the
 *  server: resetting that would take longer, and is impossible after a failure. */
function sendSavepointStatement(
  database: Database,
  sql: string,
  { timeoutMs = database.timeoutMs }: Options,
  /** Called before the statement is sent. It may throw. */
  begins?: () => void,
): Promise<void> | undefined {
  const statement = { sql, parameters: [] }
  const { unit, dialect, db } = database
  if (unit?.state.isOpenNow(db) && idleConnection(db)) {
    begins?.()
    if (answeredNow(database, statement, {})) return undefined
  }
  const run = async (connection: Connection) => {
    begins?.()
    const own = patient(connection, database, timeoutMs)
    const work = () => sendStatement(own, database, statement)
    const send = () => (unit ? unit.state.send(own, dialect, work) : work())
    await closingIfLeft(connection, database, send)
  }
  return translated(() => withConnection(db, run), database, undefined)
}
