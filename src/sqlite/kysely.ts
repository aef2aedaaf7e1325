import { SqliteAdapter, SqliteDialect, type SqliteDialectConfig } from 'kysely'
import { phraseBook } from '../dialects/detect.ts'
import { sqlite } from './dialect.ts'
import { equipDatabase } from './equip.ts'
import type { Sqlite3Database } from './functions.ts'

/** What Kysely's SqliteDialect takes, and how many statements are kept. */
export interface SqliteOptions extends Omit<SqliteDialectConfig, 'database'> {
  readonly database: Sqlite3Database | (() => Promise<Sqlite3Database>)
  /** How many prepared statements are kept. */
  readonly statements?: number
}

/** A Kysely dialect over better-sqlite3 that an engine recognises by itself.
 *  @example const shop = new Kysely({ dialect: sqliteDialect({ database: new Database(':memory:') }) }) */
export function sqliteDialect({ database, statements, ...config }: SqliteOptions): SqliteDialect {
  const options = statements === undefined ? {} : { statements }
  const equipped =
    typeof database === 'function'
      ? async () => equipDatabase(await database(), options)
      : equipDatabase(database, options)
  return new EquippedDialect({ ...config, database: equipped })
}

class EquippedDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new EquippedAdapter()
  }
}

class EquippedAdapter extends SqliteAdapter {
  readonly [phraseBook] = sqlite
}
