import { ZenStackClient } from '@zenstackhq/orm'
import { PostgresDialect } from '@zenstackhq/orm/dialects/postgres'
import { PolicyPlugin } from '@zenstackhq/plugin-policy'
import type { Party } from '../contestant.ts'
import { schema } from '../generated/zenstack/postgres/reads/schema.ts'
import { openPool } from '../postgres-data.ts'
import { type Client, zenStackForms } from './zenstack.ts'

/** @public Loaded by name, once the peers are installed. */
export function openParty(url: string): Party {
  const client = new ZenStackClient(schema, {
    dialect: new PostgresDialect({ pool: openPool(url) }),
    plugins: [new PolicyPlugin()],
    // It would read times of other columns in its own way, for all who use pg.
    fixPostgresTimezone: false,
  })
  // Two types that differ in the name of the database only.
  const objects = zenStackForms(client as unknown as Client)
  return { name: 'zenstack, narrowed', objects, close: () => client.$disconnect() }
}
