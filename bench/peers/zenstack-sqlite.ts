import { ZenStackClient } from '@zenstackhq/orm'
import { SqliteDialect } from '@zenstackhq/orm/dialects/sqlite'
import { PolicyPlugin } from '@zenstackhq/plugin-policy'
import type { Party } from '../contestant.ts'
import { schema } from '../generated/zenstack/sqlite/reads/schema.ts'
import { openSqlite } from '../sqlite-data.ts'
import { zenStackForms } from './zenstack.ts'

/** @public Loaded by name, once the peers are installed. */
export function openParty(file: string): Party {
  const dialect = new SqliteDialect({ database: openSqlite(file) })
  const client = new ZenStackClient(schema, { dialect, plugins: [new PolicyPlugin()] })
  return { name: 'zenstack, narrowed', objects: zenStackForms(client), close: () => client.$disconnect() }
}
