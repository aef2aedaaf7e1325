// Runs a single statement on the shortest path to a connection: by callbacks, because each promise of the usual path costs a part of a small
// statement.
import type { QueryResult } from 'kysely'
import type { RawConnection } from '../dialects/connections/wire.ts'
import { onAbort } from '../errors/abort-signal.ts'
import type { Row } from '../rows/row.ts'
import { type Done, type Wait, withAcquireTimeoutOf } from './acquire-timeout.ts'
import { Cancellation } from './cancel.ts'
import { loneSender, type SendAlone } from './connection.ts'
import type { Database, Options } from './database.ts'
import { isKnown } from './server-version.ts'
import type { BoundStatement } from './statement.ts'
import { statementError } from './transaction/uncertain-commit.ts'
import { translateError } from './translate-errors.ts'

/** Returns the sender of a single statement. Undefined if anything is to be done before it or meanwhile. */
export function senderFor(
  database: Database,
  { signal, timeoutMs = database.timeoutMs }: Options,
): SendAlone | undefined {
  const { db, home, dialect, unit, onQuery } = database
  if (timeoutMs !== undefined || unit || onQuery || db !== home) return undefined
  if (dialect.settings || !isKnown(database)) return undefined
  const send = loneSender(db)
  return signal && send && uncancellable.has(send) ? undefined : send
}

/** Senders whose connections cannot cancel what they run. Another connection can; it has to know the statement before it is sent. */
const uncancellable = new WeakSet<SendAlone>()

interface LoneCall<Returned> {
  readonly signal: AbortSignal | undefined
  /** Returns a part of the result. */
  readonly of: (result: QueryResult<Row>) => Returned
  /** Runs the statement on the usual path. */
  readonly otherwise: () => Promise<Returned>
}

/** Runs a statement and returns a part of its result. An abort of the signal is thrown at once; the connection goes back once the statement is
 *  cancelled. */
export function runAlone<Returned>(
  send: SendAlone,
  database: Database,
  statement: BoundStatement,
  { signal, of, otherwise }: LoneCall<Returned>,
): Promise<Returned> {
  if (signal?.aborted) return Promise.reject(signal.reason)
  let isSent = false
  const work = ({ isWanted, give, onLeave, done }: Wait<Returned>) => {
    let isUnfit = false
    const { running, end } = waiting(database, signal, give)
    send(statement, {
      onLeave,
      begins: (raw) => {
        const isTaken = isWanted()
        isUnfit = isTaken && signal !== undefined && raw.cancel === undefined
        if (isUnfit) uncancellable.add(send)
        isSent = isTaken && !isUnfit
        if (isSent) running(raw)
        return isSent
      },
      ended: end,
      done: (error, result) => {
        void end()
        if (isUnfit && error === undefined) otherwise().then((reported) => done(undefined, reported), done)
        else if (result) read(result, of, done)
        else done(error)
      },
    })
  }
  return withAcquireTimeoutOf(work, database.acquireTimeoutMs, (error) =>
    statementError(translateError(error, database, signal), database, statement, { isSent, signal }),
  )
}

/** Gives up a call when its signal is aborted. From `running` on, the statement is cancelled, too; `end` returns what is to be waited for before
 *  the connection runs another one. */
function waiting(
  database: Database,
  signal: AbortSignal | undefined,
  give: (reason: unknown) => void,
): { readonly running: (raw: RawConnection) => void; readonly end: () => Promise<void> | undefined } {
  let raw: RawConnection | undefined
  let cancellation: Cancellation | undefined
  const stopListening = onAbort(signal, () => {
    give(signal?.reason)
    if (!raw) return
    cancellation = new Cancellation(database, raw)
    cancellation.ask()
  })
  const running = (own: RawConnection) => {
    raw = own
  }
  const end = () => {
    stopListening()
    const own = cancellation
    cancellation = undefined
    return own?.settle()
  }
  return { running, end }
}

function read<Returned>(result: QueryResult<Row>, of: LoneCall<Returned>['of'], done: Done<Returned>): void {
  let reported: Returned
  try {
    reported = of(result)
  } catch (failure) {
    done(failure)
    return
  }
  done(undefined, reported)
}
