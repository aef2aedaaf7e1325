import { CompiledQuery } from 'kysely'
import { render } from '../dialects/sql.ts'
import type { Database, Options } from './database.ts'
import { connected } from './execute.ts'
import type { BoundStatement } from './statement.ts'

/** Asks the database how it would run a statement, and returns the steps in its own words. It is no statement of the caller's, so it is not
 *  reported. */
export async function planSteps(
  database: Database,
  { sql, parameters }: BoundStatement,
  options: Options,
): Promise<readonly string[]> {
  const { sql: explain } = render(database.dialect.explain, database.dialect)
  const probe = CompiledQuery.raw(`${explain}${sql}`, [...parameters])
  const { rows } = await connected(database, options, (connection) => connection.executeQuery<object>(probe))
  return rows.map(stepIn)
}

/** Databases differ in the other columns beside the text. */
export function stepIn(row: object): string {
  const texts = Object.values(row).filter((value) => typeof value === 'string')
  return texts.join(' ')
}
