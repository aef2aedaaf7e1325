import { quote } from '../errors/errors.ts'
import type { DriverFault } from './transaction-phrases.ts'

export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** Returns the fault of a statement over a table or a column that the database does not have. The name is in the hint alone, which no caller is
 *  shown: their rules may hide the table. */
export const lackOf = (kind: string, name: string | undefined): DriverFault => ({
  code: 'INTERNAL_SERVER_ERROR',
  hint: `The database has no ${kind} ${name === undefined ? 'of a name in this statement' : quote(name)}: "quernel check" compares a schema with it.`,
})
