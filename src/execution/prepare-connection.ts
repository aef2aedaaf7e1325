// The first use of a connection: what the dialect wants to know of the server, and the settings that its phrases rely on.
import type { Connection } from './connection.ts'
import type { Database } from './database.ts'
import { isKnown, readServerVersion } from './server-version.ts'
import { compiled, patient } from './statement-timeout.ts'
import { isInDoubt, rollBackAgain } from './transaction/uncertain-commit.ts'

/** Connections that have the settings of their dialect. */
const withSettings = new WeakSet<Connection>()

/** True if a connection can be used as it is. */
export const isPrepared = (connection: Connection, database: Database): boolean =>
  isKnown(database) &&
  !isInDoubt(connection, database) &&
  (database.dialect.settings === undefined || withSettings.has(connection))

/** Prepares a connection for its first statement. */
export async function prepareConnection(
  connection: Connection,
  database: Database,
  timeoutMs: number | undefined,
): Promise<void> {
  if (isInDoubt(connection, database)) await rollBackAgain(connection, database)
  const waiting = patient(connection, database, timeoutMs)
  if (!isKnown(database)) await readServerVersion(waiting, database)
  for (const setting of database.dialect.settings ?? [])
    await waiting.executeQuery(compiled(setting, database))
  withSettings.add(connection)
}
