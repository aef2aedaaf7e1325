// postgres.js as a Kysely dialect, which gives no connection back in the middle of a statement.
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import { unreachable } from '../../src/errors/errors.ts'

interface PostgresJsConnection {
  unsafe(
    text: string,
    parameters?: readonly unknown[],
  ): Promise<readonly unknown[] & { readonly command: string; readonly count: number }>
}

interface PostgresJsReserved extends PostgresJsConnection {
  release(): void
}

/** The part of postgres.js that is used here. */
export interface PostgresJsClient extends PostgresJsConnection {
  reserve(): Promise<PostgresJsReserved>
  /** Waits for what runs, so many seconds at most. */
  end(options: { readonly timeout: number }): Promise<void>
}

/** Creates a Kysely dialect over a client of postgres.js, which is destroyed with it. */
export const postgresJsDialect = (client: PostgresJsClient): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
  createDriver: () => ({
    init: async () => {},
    acquireConnection: async () => new Reserved(await client.reserve()),
    beginTransaction: (connection) => run(connection, 'begin'),
    commitTransaction: (connection) => run(connection, 'commit'),
    rollbackTransaction: (connection) => run(connection, 'rollback'),
    releaseConnection: async (connection) => {
      if (connection instanceof Reserved) connection.giveBack()
    },
    // After the loss of a connection it would wait for ever.
    destroy: () => client.end({ timeout: 5 }),
  }),
})

class Reserved implements DatabaseConnection {
  readonly #own: PostgresJsReserved
  #running: Promise<unknown> = Promise.resolve()
  /** The error with which the connection was closed. */
  #loss: Error | undefined

  constructor(own: PostgresJsReserved) {
    this.#own = own
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    // A statement on a closed connection ends the process.
    if (this.#loss) throw this.#loss
    const sent = this.#own.unsafe(sql, [...parameters])
    this.#running = Promise.allSettled([this.#running, sent])
    try {
      const result = await sent
      return {
        // The border to the driver: rows of whatever the statement selects.
        rows: Array.from(result) as Row[],
        ...(writing.has(result.command) && { numAffectedRows: BigInt(result.count) }),
      }
    } catch (error) {
      if (isOfConnection(error)) this.#loss ??= error
      throw error
    }
  }

  streamQuery(): never {
    throw unreachable('an engine streams by cursors of its own')
  }

  /** Gives the connection back once nothing runs on it: postgres.js would hand it to another user in the middle of a statement. One that
   *  was closed is replaced by postgres.js itself, and would be handed on closed. */
  giveBack(): void {
    void this.#running.then(() => this.#loss ?? this.#own.release())
  }
}

/** True for an error of the connection itself, not of a statement. */
const isOfConnection = (error: unknown): error is Error => error instanceof Error && 'errno' in error

const writing: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

async function run(connection: DatabaseConnection, text: string): Promise<void> {
  await connection.executeQuery(CompiledQuery.raw(text))
}
