// Opens an existing database, and never creates one.
import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Kysely } from 'kysely'
import type { HostDatabase } from '../dialects/host.ts'
import { postgresDialect } from '../drivers/postgres/kysely.ts'
import { sqliteDialect } from '../drivers/sqlite/kysely.ts'
import { failure } from './terminal.ts'

export interface OpenOptions {
  /** True if nothing can be changed, whatever is tried. */
  readonly isReadonly: boolean
  /** Callback for errors between two requests. */
  readonly tell: (text: string) => void
}

type Open = (place: string, options: OpenOptions) => Promise<HostDatabase>

const drivers: readonly { readonly fits: RegExp; readonly open: Open }[] = [
  { fits: /^postgres(ql)?:/i, open: openServer },
  { fits: /^file:\/\//i, open: (place, options) => openFile(pathOf(place), options) },
  // One letter before a colon is a drive of Windows.
  { fits: /^(?![a-z][a-z\d+.-]+:)/i, open: openFile },
]

/** Opens a file or a URL. */
export async function openDatabase(place: string, options: OpenOptions): Promise<HostDatabase> {
  const driver = drivers.find(({ fits }) => fits.test(place))
  if (driver) return driver.open(place, options)
  const [scheme = ''] = place.split(':')
  throw failure(
    `There is no driver for ${JSON.stringify(`${scheme}:`)}.`,
    'Give a file of SQLite, or a URL as postgres://….',
  )
}

/** Returns a place that is safe to print: without the password of a URL, and its parameters, which may hold another. */
export function shownPlace(place: string): string {
  const [, scheme, rest = ''] = /^([a-z][a-z\d+.-]+:\/\/)(.*)$/is.exec(place) ?? []
  if (scheme === undefined) return place
  const plain = rest.replace(/[?#].*$/s, '')
  const at = plain.lastIndexOf('@')
  return at < 0
    ? `${scheme}${plain}`
    : `${scheme}${plain.slice(0, at).replace(/:.*$/s, '')}${plain.slice(at)}`
}

function pathOf(url: string): string {
  try {
    return fileURLToPath(url)
  } catch (cause) {
    throw failure(`${JSON.stringify(url)} is no URL of a file.`, undefined, cause)
  }
}

async function openFile(path: string, { isReadonly }: OpenOptions): Promise<HostDatabase> {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw failure(`There is no file ${JSON.stringify(path)}.`)
  if (!found.isFile()) throw failure(`${JSON.stringify(path)} is no file.`)
  const { default: Database } = await driver('better-sqlite3', () => import('better-sqlite3'))
  try {
    const database = new Database(path, { readonly: isReadonly, fileMustExist: true })
    // Only a first read shows whether it is a database.
    database.pragma('schema_version')
    return new Kysely({ dialect: sqliteDialect({ database }) })
  } catch (cause) {
    throw failure(`${JSON.stringify(path)} cannot be opened: ${reasonOf(cause)}.`, undefined, cause)
  }
}

async function openServer(url: string, { isReadonly, tell }: OpenOptions): Promise<HostDatabase> {
  const { default: pg } = await driver('pg', () => import('pg'))
  const connectionString = isReadonly ? readonlyUrl(url) : url
  const shown = shownPlace(url)
  try {
    const pool = new pg.Pool({ connectionString, connectionTimeoutMillis: 10_000 })
    pool.on('error', (error) => tell(`A connection was lost: ${reasonOf(error)}\n`))
    const client = await pool.connect()
    client.release()
    return new Kysely({ dialect: postgresDialect({ pool }) })
  } catch (cause) {
    throw failure(`Cannot connect to ${shown}: ${reasonOf(cause)}.`, undefined, cause)
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

async function driver<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (cause) {
    throw failure(`This database needs the package "${name}".`, `npm install ${name}`, cause)
  }
}

/** Returns the message of an error. After several addresses it is that of the first. */
function reasonOf(error: unknown): string {
  const one: unknown = error instanceof AggregateError && error.message === '' ? error.errors[0] : error
  return (one instanceof Error ? one.message : String(one)).replace(/\.$/, '')
}
