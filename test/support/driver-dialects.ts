// Other drivers as Kysely dialects, each as small as it can be: what projects write that have one of them.
import type { PGlite } from '@electric-sql/pglite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { NodeSqliteDatabase, NodeSqliteValue } from '../../src/sqlite.ts'

const sqliteBy = (createDriver: () => Driver): Dialect => ({
  createAdapter: () => new SqliteAdapter(),
  createDriver,
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
})

const postgresBy = (createDriver: () => Driver): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createDriver,
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
})

const streamQuery: DatabaseConnection['streamQuery'] = () => {
  throw new Error('This driver does not stream.')
}

interface LibsqlConnection {
  execute(statement: { readonly sql: string; readonly args: readonly unknown[] }): Promise<{
    readonly rows: readonly unknown[]
    readonly rowsAffected: number
    readonly lastInsertRowid: bigint | undefined
  }>
}

interface LibsqlTransaction extends LibsqlConnection {
  commit(): Promise<void>
  rollback(): Promise<void>
}

/** As much of the clients of libSQL as is needed here. */
export interface LibsqlClient extends LibsqlConnection {
  transaction(): Promise<LibsqlTransaction>
  close(): void
}

/** libSQL as its own dialect has it: statements of one after another may run on different connections, those of a transaction on one. */
export const libsqlDialect = (client: LibsqlClient): Dialect =>
  sqliteBy(() => {
    const open = new WeakMap<DatabaseConnection, LibsqlTransaction>()
    const end = async (connection: DatabaseConnection, how: 'commit' | 'rollback') => {
      await open.get(connection)?.[how]()
      open.delete(connection)
    }
    return {
      init: async () => {},
      acquireConnection: async () => {
        const connection: DatabaseConnection = {
          executeQuery: async <Row>({ sql, parameters }: CompiledQuery) => {
            const result = await (open.get(connection) ?? client).execute({ sql, args: parameters })
            return {
              rows: result.rows as Row[],
              numAffectedRows: BigInt(result.rowsAffected),
              ...(result.lastInsertRowid !== undefined && { insertId: result.lastInsertRowid }),
            }
          },
          streamQuery,
        }
        return connection
      },
      beginTransaction: async (connection) => {
        open.set(connection, await client.transaction())
      },
      commitTransaction: (connection) => end(connection, 'commit'),
      rollbackTransaction: (connection) => end(connection, 'rollback'),
      releaseConnection: async () => {},
      destroy: async () => {},
    }
  })

/** As much of the databases of sql.js as is needed here; it comes without types. */
export interface SqlJsDatabase {
  prepare(text: string): SqlJsStatement
  getRowsModified(): number
  close(): void
}

interface SqlJsStatement {
  getColumnNames(): readonly string[]
  bind(parameters: readonly unknown[]): void
  step(): boolean
  getAsObject(): unknown
  free(): void
}

export function sqlJsDialect(database: SqlJsDatabase): Dialect {
  const run = (text: string, parameters: readonly unknown[]) => {
    const statement = database.prepare(text)
    try {
      statement.bind(parameters)
      const rows: unknown[] = []
      while (statement.step()) rows.push(statement.getAsObject())
      return rows
    } finally {
      statement.free()
    }
  }
  const isReading = (text: string) => {
    const statement = database.prepare(text)
    const names = statement.getColumnNames()
    statement.free()
    return names.length > 0
  }
  return new SqliteDialect({
    database: {
      close: () => database.close(),
      prepare: (text) => ({
        reader: isReading(text),
        all: (parameters) => run(text, parameters),
        run: (parameters) => {
          run(text, parameters)
          const changes = database.getRowsModified()
          const [last] = run('select last_insert_rowid() as id', []) as { readonly id: number }[]
          return { changes, lastInsertRowid: last?.id ?? 0 }
        },
        iterate: () => {
          throw new Error('This driver does not stream.')
        },
      }),
    },
  })
}

/** A project's own few lines over node:sqlite, without `quernel/sqlite`. */
export function nodeSqliteDialect(database: NodeSqliteDatabase): Dialect {
  const adapted: SqliteDatabase = {
    close: () => database.close(),
    prepare: (text) => {
      const statement = database.prepare(text)
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => statement.all(...boundBy(parameters)),
        run: (parameters) => statement.run(...boundBy(parameters)),
        iterate: (parameters) => statement.iterate(...boundBy(parameters)),
      }
    },
  }
  return new SqliteDialect({ database: adapted })
}

/** The border to node:sqlite, which checks each value by itself. */
const boundBy = (parameters: readonly unknown[]) => parameters as readonly NodeSqliteValue[]

/** Statements that begin and end a transaction, on a connection that takes them like any other. */
const byStatements = {
  beginTransaction: (connection: DatabaseConnection) => told(connection, 'begin'),
  commitTransaction: (connection: DatabaseConnection) => told(connection, 'commit'),
  rollbackTransaction: (connection: DatabaseConnection) => told(connection, 'rollback'),
}

async function told(connection: DatabaseConnection, text: string): Promise<void> {
  await connection.executeQuery(CompiledQuery.raw(text))
}

export const pgliteDialect = (lite: PGlite): Dialect =>
  postgresBy(() => {
    const connection: DatabaseConnection = {
      executeQuery: async <Row>({ sql, parameters }: CompiledQuery) => {
        const { rows, affectedRows } = await lite.query<Row>(sql, [...parameters])
        return { rows, ...(affectedRows !== undefined && { numAffectedRows: BigInt(affectedRows) }) }
      },
      streamQuery,
    }
    // There is one connection, so one takes it after the other.
    let last: Promise<unknown> = Promise.resolve()
    let release = () => {}
    return {
      init: async () => {},
      acquireConnection: async () => {
        const before = last
        const { promise, resolve } = newPromise()
        last = promise
        await before
        release = resolve
        return connection
      },
      ...byStatements,
      releaseConnection: async () => release(),
      destroy: async () => {},
    }
  })

function newPromise(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
