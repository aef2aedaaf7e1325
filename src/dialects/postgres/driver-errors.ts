import type { ErrorCode } from '../../errors/errors.ts'
import { faultWithoutTransactions } from '../connections/without-transactions.ts'
import { codeOf, lackOf } from '../error-codes.ts'
import type { Breach, DriverFault } from '../transaction-phrases.ts'
import { castsOther } from './other-types.ts'

/** Translates an error by its SQLSTATE, or by the code of a connection failure. */
export function faultOf(error: unknown): DriverFault | undefined {
  const code = codeOf(error)
  if (code === undefined) return withoutCode(error) ?? faultWithoutTransactions(error)
  if (isStale(error)) return stale
  if (isOfLooseText(error)) return looseText
  const refused = refusalOf(error)
  if (refused) return { code: refused }
  return isSuspect(error) ? stale : (lackIn(error, code) ?? failureOf(code))
}

/** A missing table or column. The server names it in its message alone, which may be in any language: then it has no name. */
function lackIn(error: unknown, code: string): DriverFault | undefined {
  const message = error instanceof Error ? error.message : ''
  if (code === '42P01') return lackOf('table', /^relation "(.+)" does not exist$/.exec(message)?.[1])
  const column = /^column (?:_q\d+\.)?"?(.+?)"?(?: of relation ".+")? does not exist$/.exec(message)?.[1]
  return code === '42703' ? lackOf('column', column) : undefined
}

/** True for an error of a match under a collation that takes different texts for equal, where the statement itself matches and no function of the
 *  host's. The functions of the server are those of version 15. A cast to another collation would do, but no index serves it. */
const isOfLooseText = (error: unknown): boolean =>
  /_regex_coll|IC_like/.test(said(error, 'routine') ?? '') && said(error, 'where') === undefined

const looseText: DriverFault = {
  code: 'INVALID_QUERY',
  says: 'The collation of a text takes different texts for equal: use "_eq" or "_in".',
}

/** The error code if the server refuses a row. */
function refusalOf(error: unknown): ErrorCode | undefined {
  const code = codeOf(error) ?? ''
  const { [code]: known } = refusals
  if (known === undefined && isSyntaxOfText(error)) return 'FAILED_VALIDATION'
  // An error that a function raises with the code of a failure is meant as one.
  if (known === undefined && isRaised(error) && failureOf(code)) return undefined
  return known ?? speakers[said(error, 'routine') ?? '']
}

/** True for an error that a function in PL/pgSQL raises, with any code. The server goes on. */
export const isRaised = (error: unknown): boolean => said(error, 'routine') === 'exec_stmt_raise'

/** A text with a syntax of its own, such as a query for words, is refused like a statement; but an error in a statement has a position there. */
const isSyntaxOfText = (error: unknown): boolean =>
  codeOf(error) === '42601' && said(error, 'position') === undefined

/** True if a statement that stores no values has failed since a text in it is none of the type that it is cast to. */
export const refusesOperand = (error: unknown, statement: string): boolean =>
  isOfText(error) && castsOther.test(statement) && !storing.test(statement)

/** True if a statement that stores no values has failed since it looks into a stored JSON value, which the type `json` keeps unread: U+0000,
 *  half a surrogate pair, or in a column of text what is no JSON. The server reads such a value with one function, whatever its versions call it. */
export const cannotReadJson = (error: unknown, statement: string): boolean =>
  ['22P02', '22P05'].includes(codeOf(error) ?? '') &&
  /^(json_|report_)\w*error$|^json_lex_string$/.test(said(error, 'routine') ?? '') &&
  !storing.test(statement)

const isOfText = (error: unknown): boolean =>
  isSyntaxOfText(error) || /^22(000|003|007|008|00M|00N|023|026|P02|P03)$/.test(codeOf(error) ?? '')

/** Matches statements that store values; a lock "for update" has no table behind it. */
const storing = /\b(?:insert into|update) "/

const refusals: Readonly<Record<string, ErrorCode>> = {
  '22000': 'FAILED_VALIDATION', // the bounds of a range, in the wrong order
  '22001': 'VALUE_TOO_LONG',
  '22003': 'VALUE_OUT_OF_RANGE',
  '22007': 'FAILED_VALIDATION',
  '22008': 'VALUE_OUT_OF_RANGE',
  '2200M': 'FAILED_VALIDATION', // a document of XML
  '2200N': 'FAILED_VALIDATION', // a piece of XML
  '22023': 'FAILED_VALIDATION',
  '22026': 'FAILED_VALIDATION', // a number of bits
  '22P02': 'FAILED_VALIDATION',
  '22P03': 'FAILED_VALIDATION',
  '22P05': 'FAILED_VALIDATION', // U+0000 within JSON
  '23000': 'FAILED_VALIDATION',
  '23001': 'INVALID_FOREIGN_KEY',
  '23502': 'NOT_NULL_VIOLATION',
  '23503': 'INVALID_FOREIGN_KEY',
  '23505': 'RECORD_NOT_UNIQUE',
  '23514': 'FAILED_VALIDATION',
  '23P01': 'RECORD_NOT_UNIQUE', // an exclusion constraint
  '428C9': 'FAILED_VALIDATION', // the column is computed, or always generated
  '44000': 'FAILED_VALIDATION', // the check option of a view
  '54000': 'VALUE_TOO_LONG', // a row too large for an index
  P0001: 'FAILED_VALIDATION', // raised by a trigger
}

/** The server functions that refuse a row with an ambiguous code, or any. Their names are the same in every language. */
const speakers: Readonly<Record<string, ErrorCode>> = {
  ExecWithCheckOptions: 'FORBIDDEN', // a row-level security policy, with the code of a missing privilege
  exec_stmt_raise: 'FAILED_VALIDATION', // a trigger, with a code that nothing else uses
}

const unavailable: DriverFault = { code: 'SERVICE_UNAVAILABLE' }
const lost: DriverFault = { ...unavailable, says: 'The connection to the database broke.' }
const unreached: DriverFault = { ...unavailable, says: 'The database cannot be reached.' }
const down: DriverFault = { ...unavailable, says: 'The database has ended the connection.' }
const locked: DriverFault = { ...unavailable, says: 'Another transaction holds what this one works with.' }
const tooMuch: DriverFault = {
  code: 'INVALID_QUERY',
  says: 'This is more than the database takes in one statement.',
}
const outOfTime: DriverFault = { code: 'OUT_OF_TIME' }
const queryTimeout = /^Query read timeout$/
const unnamed: DriverFault = {
  ...unavailable,
  says: 'A pooler has given this transaction a connection that does not know its statements, and the database has ended it: begin it anew.',
}
const stale: DriverFault = {
  ...unavailable,
  says: 'A table has changed since this statement was prepared, and the database has ended the transaction: begin it anew.',
}

/** Failures of the server, the connection or the transaction, by the code or by the class that it begins with. */
const failures: Readonly<Record<string, DriverFault>> = {
  '08': lost,
  '25006': { ...unavailable, says: 'The database can only be read, and not be written to.' },
  '25P02': {
    ...unavailable,
    says: 'Something has failed in this transaction before: roll it back, and begin it anew.',
  },
  '25P03': { ...unavailable, says: 'The transaction was idle for longer than the database allows.' },
  '25P04': outOfTime, // the transaction timeout
  '26000': unnamed,
  '42P22': { code: 'INVALID_QUERY', says: 'The database does not compare texts of different collations.' },
  '40001': {
    ...unavailable,
    says: 'Another transaction has changed what this one works with, and the database has ended this one: begin it anew.',
  },
  '40P01': {
    ...unavailable,
    says: 'Another transaction and this one waited for each other, and the database has ended this one: begin it anew.',
  },
  '42P05': unnamed,
  '42501': { code: 'FORBIDDEN', says: 'The database does not allow this to the role that it is opened as.' },
  '53': unavailable, // the server's memory or connections
  '53100': { ...unavailable, says: 'The database has no room left.' },
  '54001': tooMuch, // the stack of the server
  '54011': tooMuch, // columns
  '54023': tooMuch, // arguments
  '55P03': locked,
  '57014': outOfTime,
  '57P01': down,
  '57P02': down,
  '57P03': unreached, // it starts, or is shut down
  '57P05': down, // an idle session
  '58': { ...unavailable, says: 'The database cannot be read or written to.' }, // files of the server
  XX001: { ...unavailable, says: 'The database is damaged.' },
  XX002: { ...unavailable, says: 'The database is damaged.' }, // an index
  ECONNREFUSED: unreached,
  ECONNRESET: lost,
  EAI_AGAIN: unreached,
  EHOSTUNREACH: unreached,
  ENOTFOUND: unreached,
  EPIPE: lost,
  ETIMEDOUT: unreached,
  // Codes of postgres.js.
  CONNECTION_CLOSED: lost,
  CONNECTION_DESTROYED: lost,
  CONNECTION_ENDED: lost,
  CONNECT_TIMEOUT: unreached,
}

const failureOf = (code: string): DriverFault | undefined => failures[code] ?? failures[code.slice(0, 2)]

/** The driver's own errors have no code. */
function withoutCode(error: unknown): DriverFault | undefined {
  const message = error instanceof Error ? error.message : ''
  return silent.find(({ says }) => says.test(message))?.fault
}

const silent: readonly { readonly says: RegExp; readonly fault: DriverFault }[] = [
  { says: /^Connection terminated due to connection timeout/, fault: unreached },
  { says: /^(Connection terminated|Client (has encountered a connection error|was closed))/, fault: lost },
  {
    says: /^timeout exceeded when trying to connect/, // of a pool
    fault: { ...unavailable, says: 'No connection to the database became free in time.' },
  },
  { says: queryTimeout, fault: outOfTime },
]

/** True if pg has given up a statement by its `query_timeout`, and the server still runs it. */
export const leavesRunning = (error: unknown): boolean =>
  codeOf(error) === undefined && error instanceof Error && queryTimeout.test(error.message)

/** True if the server ends the connection with this error. The client learns of the end only later, and could be used until then. */
export const endsConnection = (error: unknown): boolean =>
  !isRaised(error) && /^(08...|57P0[1-5]|25P0[34])$/.test(codeOf(error) ?? '')

/** True if a table's columns have changed since the statement was prepared. */
export const isStale = (error: unknown): boolean =>
  codeOf(error) === '0A000' && said(error, 'routine') === 'RevalidateCachedQuery'

/** True if a statement may have failed only since the columns of a table had other types when it was prepared: the server keeps the types of
 *  its values. */
export const mayBeStale = (error: unknown): boolean =>
  staleCodes.test(codeOf(error) ?? '') && !isRaised(error)

/** An invalid value of a type, a type that no longer exists, or no operator that takes a value of the type. */
const staleCodes = /^(?:22...|42704|42725|42804|42846|42883|42P18|XX000)$/

/** The property of an error that may have come of a stale statement in a transaction, which nothing else can be tried in. Its statement is
 *  prepared anew. A symbol of the registry, because a process may have two copies of this file, one for each entry. */
const suspect: unique symbol = Symbol.for('quernel.suspect')

export function markSuspect(error: unknown): void {
  if (error instanceof Error) Object.defineProperty(error, suspect, { value: true })
}

const isSuspect = (error: unknown): boolean => error instanceof Error && suspect in error

/** True if a statement's name is unknown to the server's connection, or taken there: a pooler gives a client several in turn. */
export const isNameUncertain = (error: unknown): boolean =>
  !isRaised(error) && ['26000', '42P05'].includes(codeOf(error) ?? '')

/** A view that groups, a materialized one, a key without an order, or a user who may delete and not update. */
export const refusesLock = (error: unknown): boolean =>
  ['0A000', '42501', '42809', '42883'].includes(codeOf(error) ?? '')

/** True for an error that follows another one in the same transaction. */
export const isAborted = (error: unknown): boolean => codeOf(error) === '25P02'

/** True if a statement was, or may have been, prepared before a table has changed. */
export const isOutdated = (error: unknown): boolean => isStale(error) || isSuspect(error)

/** True for deadlocks, serialization failures, and statements that are, or may have been, prepared too long ago or on another connection. */
export const isTransient = (error: unknown): boolean =>
  ['40001', '40P01'].includes(codeOf(error) ?? '') || isOutdated(error) || isNameUncertain(error)

export const lacksTable = (error: unknown): boolean => codeOf(error) === '42P01'

/** A constraint violation comes with its table, and its columns are in the detail in every language:
 *  `(slug, site)=(a, 1)`. */
export function breachOf(error: unknown): Breach | undefined {
  const code = refusalOf(error)
  if (!code) return undefined
  const [table, column] = [said(error, 'table'), said(error, 'column')]
  const checked = checkedIn(said(error, 'constraint'), table)
  const listed = /\(([^()]+)\)=\(/.exec(said(error, 'detail') ?? '')?.[1]
  const columns = column ? [column] : (namesIn(listed) ?? checked)
  const check = codeOf(error) === '23514' ? said(error, 'constraint') : undefined
  return { code, table, columns, check, ...(!columns && isOfText(error) && { isOfText: true }) }
}

/** A property of the server's error. Some drivers use longer names: `table_name`. */
function said(error: unknown, name: string): string | undefined {
  const all: object = Object(error)
  const text: unknown = Reflect.get(all, name) ?? Reflect.get(all, `${name}_name`)
  return typeof text === 'string' ? text : undefined
}

/** Reads a list of names; those that are not plain are in quotes: `"Name", slug`. */
const namesIn = (list: string | undefined): readonly string[] | undefined =>
  list
    ?.match(/"(?:[^"]|"")+"|[^", ]+/g)
    ?.map((name) => (name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name))

/** The column of a check constraint: the server names it by the column, unless the check has a name:
 *  `articles_views_check`. */
function checkedIn(constraint = '', table = ''): readonly string[] | undefined {
  const column = constraint.startsWith(`${table}_`) && /_check\d*$/.test(constraint)
  return column ? [constraint.slice(table.length + 1).replace(/_check\d*$/, '')] : undefined
}
