// A connection beside those of a pool, on which the server reports of what it is notified.
import type { PostgresPool } from 'kysely'
import type { Listen } from '../../execution/connection.ts'
import { grace, outOfTime, within } from '../../execution/statement-timeout.ts'

/** Milliseconds after which a connection that is not open yet is given up. */
const longestOpeningMs = 10_000

/** The part of a client of pg that is used here. */
interface Client {
  connect(): Promise<unknown>
  query(text: string): Promise<unknown>
  on(event: 'error' | 'end', listener: () => void): unknown
  on(event: 'notification', listener: (message: { readonly payload?: string }) => void): unknown
  end(): Promise<void>
  unref?(): void
  /** Absent over its native binding. */
  readonly connection?: { readonly stream?: { destroy(): unknown } }
}

/** Returns how to listen beside a pool, by clients as the pool itself makes them; undefined if it is none of pg. It is no connection of the pool, whose
 *  callers would have one less, and whose end would wait for it. */
export function listenBeside(pool: PostgresPool): Listen | undefined {
  const found: object = pool
  const { Client: Made, options } = found as {
    readonly Client?: new (options: unknown) => Client
    readonly options?: unknown
  } // missing in Kysely's type
  if (typeof Made !== 'function') return undefined
  return async (channel, receive) => {
    const client = new Made(options)
    client.on('error', () => receive(undefined))
    client.on('end', () => receive(undefined))
    client.on('notification', ({ payload = '' }) => receive(payload))
    const open = async () => {
      await client.connect()
      // It keeps no process alive.
      client.unref?.()
      await client.query(`listen ${channel}`)
    }
    try {
      await within(longestOpeningMs, open(), () => outOfTime(longestOpeningMs))
    } catch (error) {
      void end(client)
      throw error
    }
    return () => end(client)
  }
}

/** Ends a client. Of a server that is not reached any more nothing comes back: then its connection is cut off. */
const end = (client: Client): Promise<void> =>
  within(grace, client.end(), () => client.connection?.stream?.destroy()).catch(() => undefined)
