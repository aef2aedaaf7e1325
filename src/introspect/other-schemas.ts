// Database schemas with tables that were not looked into, because no bare name is found there.
import type { Dialect } from '../dialects/dialect.ts'
import type { HostDatabase } from '../dialects/host.ts'
import { render } from '../dialects/sql.ts'
import { type EngineError, fault, quote } from '../errors/errors.ts'
import { execute } from '../execution/execute.ts'
import { databaseOf, phrasesOf } from './read-catalogue.ts'

/** Returns the error for a database in which no table was found, and says where others are. */
export async function noTable(db: HostDatabase, dialect: Dialect): Promise<EngineError> {
  const names = await otherSchemas(db, dialect)
  const sentence = 'There is no table in the database.'
  if (names.length === 0) return fault('INVALID_OPTIONS', sentence)
  const shown = names.slice(0, maxShown).map(quote).join(', ')
  const more = names.length > maxShown ? ` and ${names.length - maxShown} others` : ''
  const says = `Those in the ${names.length === 1 ? 'schema' : 'schemas'} ${shown}${more} are found by the name of their schema alone.`
  return fault('INVALID_OPTIONS', `${sentence} ${says}`, {
    path: ['dbSchemas'],
    hint: `Take them with dbSchemas: ${JSON.stringify(names.slice(0, maxShown))}, or with --db-schema.`,
  })
}

const maxShown = 10

async function otherSchemas(db: HostDatabase, dialect: Dialect): Promise<readonly string[]> {
  const statement = phrasesOf(dialect).otherSchemas
  if (!statement) return []
  const rows = await execute(databaseOf(db, dialect), render(statement, dialect), {})
  return rows.map((row) => String(row[0]))
}
