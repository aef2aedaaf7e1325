import { CompiledQuery } from 'kysely'
import { isOnlyConnection } from '../dialects/connections/kysely-connections.ts'
import { render } from '../dialects/sql.ts'
import type { Database, Options } from './database.ts'
import { connected } from './execute.ts'
import type { BoundStatement } from './statement.ts'

/** Asks the database how it would run a statement, and returns the steps in its own words. It is no statement of the caller's, so it is not
 *  reported. Undefined on a connection of another driver than Kysely's own: that of libSQL (0.3) does not end such a statement, which then keeps
 *  the connection from giving back the lock of its next transaction. */
export async function planSteps(
  database: Database,
  { sql, parameters }: BoundStatement,
  options: Options,
): Promise<readonly string[] | undefined> {
  const { sql: explain } = render(database.dialect.explain, database.dialect)
  const probe = CompiledQuery.raw(`${explain}${sql}`, [...parameters])
  const plan = await connected(database, options, async (connection) =>
    isOnlyConnection(connection) ? connection.executeQuery<object>(probe) : undefined,
  )
  return plan?.rows.map(stepIn)
}

/** Databases differ in the other columns beside the text. */
export function stepIn(row: object): string {
  const texts = Object.values(row).filter((value) => typeof value === 'string')
  return texts.join(' ')
}
