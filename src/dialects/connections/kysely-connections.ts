// Connections of Kysely's own drivers, whose classes it does not export. They are known by their members, which bundlers leave as they are. It stands
// here because everything below the drivers asks it, and imports nothing; the rest of what Kysely has no interface for is in drivers/kysely-internals.ts.

/** Names of the methods of a connection's class, and how many have none but a symbol; undefined where there is no class, or one above it. */
function membersOf(connection: object): { readonly names: string; readonly hidden: number } | undefined {
  const prototype = Object.getPrototypeOf(connection)
  if (prototype === Object.prototype || Object.getPrototypeOf(prototype) !== Object.prototype)
    return undefined
  return {
    names: Object.getOwnPropertyNames(prototype).sort().join(),
    hidden: Object.getOwnPropertySymbols(prototype).length,
  }
}

/** True for the connection of Kysely's own driver for SQLite, which has one for all statements. One that is not recognised is learned from its
 *  second statement on. */
export function isOnlyConnection(connection: object): boolean {
  const members = membersOf(connection)
  return members?.names === 'constructor,executeQuery,streamQuery' && members.hidden === 0
}

/** True for a connection that begins transactions by itself, as those do to which each statement is a request over HTTP. */
export const beginsByItself = (connection: object): boolean => 'beginTransaction' in connection

/** Runs a text on the raw client of a connection of Kysely's own driver for PostgreSQL, which it keeps private: even where the host logs
 *  statements, for which Kysely has put a method of its own in front of the driver's. False for any other connection, whose raw connection
 *  remains unknown. Only Kysely's driver hides how its connections are released behind a symbol. */
export function passToClient(connection: object, query: object): boolean {
  const members = membersOf(connection)
  if (!members || members.hidden === 0 || beginsByItself(connection)) return false
  const { executeQuery } = Object.getPrototypeOf(connection)
  executeQuery.call(connection, { sql: query, parameters: [] }).then(undefined, () => undefined)
  return true
}
