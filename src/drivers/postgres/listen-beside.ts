// A connection beside those of a pool, on which the server reports of what it is notified.
import type { PostgresPool } from 'kysely'
import type { Listen } from '../../execution/connection.ts'

/** The part of a client of pg that is used here. */
interface Client {
  connect(): Promise<unknown>
  query(text: string): Promise<unknown>
  on(event: 'error' | 'end', listener: () => void): unknown
  on(event: 'notification', listener: (message: { readonly payload?: string }) => void): unknown
  end(): Promise<void>
  unref?(): void
}

/** Returns how to listen beside a pool, by clients as the pool itself makes them; undefined if it is none of pg. It is no connection of the pool, whose
 *  callers would have one less, and whose end would wait for it. */
export function listenBeside(pool: PostgresPool): Listen | undefined {
  const { Client: Made, options } = pool as {
    readonly Client?: new (options: unknown) => Client
    readonly options?: unknown
  } // missing in Kysely's type
  if (typeof Made !== 'function') return undefined
  return async (channel, receive) => {
    const client = new Made(options)
    client.on('error', () => receive(undefined))
    client.on('end', () => receive(undefined))
    client.on('notification', ({ payload = '' }) => receive(payload))
    try {
      await client.connect()
      // It keeps no process alive.
      client.unref?.()
      await client.query(`listen ${channel}`)
    } catch (error) {
      void client.end().catch(() => undefined)
      throw error
    }
    return () => client.end().catch(() => undefined)
  }
}
