// Connects to a server of PostgreSQL with the driver that there is.
import { type Dialect, Kysely } from 'kysely'
import type pg from 'pg'
import type { HostDatabase } from '../dialects/host.ts'
import { postgresDialect } from '../drivers/postgres/kysely.ts'
import { type PostgresJsClient, postgresJsDialect } from '../drivers/postgres/postgres-js.ts'
import { shownPlace } from './database-place.ts'
import type { LoadPackage } from './load-package.ts'
import { failure, reasonOf } from './terminal.ts'

export interface ServerOptions {
  readonly isReadonly: boolean
  /** Callback for errors between two requests. */
  readonly tell: (text: string) => void
}

/** Connects to a server, and makes sure that it responds. */
export async function openServer(
  url: string,
  options: ServerOptions,
  load: LoadPackage,
): Promise<HostDatabase> {
  const connect = await connectorOf(load)
  try {
    return new Kysely({ dialect: await connect(url, options) })
  } catch (cause) {
    throw failure(`Cannot connect to ${shownPlace(url)}: ${reasonOf(cause)}.`, undefined, cause)
  }
}

type Connect = (url: string, options: ServerOptions) => Promise<Dialect>

const drivers: readonly { readonly name: string; readonly connector: (module: object) => Connect }[] = [
  { name: 'pg', connector: byPg },
  { name: 'postgres', connector: byPostgresJs },
]

async function connectorOf(load: LoadPackage): Promise<Connect> {
  for (const { name, connector } of drivers) {
    const module = await load(name)
    if (module) return connector(Reflect.get(module, 'default'))
  }
  throw failure('A server of PostgreSQL needs the package "pg" or "postgres".', 'npm install pg')
}

function byPg(module: object): Connect {
  const Pool: typeof pg.Pool = Reflect.get(module, 'Pool')
  return async (url, { isReadonly, tell }) => {
    const connectionString = isReadonly ? readonlyUrl(url) : url
    const pool = new Pool({ connectionString, connectionTimeoutMillis: 10_000 })
    pool.on('error', (error) => tell(`A connection was lost: ${reasonOf(error)}\n`))
    const client = await pool.connect()
    client.release()
    return postgresDialect({ pool })
  }
}

function byPostgresJs(module: object): Connect {
  // The border to a package that may not be there.
  const connect = module as (url: string, options: object) => PostgresJsClient
  return async (url, { isReadonly }) => {
    const client = connect(isReadonly ? readonlyUrl(url) : url, {
      connect_timeout: 10,
      onnotice: () => undefined,
    })
    await client.unsafe('select 1')
    return postgresJsDialect(client)
  }
}

/** Adds the read-only option to the connection, so that it applies before any statement. */
function readonlyUrl(given: string): string {
  if (!URL.canParse(given)) throw failure('The URL of the database cannot be read.')
  const url = new URL(given)
  const options = [url.searchParams.get('options') ?? [], '-c default_transaction_read_only=on']
    .flat()
    .join(' ')
  url.searchParams.set('options', options)
  // The driver reads a plus as it is.
  return url.href.replaceAll('+', '%20')
}
