import type { ErrorCode } from '../../errors/errors.ts'
import { codeOf } from '../error-codes.ts'
import type { Breach, DriverFault } from '../transaction-phrases.ts'

/** By SQLSTATE, or by the code of the connection's own failure. */
export function faultOf(error: unknown): DriverFault | undefined {
  const code = codeOf(error)
  if (code === undefined) return isLostConnection(error) ? unavailable : undefined
  if (isStale(error)) return stale
  const refused = refusalOf(error)
  return refused ? { code: refused } : (failures[code] ?? failures[code.slice(0, 2)])
}

/** What the server refuses of a row. */
function refusalOf(error: unknown): ErrorCode | undefined {
  const { [codeOf(error) ?? '']: known } = refusals
  return known ?? speakers[said(error, 'routine') ?? '']
}

const refusals: Readonly<Record<string, ErrorCode>> = {
  '22001': 'VALUE_TOO_LONG',
  '22003': 'VALUE_OUT_OF_RANGE',
  '22007': 'FAILED_VALIDATION',
  '22008': 'VALUE_OUT_OF_RANGE',
  '22P02': 'FAILED_VALIDATION',
  '23000': 'FAILED_VALIDATION',
  '23001': 'INVALID_FOREIGN_KEY',
  '23502': 'NOT_NULL_VIOLATION',
  '23503': 'INVALID_FOREIGN_KEY',
  '23505': 'RECORD_NOT_UNIQUE',
  '23514': 'FAILED_VALIDATION',
  '23P01': 'RECORD_NOT_UNIQUE', // an exclusion
  '428C9': 'FAILED_VALIDATION', // the column is computed, or always counted
  '44000': 'FAILED_VALIDATION', // the check option of a view
  '54000': 'VALUE_TOO_LONG', // a row too large for an index
  P0001: 'FAILED_VALIDATION', // raised by a trigger
}

/** The parts of the server that refuse a row with a code that says something else as well, or any. Their names are in no language. */
const speakers: Readonly<Record<string, ErrorCode>> = {
  ExecWithCheckOptions: 'FORBIDDEN', // a policy for rows, by the code of a missing privilege
  exec_stmt_raise: 'FAILED_VALIDATION', // a trigger, by a code of its own
}

const unavailable: DriverFault = { code: 'SERVICE_UNAVAILABLE' }
const outOfTime: DriverFault = { code: 'OUT_OF_TIME' }
const stale: DriverFault = {
  ...unavailable,
  says: 'A table has changed since this statement was prepared, and the database has ended the transaction: begin it anew.',
}

/** What goes wrong with the server, the connection or the transaction, by the code or by the class that it begins with. */
const failures: Readonly<Record<string, DriverFault>> = {
  '08': unavailable, // the connection
  '25006': { ...unavailable, says: 'The database can only be read, and not be written to.' },
  '25P02': {
    ...unavailable,
    says: 'Something has failed in this transaction before: roll it back, and begin it anew.',
  },
  '25P03': unavailable, // nothing was asked for too long
  '25P04': outOfTime, // of the whole transaction
  '40001': {
    ...unavailable,
    says: 'Another transaction has changed what this one works with, and the database has ended this one: begin it anew.',
  },
  '40P01': {
    ...unavailable,
    says: 'Another transaction and this one waited for each other, and the database has ended this one: begin it anew.',
  },
  '42501': { code: 'FORBIDDEN', says: 'The database does not allow this to the role that it is opened as.' },
  '53': unavailable, // the server's memory or connections
  '53100': { ...unavailable, says: 'The database has no room left.' },
  '55P03': unavailable,
  '57014': outOfTime,
  '57P01': unavailable,
  '57P02': unavailable,
  '57P03': unavailable,
  '57P05': unavailable,
  '58': { ...unavailable, says: 'The database cannot be read or written to.' }, // files of the server
  XX001: { ...unavailable, says: 'The database is damaged.' },
  XX002: { ...unavailable, says: 'The database is damaged.' }, // an index
  ECONNREFUSED: unavailable,
  ECONNRESET: unavailable,
  EAI_AGAIN: unavailable,
  EHOSTUNREACH: unavailable,
  ENOTFOUND: unavailable,
  EPIPE: unavailable,
  ETIMEDOUT: unavailable,
  // Of postgres.js.
  CONNECTION_CLOSED: unavailable,
  CONNECTION_DESTROYED: unavailable,
  CONNECTION_ENDED: unavailable,
  CONNECT_TIMEOUT: unavailable,
}

/** What the driver says of its own connections has no code. */
const isLostConnection = (error: unknown) =>
  error instanceof Error &&
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/.test(
    error.message,
  )

/** What a change of a table's columns makes of the statements that were prepared before. */
export const isStale = (error: unknown): boolean =>
  codeOf(error) === '0A000' && said(error, 'routine') === 'RevalidateCachedQuery'

/** What follows in a transaction in which something has failed. */
export const isAborted = (error: unknown): boolean => codeOf(error) === '25P02'

/** Two transactions that wait for each other, or that cannot both be true, and what was prepared too long ago. */
export const isPassing = (error: unknown): boolean =>
  ['40001', '40P01'].includes(codeOf(error) ?? '') || isStale(error)

export const lacksTable = (error: unknown): boolean => codeOf(error) === '42P01'

/** A broken rule comes with its table, and its columns stand in the detail in every language: `(slug, site)=(a, 1)`. */
export function breachOf(error: unknown): Breach | undefined {
  const code = refusalOf(error)
  if (!code) return undefined
  const [table, column] = [said(error, 'table'), said(error, 'column')]
  const checked = checkedIn(said(error, 'constraint'), table)
  const listed = /\(([^()]+)\)=\(/.exec(said(error, 'detail') ?? '')?.[1]
  return { code, table, columns: column ? [column] : (namesIn(listed) ?? checked) }
}

/** What the server says of an error. Some drivers write more of a name: `table_name`. */
function said(error: unknown, name: string): string | undefined {
  const all: object = Object(error)
  const text: unknown = Reflect.get(all, name) ?? Reflect.get(all, `${name}_name`)
  return typeof text === 'string' ? text : undefined
}

/** Names that are not plain stand in quotes: `"Name", slug`. */
const namesIn = (list: string | undefined): readonly string[] | undefined =>
  list
    ?.match(/"(?:[^"]|"")+"|[^", ]+/g)
    ?.map((name) => (name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name))

/** The server names the check of a column by it, unless the check has a name: `articles_views_check`. */
function checkedIn(constraint = '', table = ''): readonly string[] | undefined {
  const column = constraint.startsWith(`${table}_`) && /_check\d*$/.test(constraint)
  return column ? [constraint.slice(table.length + 1).replace(/_check\d*$/, '')] : undefined
}
