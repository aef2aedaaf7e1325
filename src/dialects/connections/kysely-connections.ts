// Connections of Kysely's own drivers, whose classes it does not export. It stands here because everything below the drivers asks it, and imports
// nothing; the rest of what Kysely has no interface for is in drivers/kysely-internals.ts.

/** True for the connection of Kysely's own driver for SQLite, which has one for all statements. One that is not recognised is learned from its
 *  second statement on. */
export const isOnlyConnection = (connection: object): boolean =>
  connection.constructor.name === 'SqliteConnection'

/** Runs a text on the raw client of a connection of Kysely's own driver for PostgreSQL, which it keeps private: even where the host logs
 *  statements, for which Kysely has put a method of its own in front of the driver's. False for any other connection, whose raw connection
 *  remains unknown. */
export function passToClient(connection: object, query: object): boolean {
  if (connection.constructor.name !== 'PostgresConnection') return false
  const { executeQuery } = Object.getPrototypeOf(connection)
  executeQuery.call(connection, { sql: query, parameters: [] }).then(undefined, () => undefined)
  return true
}
