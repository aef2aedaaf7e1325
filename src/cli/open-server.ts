// Connects to a server with the driver that there is.
import { Kysely } from 'kysely'
import type { HostDatabase } from '../dialects/host.ts'
import { type PostgresModule, postgresModules } from '../drivers/postgres/installed.ts'
import { shownPlace } from './database-place.ts'
import type { LoadPackage } from './load-package.ts'
import { failure, reasonOf, type Terminal } from './terminal.ts'

export interface OpenOptions extends Pick<Terminal, 'tell' | 'load'> {
  /** True if nothing can be changed, whatever is tried. */
  readonly isReadonly: boolean
}

/** Connects to a server, and makes sure that it responds. */
export async function openServer(
  url: string,
  { isReadonly, tell, load }: OpenOptions,
): Promise<HostDatabase> {
  const connect = await connectorFrom(load)
  if (isReadonly && !URL.canParse(url)) throw failure('The URL of the database cannot be read.')
  try {
    const dialect = await connect(url, {
      settings: isReadonly ? '-c default_transaction_read_only=on' : '',
      onLost: (error) => tell(`A connection was lost: ${reasonOf(error)}\n`),
    })
    return new Kysely({ dialect })
  } catch (cause) {
    throw failure(`Cannot connect to ${shownPlace(url)}: ${reasonOf(cause)}.`, undefined, cause)
  }
}

async function connectorFrom(load: LoadPackage): Promise<ReturnType<PostgresModule['connector']>> {
  for (const { name, connector } of postgresModules) {
    const module = await load(name)
    if (module) return connector(module)
  }
  const names = postgresModules.map(({ name }) => `"${name}"`)
  throw failure(`A server of PostgreSQL needs the package ${names.join(' or ')}.`, 'npm install pg')
}
