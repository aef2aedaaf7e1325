// Connections of the command to a server, by the driver `pg` of the project.
import type { Dialect, PostgresPool } from 'kysely'
import { postgresDialect } from './kysely.ts'

export interface ConnectOptions {
  /** Settings of each connection, before its first statement, such as `-c search_path=shop`. */
  readonly settings: string
  /** Callback for errors between two requests. */
  readonly onLost: (error: Error) => void
}

export type Connect = (url: string, options: ConnectOptions) => Promise<Dialect>

/** The part of pg's pools that is used here. */
interface Pool extends PostgresPool {
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** Returns the function that connects, from the loaded module `pg`. */
export function byPg(module: object): Connect {
  const { Pool }: { readonly Pool: new (options: object) => Pool } = Reflect.get(module, 'default')
  return async (url, { settings, onLost }) => {
    const connectionString = withSettings(url, settings)
    const pool = new Pool({ connectionString, connectionTimeoutMillis: 10_000 })
    pool.on('error', onLost)
    const client = await pool.connect()
    client.release()
    return postgresDialect({ pool })
  }
}

function withSettings(input: string, settings: string): string {
  if (settings === '') return input
  const url = new URL(input)
  url.searchParams.set('options', [url.searchParams.get('options') ?? [], settings].flat().join(' '))
  // pg reads a plus as it is.
  return url.href.replaceAll('+', '%20')
}
