import BetterSqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { createEngine, defineSchema, type Engine } from '../../src/index.ts'
import type { SchemaDefinition } from '../../src/schema/definition.ts'
import type { AnyTables } from '../support/databases.ts'

// A schema is made without a statement, so no table has to be there.
const db = new Kysely<AnyTables>({ dialect: new SqliteDialect({ database: new BetterSqlite(':memory:') }) })

/** An engine on a database without tables. */
export const engineOf = (definition: SchemaDefinition): Engine =>
  createEngine({ db, schema: defineSchema(definition) })
