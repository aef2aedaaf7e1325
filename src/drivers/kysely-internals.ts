// Parts of Kysely for which it has no interface; connections of its own drivers are met in dialects/kysely-connections.ts. Where another version of Kysely is
// made otherwise, it costs speed, and nothing else.
import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  SingleConnectionProvider,
  Transaction,
} from 'kysely'
import { type AnswerNow, idle } from '../dialects/connections/sync-connection.ts'
import { goesOn, isGoingOn } from '../dialects/connections/transaction-status.ts'
import type { HostDatabase, HostTransaction } from '../dialects/host.ts'
import { fault } from '../errors/errors.ts'

/** A transaction that Kysely has not begun, and does not end. */
export interface OwnTransaction {
  readonly transaction: HostTransaction
  readonly end: (how: 'committed' | 'rolled back') => void
}

/** The members of Kysely's instances that a transaction takes over. Only `introspection` uses the dialect, and nothing the driver. */
interface Parts {
  readonly dialect: Dialect
  readonly driver: Driver
}

/** Makes a transaction on a connection on which one is begun and ended elsewhere. Kysely's own is made on the way through a dozen promises,
 *  which is more than a small write. */
export function transactionOn(
  connection: DatabaseConnection,
  db: HostDatabase,
  answer: AnswerNow,
  { dialect, driver }: Parts,
): OwnTransaction {
  const provider = new TransactionConnection(connection)
  const executor = db.getExecutor().withConnectionProvider(provider)
  const transaction = new SynchronousTransaction(
    { config: { dialect }, dialect, driver, executor },
    provider,
    connection,
    answer,
  )
  return { transaction, end: (how) => provider.end(how) }
}

// biome-ignore lint/suspicious/noExplicitAny: Kysely is invariant in its tables, so nothing else takes every host's transaction.
class SynchronousTransaction extends Transaction<any> {
  readonly #provider: TransactionConnection
  readonly #connection: DatabaseConnection
  readonly #answer: AnswerNow

  constructor(
    // biome-ignore lint/suspicious/noExplicitAny: the properties of a transaction whose tables are the host's, as above.
    props: ConstructorParameters<typeof Transaction<any>>[0],
    provider: TransactionConnection,
    connection: DatabaseConnection,
    answer: AnswerNow,
  ) {
    super(props)
    this.#provider = provider
    this.#connection = connection
    this.#answer = answer
  }

  [idle](): AnswerNow | undefined {
    return this.#provider.isIdle ? this.#answer : undefined
  }

  [goesOn](): boolean | undefined {
    return isGoingOn(this.#connection)
  }
}

/** The connection of a transaction, for one statement after the other, until the transaction is over. */
class TransactionConnection extends SingleConnectionProvider {
  #users = 0
  #end: string | undefined

  override async provideConnection<Result>(
    consumer: (connection: DatabaseConnection) => Promise<Result>,
  ): Promise<Result> {
    this.#requireOpen()
    this.#users++
    try {
      return await super.provideConnection(async (connection) => {
        this.#requireOpen()
        return consumer(connection)
      })
    } finally {
      this.#users--
    }
  }

  get isIdle(): boolean {
    return this.#users === 0 && this.#end === undefined
  }

  end(how: 'committed' | 'rolled back'): void {
    this.#end = how
  }

  /** Throws in the words of Kysely. */
  #requireOpen(): void {
    if (this.#end === undefined) return
    throw fault('INTERNAL_SERVER_ERROR', `Transaction is already ${this.#end}`)
  }
}

/** True if Kysely itself calls the method of a driver that calls this; a driver of the host's around it may run statements before the
 *  connection is handed out. Only the stack reveals it. With mangled names Kysely is not recognised, which is only slower. */
export function isCalledByKysely(method: string): boolean {
  const here: { readonly stack?: string } = {}
  Error.captureStackTrace(here, isCalledByKysely)
  // Without the first line and the method itself.
  const [, , caller = ''] = here.stack?.split('\n') ?? []
  return caller.trim().startsWith(`at RuntimeDriver.${method} `)
}
