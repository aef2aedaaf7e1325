// The entry `quernel/postgres`: PostgreSQL with statements that are prepared once per connection.
export { postgres } from './dialects/postgres.ts'
export type { PostgresOptions } from './postgres/driver.ts'
export { postgresDialect } from './postgres/kysely.ts'
export { nameStatements } from './postgres/statements.ts'
