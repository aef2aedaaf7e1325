// postgres.js as a Kysely dialect, for the command: a project that has only this driver need not install another.
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import { unreachable } from '../../errors/errors.ts'

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
  end(): Promise<void>
}

/** Creates a Kysely dialect over a client of postgres.js, which is destroyed with it. */
export const postgresJsDialect = (client: PostgresJsClient): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
  createDriver: () => {
    const reserved = new WeakMap<DatabaseConnection, PostgresJsReserved>()
    return {
      init: async () => {},
      acquireConnection: async () => {
        const own = await client.reserve()
        const connection = connectionOver(own)
        reserved.set(connection, own)
        return connection
      },
      beginTransaction: (connection) => run(connection, 'begin'),
      commitTransaction: (connection) => run(connection, 'commit'),
      rollbackTransaction: (connection) => run(connection, 'rollback'),
      releaseConnection: async (connection) => reserved.get(connection)?.release(),
      destroy: () => client.end(),
    }
  },
})

const connectionOver = (own: PostgresJsConnection): DatabaseConnection => ({
  executeQuery: async <Row>({ sql, parameters }: CompiledQuery) => {
    const result = await own.unsafe(sql, [...parameters])
    return {
      // The border to the driver: rows of whatever the statement selects.
      rows: Array.from(result) as Row[],
      ...(writing.has(result.command) && { numAffectedRows: BigInt(result.count) }),
    }
  },
  streamQuery: () => {
    throw unreachable('an engine streams by cursors of its own')
  },
})

const writing: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

async function run(connection: DatabaseConnection, text: string): Promise<void> {
  await connection.executeQuery(CompiledQuery.raw(text))
}
