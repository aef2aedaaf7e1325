// The entry `quernel/postgres`: PostgreSQL with statements that are prepared once per connection.
export { postgres } from './dialects/postgres.ts'
export type { PostgresOptions } from './drivers/postgres/driver.ts'
export { postgresDialect } from './drivers/postgres/kysely.ts'
export { nameStatements } from './drivers/postgres/statements.ts'
