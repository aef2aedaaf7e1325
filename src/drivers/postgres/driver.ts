import {
  type DatabaseConnection,
  type PostgresDialectConfig,
  PostgresDriver,
  type PostgresPool,
  type TransactionSettings,
} from 'kysely'
import { lineOf } from '../../dialects/postgres/wire.ts'
import type { Lend, Lender, Room } from '../../execution/connection.ts'
import { unended } from '../../execution/uncertain-commit.ts'
import { knownClients } from './clients.ts'
import { named } from './statements.ts'

/** What Kysely's PostgresDialect takes, and how many statements are named. */
export interface PostgresOptions extends Omit<PostgresDialectConfig, 'pool'> {
  readonly pool: PostgresPool | (() => Promise<PostgresPool>)
  /** How many statements are named on each connection. */
  readonly statements?: number
}

/** Kysely's own driver, which lends connections to those who know how to ask for them. */
export class LendingDriver extends PostgresDriver implements Lender {
  readonly #opened: Opened
  readonly #isReserving: boolean
  readonly #untouched = new Set<DatabaseConnection>()
  #asked = 0
  #isOutermost: boolean | undefined

  constructor({ pool, statements, ...config }: PostgresOptions) {
    const opened: Opened = typeof pool === 'function' ? {} : { pool }
    const open = async () => {
      const own = typeof pool === 'function' ? await pool() : pool
      opened.pool = own
      const known = knownClients(own, statements)
      opened.lend = async (use) => {
        const { connection, release } = known(await own.connect())
        try {
          return await use(connection)
        } finally {
          release()
        }
      }
      return named(own, known)
    }
    super({ ...config, pool: open })
    this.#opened = opened
    this.#isReserving = [config.onCreateConnection, config.onReserveConnection].some(Boolean)
  }

  override async acquireConnection(
    // From 0.29 on there is something to hand on to those who prepare connections.
    ...told: Parameters<PostgresDriver['acquireConnection']>
  ): Promise<DatabaseConnection> {
    this.#asked++
    // A driver of the host's around this one may prepare connections, be it now and then. Nothing but the stack tells that it is there.
    this.#isOutermost ??= isAskedByKysely(stackHere())
    const connection = await super.acquireConnection(...told)
    this.#untouched.add(connection)
    // Whoever else is on the way to the engine may ask the server something first. By the time of an answer it is over.
    process.nextTick(() => this.#untouched.delete(connection))
    return connection
  }

  override async beginTransaction(
    connection: DatabaseConnection,
    settings: TransactionSettings,
  ): Promise<void> {
    await certainly(connection, () => super.beginTransaction(connection, settings))
  }

  override async rollbackTransaction(
    // From 0.29.9 on Kysely's own kind of connection, which it does not export.
    connection: Parameters<PostgresDriver['rollbackTransaction']>[0],
  ): Promise<void> {
    await certainly(connection, () => super.rollbackTransaction(connection))
  }

  override async destroy(): Promise<void> {
    delete this.#opened.lend
    await super.destroy()
  }

  get asked(): number {
    return this.#asked
  }

  isUntouched(connection: DatabaseConnection): boolean {
    if (!this.#isOutermost || !this.#untouched.has(connection)) return false
    // Where the host wants to know of every statement, Kysely has put a method of its own in front of the connection's.
    return !Object.hasOwn(connection, 'executeQuery')
  }

  get room(): Room | undefined {
    const { pool } = this.#opened
    return pool && { pool, most: mostOf(pool) }
  }

  get lend(): Lend | undefined {
    return this.#isReserving ? undefined : this.#opened.lend
  }
}

/** Closes a connection where it is not known what it is in the middle of. */
async function certainly(connection: DatabaseConnection, step: () => Promise<void>): Promise<void> {
  const line = lineOf(connection)
  try {
    await step()
  } catch (cause) {
    line?.close(unended(cause))
    throw cause
  }
}

interface Opened {
  pool?: PostgresPool
  lend?: Lend
}

/** How many connections a pool has at most, as those of pg tell. */
function mostOf(pool: PostgresPool): number | undefined {
  const { options } = pool as { readonly options?: unknown } // of which Kysely's description knows nothing
  const { max }: { readonly max?: unknown } = Object(options)
  return typeof max === 'number' && max > 0 ? max : undefined
}

function stackHere(): readonly string[] {
  const here: { readonly stack?: string } = {}
  Error.captureStackTrace(here)
  // Below its head and this function.
  return here.stack?.split('\n').slice(2) ?? []
}

/** Whether Kysely itself stands behind the call of `acquireConnection`. Where names are mangled it looks like somebody else, and is only
 *  slower then. */
const isAskedByKysely = ([, caller = '']: readonly string[]): boolean =>
  caller.trim().startsWith('at RuntimeDriver.acquireConnection ')
