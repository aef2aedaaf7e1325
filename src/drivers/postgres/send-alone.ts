// Runs single statements on connections of a pool, by callbacks from the pool to the result.
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type { LoneListener, SendAlone } from '../../execution/connection.ts'
import { isPromiseOf } from '../../values/guards.ts'
import type { KnownClient } from './clients.ts'

/** Pools of pg also call back, which Kysely's type omits; others may return promises only. */
type Connect = (done: (error: unknown, client?: PostgresPoolClient) => void) => unknown

export function sendingAlone(
  pool: PostgresPool,
  known: (client: PostgresPoolClient) => KnownClient,
): SendAlone {
  const connect = pool.connect.bind(pool) as Connect
  return (statement, listener) => {
    let isCalled = false
    const got = (error: unknown, client?: PostgresPoolClient) => {
      // A pool may call back and keep its promise, too.
      if (isCalled) return
      isCalled = true
      if (!client) return listener.done(error)
      sendOn(known(client), statement, listener)
    }
    const reported = connect(got)
    if (isPromiseOf<PostgresPoolClient>(reported)) reported.then((client) => got(undefined, client), got)
  }
}

function sendOn(
  { run, release, raw }: KnownClient,
  { sql, parameters }: Parameters<SendAlone>[0],
  { begins, ended, done }: LoneListener,
): void {
  const giveBack: typeof done = (error, result) => {
    try {
      release()
    } catch (failure) {
      return done(error ?? failure)
    }
    done(error, result)
  }
  const end: typeof done = (error, result) => {
    const cancelling = ended()
    if (cancelling === undefined) giveBack(error, result)
    else cancelling.then(() => giveBack(error, result), giveBack)
  }
  try {
    // A caller who has given up got its error already.
    if (begins(raw)) run<readonly unknown[]>(sql, parameters, end)
    else end(undefined)
  } catch (error) {
    end(error)
  }
}
