// Counts the writes that a database has seen.
import { CompiledQuery } from 'kysely'
import { isOnlyConnection } from '../dialects/connections/kysely-connections.ts'
import { idleConnection } from '../dialects/connections/sync-connection.ts'
import { withConnection } from './connection.ts'
import type { Database } from './database.ts'

/** Returns a number that is another one after each write of any connection; undefined where it cannot be known, as where there may be several connections:
 *  each counts for itself. It touches no table, and is not reported as a statement. */
export async function writesSeen({ home, dialect }: Database): Promise<number | undefined> {
  const { writesSeen: text } = dialect
  if (text === undefined) return undefined
  const numberIn = ({ rows: [row] }: { readonly rows: readonly unknown[] }) => Number(Object(row)[0])
  const answer = idleConnection(home)
  if (answer) return numberIn(answer(text, []))
  return withConnection(home, async (connection) =>
    isOnlyConnection(connection)
      ? numberIn(await connection.executeQuery(CompiledQuery.raw(text)))
      : undefined,
  )
}
