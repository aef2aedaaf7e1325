// Texts of triggers: without bound values, and with a mark that differs in those of an older schema.

import { unreachable } from '../../errors/errors.ts'
import { createHash } from '../../values/from-node.ts'
import type { Column } from '../phrase-types.ts'
import { identifier, render, type Sql, sql } from '../sql.ts'
import type { LogEntry, LoggedColumn, LoggedOperation } from './phrases.ts'

/** Names of triggers and functions of the log begin with it. Those that do change no row of the table that they stand on. */
export const prefix = 'quernel_log_'

/** Databases cut longer names, and then take two for one. */
const longestName = 63

/** Returns the name of a trigger of a collection, for one purpose: a single word, so that no two are taken for one. SQLite takes names for one that differ
 *  in the case of letters alone. */
export function triggerName(collection: string, purpose: string): string {
  const name = `${prefix}${collection}_${purpose}`
  const isPlain = Buffer.byteLength(name) <= longestName && collection === collection.toLowerCase()
  return isPlain ? name : `${prefix}${digest(name, 24)}_${purpose}`
}

const digest = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, length)

/** Returns the mark of a text. */
export const markOf = (text: string): string => digest(text, 16)

/** The comment that carries a mark. */
export const markComment = (mark: string): Sql => sql.raw(`/* quernel ${mark} */`)

/** The pattern of a mark in such a comment. */
export const marked = sql.lit('quernel ([0-9a-f]{16})')

/** Returns the text of a piece that has no bound values. The careful form never fails on a stored value, so no write fails for it. */
export function textOf(piece: Sql): string {
  const { sql: text, parameters } = render(piece, { placeholder: String, identifier }, 'lossless')
  if (parameters.length > 0) throw unreachable('a trigger with a bound value')
  return text
}

/** Returns a column of one of a trigger's rows. */
export const columnOf = ({ column, type }: LoggedColumn, row: Sql): Column => ({
  sql: sql`${row}.${identifier(column)}`,
  type,
  byCodePoint: false,
  negationMatchesNull: false,
})

/** Returns the values of a list of JSON that was logged; none if it is no list. */
export function listIn(logged: string | null): readonly unknown[] {
  const values: unknown = logged === null ? undefined : JSON.parse(logged)
  return Array.isArray(values) ? values : []
}

/** Returns the entry whose collection, operation, key and old values stand in a row from a place on. */
export const entryAt = (row: Readonly<Record<number, unknown>>, from: number): LogEntry => ({
  collection: String(row[from]),
  operation: String(row[from + 1]) as LoggedOperation, // written by triggers alone
  key: textOrNull(row[from + 2]),
  old: textOrNull(row[from + 3]),
})

const textOrNull = (value: unknown) => (value === null || value === undefined ? null : String(value))
