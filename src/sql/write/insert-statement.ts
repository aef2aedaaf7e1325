import { statementMark } from '../../dialects/connections/statement-mark.ts'
import type { Dialect } from '../../dialects/dialect.ts'
import { render, type Sql, sql } from '../../dialects/sql.ts'
import type { Collection, StoredField } from '../../schema/model.ts'
import type { Storable } from '../../types/family-row.ts'
import { memoFor } from '../../values/memo.ts'
import { tableName } from '../frame.ts'
import { type Statement, writtenWith } from '../statement.ts'
import { keyCell } from '../stored-column.ts'
import { typesOf } from './written-types.ts'

export type WrittenValues = ReadonlyMap<StoredField, Storable | null>

export interface InsertedFields {
  readonly collection: Collection
  readonly fields: readonly StoredField[]
  /** True to leave out rows whose key, or other unique value, a row has already. */
  readonly isUnlessThere?: boolean
}

/** An insert of rows that all have values of the same fields. It returns their keys. */
export function insertStatement(
  into: InsertedFields,
  rows: readonly WrittenValues[],
  dialect: Dialect,
): Statement {
  const { sql: text, storings } = insertText(into, rows.length, dialect)
  const parameters: unknown[] = []
  for (const row of rows)
    for (const [at, field] of into.fields.entries()) {
      const value = row.get(field)
      parameters.push(value === null || value === undefined ? null : storings[at]?.encode(value))
    }
  return { sql: text, parameters, kind: 'write' }
}

/** An insert of a number of rows, without their values. */
interface InsertText {
  /** The text, at the end of which is the clause that returns the keys of its rows. */
  readonly sql: string
  readonly returning: string
  /** The encoding of each field's values. */
  readonly storings: readonly ReturnType<Dialect['storing']>[]
}

/** Cached texts of a collection's inserts, by dialect. There are few: items are written by few forms, and rows come in
 *  powers of two. */
const insertTexts = new WeakMap<Dialect, WeakMap<Collection, Map<string, InsertText>>>()
const maxTexts = 200

export function insertText(into: InsertedFields, rows: number, dialect: Dialect): InsertText {
  const { collection, fields, isUnlessThere = false } = into
  const collections = memoFor(insertTexts, dialect, () => new WeakMap<Collection, Map<string, InsertText>>())
  const texts = memoFor(collections, collection, () => new Map<string, InsertText>())
  const name = `${rows} ${isUnlessThere} ${fields.map((field) => field.name).join('\n')}`
  const known = texts.get(name)
  if (known) return known
  if (texts.size >= maxTexts) texts.clear()
  const made = newInsertText(into, rows, dialect)
  texts.set(name, made)
  return made
}

function newInsertText(
  { collection, fields, isUnlessThere = false }: InsertedFields,
  rows: number,
  dialect: Dialect,
): InsertText {
  const types = typesOf(fields, dialect)
  const returning = dialect.returning.insert?.(sql`${keyCell(collection, dialect)}${types}`) ?? sql``
  const storings = fields.map(({ value }) => dialect.storing(value))
  const unless = (isUnlessThere && dialect.unlessThere?.()) || sql``
  const text =
    fields.length === 0
      ? sql`insert into ${tableName(collection, dialect)}${dialect.insertNothing}${unless}`
      : sql`${insertOfRows({ collection, fields }, rows, dialect)}${unless}`
  return {
    sql: writtenWith(sql`${text}${returning}`, dialect).sql,
    returning: render(returning, dialect).sql,
    storings,
  }
}

/** Returns the text without a result. */
export const silentInsert = ({ sql: text, returning }: InsertText): string =>
  text.slice(statementMark.length, text.length - returning.length)

export const insertInto = ({ collection, fields }: InsertedFields, dialect: Dialect): Sql =>
  sql`insert into ${tableName(collection, dialect)} (${sql.join(
    fields.map(({ column }) => dialect.identifier(column)),
    sql`, `,
  )})`

/** An insert of a number of rows, with places for their values. */
export function insertOfRows(into: InsertedFields, rows: number, dialect: Dialect): Sql {
  const marks = into.fields.map((field) => openValue(field, dialect))
  return sql`${insertInto(into, dialect)} values ${sql.repeat(sql`(${sql.join(marks, sql`, `)})`, rows, ', ')}`
}

export const openValue = ({ value }: StoredField, dialect: Dialect): Sql =>
  dialect.storing(value).around?.(open) ?? open

const open = sql.val(undefined)
