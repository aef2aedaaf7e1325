import type { DriverFault } from '../transaction-phrases.ts'

/** Returns the meaning of the error of a database that the host has closed. Each has its own words for it, and no code. */
export function faultOfClosed(error: unknown): DriverFault | undefined {
  const { message }: { readonly message?: unknown } = Object(error)
  return typeof message === 'string' && words.test(message) ? closed : undefined
}

/** Of Kysely, better-sqlite3, node:sqlite, pg and PGlite. */
const words =
  /^(?:driver has already been destroyed|The database connection is not open|database is not open|Cannot use a pool after calling end on the pool|PGlite is closed)$/

const closed: DriverFault = { code: 'SERVICE_UNAVAILABLE', says: 'The database is closed.', reason: 'closed' }
