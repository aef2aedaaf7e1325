// Connections of the command to a server, by each driver that a project may have, the better one first.
import type { Dialect, PostgresPool } from 'kysely'
import { postgresDialect } from './kysely.ts'
import { type PostgresJsClient, postgresJsDialect } from './postgres-js.ts'

export interface ConnectOptions {
  /** Settings of each connection, before its first statement, such as `-c search_path=shop`. */
  readonly settings: string
  /** Callback for errors between two requests. */
  readonly onLost: (error: Error) => void
}

type Connect = (url: string, options: ConnectOptions) => Promise<Dialect>

export interface PostgresModule {
  readonly name: string
  /** Returns the function that connects, from the loaded module. */
  connector(module: object): Connect
}

export const postgresModules: readonly PostgresModule[] = [
  { name: 'pg', connector: byPg },
  { name: 'postgres', connector: byPostgresJs },
]

/** The part of pg's pools that is used here. */
interface Pool extends PostgresPool {
  on(event: 'error', listener: (error: Error) => void): unknown
}

function byPg(module: object): Connect {
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

function byPostgresJs(module: object): Connect {
  const connect: (url: string, options: object) => PostgresJsClient = Reflect.get(module, 'default')
  return async (url, { settings }) => {
    const client = connect(withSettings(url, settings), { connect_timeout: 10, onnotice: () => undefined })
    await client.unsafe('select 1')
    return postgresJsDialect(client)
  }
}

function withSettings(input: string, settings: string): string {
  if (settings === '') return input
  const url = new URL(input)
  url.searchParams.set('options', [url.searchParams.get('options') ?? [], settings].flat().join(' '))
  // The drivers read a plus as it is.
  return url.href.replaceAll('+', '%20')
}
