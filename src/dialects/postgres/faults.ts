import type { ErrorCode } from '../../errors.ts'
import type { Breach } from '../dialect.ts'
import { codeOf } from '../error-codes.ts'

/** By SQLSTATE, or by the code of the connection's own failure. */
export function faultOf(error: unknown): ErrorCode | undefined {
  const code = codeOf(error)
  if (code === undefined) return isLostConnection(error) ? 'SERVICE_UNAVAILABLE' : undefined
  return refusalOf(error) ?? classes[code.slice(0, 2)]
}

function refusalOf(error: unknown): ErrorCode | undefined {
  const { [codeOf(error) ?? '']: known } = codes
  return known ?? speakers[said(error, 'routine') ?? '']
}

const codes: Readonly<Record<string, ErrorCode>> = {
  '22001': 'VALUE_TOO_LONG',
  '22003': 'VALUE_OUT_OF_RANGE',
  '22007': 'FAILED_VALIDATION',
  '22008': 'VALUE_OUT_OF_RANGE',
  '22P02': 'FAILED_VALIDATION',
  '23000': 'FAILED_VALIDATION',
  '23502': 'NOT_NULL_VIOLATION',
  '23503': 'INVALID_FOREIGN_KEY',
  '23505': 'RECORD_NOT_UNIQUE',
  '23514': 'FAILED_VALIDATION',
  '23P01': 'RECORD_NOT_UNIQUE', // an exclusion
  '23001': 'INVALID_FOREIGN_KEY',
  '428C9': 'FAILED_VALIDATION', // the column is computed, or always counted
  '44000': 'FAILED_VALIDATION', // the check option of a view
  '25P03': 'SERVICE_UNAVAILABLE', // nothing was asked for too long
  '25P04': 'OUT_OF_TIME', // of the whole transaction
  '40001': 'SERVICE_UNAVAILABLE',
  '40P01': 'SERVICE_UNAVAILABLE',
  '54000': 'VALUE_TOO_LONG', // a row too large for an index
  '57014': 'OUT_OF_TIME',
  '57P01': 'SERVICE_UNAVAILABLE',
  '57P02': 'SERVICE_UNAVAILABLE',
  '57P03': 'SERVICE_UNAVAILABLE',
  '57P05': 'SERVICE_UNAVAILABLE',
  '55P03': 'SERVICE_UNAVAILABLE',
  P0001: 'FAILED_VALIDATION', // raised by a trigger
  ECONNREFUSED: 'SERVICE_UNAVAILABLE',
  ECONNRESET: 'SERVICE_UNAVAILABLE',
  EAI_AGAIN: 'SERVICE_UNAVAILABLE',
  EHOSTUNREACH: 'SERVICE_UNAVAILABLE',
  ENOTFOUND: 'SERVICE_UNAVAILABLE',
  EPIPE: 'SERVICE_UNAVAILABLE',
  ETIMEDOUT: 'SERVICE_UNAVAILABLE',
}

/** The parts of the server that refuse a row with a code that says something else as well, or any. Their names are in no language. */
const speakers: Readonly<Record<string, ErrorCode>> = {
  ExecWithCheckOptions: 'FORBIDDEN', // a policy for rows, by the code of a missing privilege
  exec_stmt_raise: 'FAILED_VALIDATION', // a trigger, by a code of its own
}

const classes: Readonly<Record<string, ErrorCode>> = {
  '08': 'SERVICE_UNAVAILABLE', // the connection
  '53': 'SERVICE_UNAVAILABLE', // the server's memory, disk or connections
}

/** What the driver says of its own connections has no code. */
const isLostConnection = (error: unknown) =>
  error instanceof Error &&
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/.test(
    error.message,
  )

/** Two transactions that wait for each other, or that cannot both be true. */
export const isPassing = (error: unknown): boolean => ['40001', '40P01'].includes(codeOf(error) ?? '')

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

/** What the server says of an error. */
function said(error: unknown, name: string): string | undefined {
  const text: unknown = Reflect.get(Object(error), name)
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
