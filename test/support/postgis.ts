// A PostGIS that needs no install: PostgreSQL compiled to WebAssembly, behind a Kysely dialect.
import { PGlite } from '@electric-sql/pglite'
import { postgis } from '@electric-sql/pglite-postgis'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import type { OpenDatabase } from './databases.ts'

/** Opens an empty database with PostGIS. */
export async function openPostgis(): Promise<OpenDatabase> {
  const lite = await PGlite.create({ extensions: { postgis } })
  await lite.exec('create extension postgis')
  const db: OpenDatabase['db'] = new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driverOf(lite),
      createIntrospector: (kysely) => new PostgresIntrospector(kysely),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  const close = async () => {
    await db.destroy()
    await lite.close()
  }
  return { db, close }
}

function driverOf(lite: PGlite): Driver {
  const connection: DatabaseConnection = {
    executeQuery: async <Row>({ sql, parameters }: CompiledQuery) => ({
      rows: (await lite.query<Row>(sql, [...parameters])).rows,
    }),
    streamQuery: () => {
      throw new Error('This test database does not stream.')
    },
  }
  const run = async (text: string) => {
    await lite.exec(text)
  }
  return {
    init: async () => {},
    acquireConnection: async () => connection,
    beginTransaction: () => run('begin'),
    commitTransaction: () => run('commit'),
    rollbackTransaction: () => run('rollback'),
    releaseConnection: async () => {},
    destroy: async () => {},
  }
}
