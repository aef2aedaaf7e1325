// The kind and version of a database server. It is queried once, by the first call.
import { CompiledQuery } from 'kysely'
import type { HostDatabase } from '../dialects/host.ts'
import { render } from '../dialects/sql.ts'
import { fault } from '../errors/errors.ts'
import type { Connection } from './connection.ts'
import type { Database } from './database.ts'

interface KnownServer {
  /** The name and version that it reports. */
  readonly name: string
  /** The default isolation level of its transactions. */
  readonly isolation: string
}

/** Servers by the adapters of their databases: all instances derived from one instance of Kysely share one. */
const servers = new WeakMap<object, KnownServer>()

export const serverOf = (home: HostDatabase) => servers.get(home.getExecutor().adapter)

/** True if the server is known and supported. */
export const isKnown = ({ dialect, home }: Database): boolean =>
  dialect.server === undefined || serverOf(home) !== undefined

/** Refuses a server that does not support the phrases of its dialect. */
export async function readServerVersion(connection: Connection, { dialect, home }: Database): Promise<void> {
  const { server } = dialect
  if (!server) return
  const { rows } = await connection.executeQuery(CompiledQuery.raw(render(server.ask, dialect).sql))
  const [name = '', isolation = ''] = Object.values(Object(rows[0])).map(String)
  const refusal = server.refusal(name)
  if (refusal !== undefined) throw fault('INVALID_OPTIONS', refusal, { path: ['db'] })
  servers.set(home.getExecutor().adapter, { name, isolation })
}

/** Refuses a timeout that the server would not enforce: the caller would rely on it in vain. */
export function requireTimeLimits({ dialect, home }: Database): void {
  const name = serverOf(home)?.name
  if (name === undefined || dialect.server?.endsStatements(name) !== false) return
  throw fault('INVALID_OPTIONS', '"timeoutMs" cannot be kept here: this database ends no statement.', {
    path: ['timeoutMs'],
    hint: 'It runs in the process itself. Leave the option out, or use a server.',
  })
}
