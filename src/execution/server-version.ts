// What kind of server a database is. It is asked once, by whoever comes first.
import { CompiledQuery } from 'kysely'
import type { HostDatabase } from '../dialects/host.ts'
import { render } from '../dialects/sql.ts'
import { fault } from '../errors/errors.ts'
import type { Connection } from './connection.ts'
import type { Database } from './database.ts'

interface KnownServer {
  /** What it calls itself. */
  readonly name: string
  /** What transactions begin as. */
  readonly isolation: string
}

/** Servers by the adapters of their databases: all that is made of one instance of Kysely has one. */
const servers = new WeakMap<object, KnownServer>()

export const serverOf = (home: HostDatabase) => servers.get(home.getExecutor().adapter)

/** Whether a database is known to be one that can be worked with. */
export const isKnown = ({ dialect, home }: Database): boolean =>
  dialect.server === undefined || serverOf(home) !== undefined

/** Refuses a server that cannot do what the phrases of its dialect want. */
export async function readServerVersion(connection: Connection, { dialect, home }: Database): Promise<void> {
  const { server } = dialect
  if (!server) return
  const { rows } = await connection.executeQuery(CompiledQuery.raw(render(server.ask, dialect).sql))
  const [name = '', isolation = ''] = Object.values(Object(rows[0])).map(String)
  const refusal = server.refusal(name)
  if (refusal !== undefined) throw fault('INVALID_OPTIONS', refusal, { path: ['db'] })
  servers.set(home.getExecutor().adapter, { name, isolation })
}

/** Refuses a limit of time where nobody would end what takes longer: it would be told as kept. */
export function requireTimeLimits({ dialect, home }: Database): void {
  const name = serverOf(home)?.name
  if (name === undefined || dialect.server?.endsStatements(name) !== false) return
  throw fault('INVALID_OPTIONS', '"timeoutMs" cannot be kept here: this database ends no statement.', {
    path: ['timeoutMs'],
    hint: 'It runs in the process itself. Leave the option out, or use a server.',
  })
}
