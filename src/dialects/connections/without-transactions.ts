import type { DriverFault } from '../transaction-phrases.ts'

/** Returns the meaning of the error of a driver that has no transactions, as those over HTTP have none. */
export function faultWithoutTransactions(error: unknown): DriverFault | undefined {
  const { message }: { readonly message?: unknown } = Object(error)
  return typeof message === 'string' && words.test(message) ? unsupported : undefined
}

/** Each says it in its own words: kysely-d1, kysely-neon, and D1 itself of the statement. */
const words =
  /transactions are not supported|does(?:n't| not) support (?:interactive )?transactions|^(?:D1_ERROR: )?To execute a transaction, please use /i

const unsupported: DriverFault = {
  code: 'FORBIDDEN',
  says: 'The driver of this database has no transactions, and this takes one.',
  lacksTransactions: true,
}
