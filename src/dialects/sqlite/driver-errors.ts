import type { ErrorCode } from '../../errors/errors.ts'
import { faultWithoutTransactions } from '../connections/without-transactions.ts'
import { lackOf } from '../error-codes.ts'
import type { Breach, DriverFault } from '../transaction-phrases.ts'
import { resultOf } from './result-codes.ts'

export function faultOf(error: unknown): DriverFault | undefined {
  // Its only error about a computed value, a sum beyond 64 bits, has no code of its own.
  if (says(error, /^integer overflow$/)) return { code: 'VALUE_OUT_OF_RANGE' }
  if (says(error, tooMuch))
    return { code: 'INVALID_QUERY', says: 'This is more than the database takes in one statement.' }
  if (says(error, /^D1_TYPE_ERROR: Type 'bigint' not supported/))
    return { code: 'VALUE_OUT_OF_RANGE', says: 'The driver of this database takes no integer beyond 2^53.' }
  const breach = breachOf(error)
  if (breach) return { code: breach.code }
  if (says(error, /^cannot commit - no transaction is active$/)) return ended
  if (says(error, /^cannot rollback - no transaction is active$/)) return over
  const { name = '', sentence } = resultOf(error)
  const [, kind = 'column', lacked] = lacking.exec(sentence) ?? []
  if (lacked !== undefined) return lackOf(kind, lacked)
  return failures.find(({ of }) => of.test(name)) ?? faultWithoutTransactions(error)
}

/** A missing table, or a missing column, without the name that the engine gives its table in a statement. Neither has a code of its own. */
const lacking = /^(?:no such (table|column): (?:_q\d+\.)?|table .+ has no column named )(.+)$/

/** The bounds of a single statement, which limits of the engine's lie far below unless a host has raised them. They have no code of their own. */
const tooMuch =
  /^(too many (references to|columns in|terms in|SQL variables)|Expression tree is too large|parser stack overflow|VIEWs and\/or subqueries nested too deep|at most \d+ tables in a join|LIKE or GLOB pattern too complex)/

/** SQLite has rolled back by itself, such as on a full disk. */
const ended: DriverFault = {
  code: 'SERVICE_UNAVAILABLE',
  says: 'The database has ended this transaction, and nothing of it is stored.',
}

/** A commit has failed, and there is nothing to roll back: it may have succeeded without a response to the driver. */
const over: DriverFault = {
  code: 'SERVICE_UNAVAILABLE',
  says: 'The transaction is over, and its outcome is unknown: what was written may be stored.',
}

const failures: readonly (DriverFault & { readonly of: RegExp })[] = [
  {
    of: /^SQLITE_BUSY_SNAPSHOT/,
    code: 'SERVICE_UNAVAILABLE',
    says: 'Others have written since this transaction began to read, and it cannot write any more: begin it anew.',
  },
  {
    of: /^SQLITE_(BUSY|LOCKED|PROTOCOL)/,
    code: 'SERVICE_UNAVAILABLE',
    says: 'Another connection is writing to the database.',
  },
  { of: /^SQLITE_INTERRUPT/, code: 'OUT_OF_TIME' },
  { of: /^SQLITE_FULL/, code: 'SERVICE_UNAVAILABLE', says: 'The database has no room left.' },
  {
    of: /^SQLITE_READONLY/,
    code: 'SERVICE_UNAVAILABLE',
    says: 'The database can only be read, and not be written to.',
  },
  {
    of: /^SQLITE_(IOERR|CANTOPEN|PERM|NOMEM)/,
    code: 'SERVICE_UNAVAILABLE',
    says: 'The database cannot be read or written to.',
  },
  { of: /^SQLITE_(CORRUPT|NOTADB)/, code: 'SERVICE_UNAVAILABLE', says: 'The database is damaged.' },
  { of: /^SQLITE_AUTH/, code: 'FORBIDDEN', says: 'The database does not allow this statement.' },
]

export const isTransient = (error: unknown): boolean =>
  /^SQLITE_(BUSY|LOCKED)/.test(resultOf(error).name ?? '')

/** True if a table does not exist. The error has no code of its own. */
export const lacksTable = (error: unknown): boolean => says(error, /^no such table/)

/** True for bytes in JSON: a column of any type may have them. */
export const isBeyondJson = (error: unknown): boolean => says(error, /^JSON cannot hold BLOB values$/)

const breaches: Readonly<Record<string, ErrorCode>> = {
  SQLITE_CONSTRAINT_UNIQUE: 'RECORD_NOT_UNIQUE',
  SQLITE_CONSTRAINT_PRIMARYKEY: 'RECORD_NOT_UNIQUE',
  SQLITE_CONSTRAINT_ROWID: 'RECORD_NOT_UNIQUE',
  SQLITE_CONSTRAINT_FOREIGNKEY: 'INVALID_FOREIGN_KEY',
  SQLITE_CONSTRAINT_NOTNULL: 'NOT_NULL_VIOLATION',
  SQLITE_CONSTRAINT_CHECK: 'FAILED_VALIDATION',
  SQLITE_CONSTRAINT_TRIGGER: 'FAILED_VALIDATION',
  SQLITE_CONSTRAINT_DATATYPE: 'FAILED_VALIDATION',
  SQLITE_CONSTRAINT: 'FAILED_VALIDATION',
  SQLITE_MISMATCH: 'FAILED_VALIDATION',
  SQLITE_TOOBIG: 'VALUE_TOO_LONG',
}

/** A constraint violation: the message ends with the columns: `UNIQUE constraint failed: articles.slug, articles.site`. */
export function breachOf(error: unknown): Breach | undefined {
  const { name = '', sentence } = resultOf(error)
  const code = breaches[name]
  if (!code) return computed.test(sentence) ? { code: 'FAILED_VALIDATION' } : undefined
  const [, words] = /^\w[\w ]* constraint failed: (.+)$/.exec(sentence) ?? []
  if (words === undefined) return { code }
  // The checked expression is here, unless the check has a name: `CHECK constraint failed: views >= 0`.
  if (name === 'SQLITE_CONSTRAINT_CHECK')
    return { code, columns: words.match(/\w+/g) ?? [], check: /^\w+$/.test(words) ? words : '' }
  const places = words.split(', ').map((place) => place.split('.'))
  const [first] = places
  if (first?.length !== 2) return { code }
  return { code, table: first[0], columns: places.map(([, column = '']) => column) }
}

/** It has no code of its own. */
const computed = /^cannot (?:INSERT into|UPDATE) generated column /

const says = (error: unknown, words: RegExp): boolean => words.test(resultOf(error).sentence)
