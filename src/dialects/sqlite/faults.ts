import type { ErrorCode } from '../../errors.ts'
import type { Breach } from '../dialect.ts'
import { codeOf } from '../error-codes.ts'

/** By the code that drivers of SQLite give their errors. */
export function faultOf(error: unknown): ErrorCode | undefined {
  const code = codeOf(error) ?? ''
  if (isPassing(error)) return 'SERVICE_UNAVAILABLE'
  // Its only error about a computed value, a sum beyond 64 bits, has no code of its own.
  if (error instanceof Error && error.message === 'integer overflow') return 'VALUE_OUT_OF_RANGE'
  if (code === 'SQLITE_INTERRUPT') return 'OUT_OF_TIME'
  return breachOf(error)?.code
}

export const isPassing = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error) ?? '')

/** It has no code of its own. */
export const lacksTable = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('no such table')

/** Bytes may stand in a column of any type. */
export const isBeyondJson = (error: unknown): boolean =>
  error instanceof Error && error.message === 'JSON cannot hold BLOB values'

const breaches: Readonly<Record<string, ErrorCode>> = {
  SQLITE_CONSTRAINT_UNIQUE: 'RECORD_NOT_UNIQUE',
  SQLITE_CONSTRAINT_PRIMARYKEY: 'RECORD_NOT_UNIQUE',
  SQLITE_CONSTRAINT_ROWID: 'RECORD_NOT_UNIQUE',
  SQLITE_CONSTRAINT_FOREIGNKEY: 'INVALID_FOREIGN_KEY',
  SQLITE_CONSTRAINT_NOTNULL: 'NOT_NULL_VIOLATION',
  SQLITE_CONSTRAINT_CHECK: 'FAILED_VALIDATION',
  SQLITE_CONSTRAINT_TRIGGER: 'FAILED_VALIDATION',
  SQLITE_CONSTRAINT_DATATYPE: 'FAILED_VALIDATION',
  SQLITE_MISMATCH: 'FAILED_VALIDATION',
  SQLITE_TOOBIG: 'VALUE_TOO_LONG',
}

/** The message ends with the columns: `UNIQUE constraint failed: articles.slug, articles.site`. */
export function breachOf(error: unknown): Breach | undefined {
  const code = breaches[codeOf(error) ?? '']
  if (!code) return writesComputed(error) ? { code: 'FAILED_VALIDATION' } : undefined
  if (codeOf(error) === 'SQLITE_CONSTRAINT_CHECK') return { code, columns: wordsIn(error) }
  const isNamed = code === 'RECORD_NOT_UNIQUE' || code === 'NOT_NULL_VIOLATION'
  const named =
    isNamed && error instanceof Error ? /constraint failed: (.+)$/.exec(error.message)?.[1] : undefined
  const places = named?.split(', ').map((place) => place.split('.')) ?? []
  const [first] = places
  if (first?.length !== 2) return { code }
  return { code, table: first[0], columns: places.map(([, column = '']) => column) }
}

/** It has no code of its own. */
const writesComputed = (error: unknown) =>
  error instanceof Error && /^cannot (?:INSERT into|UPDATE) generated column /.test(error.message)

/** What was checked stands in the message, unless the check has a name: `CHECK constraint failed: views >= 0`. */
const wordsIn = (error: unknown): readonly string[] =>
  error instanceof Error ? (error.message.split(':').slice(1).join(':').match(/\w+/g) ?? []) : []
