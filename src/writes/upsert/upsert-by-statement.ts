// Upserts of plain rows by one statement: nothing but the database decides on them. Where anything is in the way, the general path finds out
// what.

import type { Dialect } from '../../dialects/dialect.ts'
import { type Sql, sql } from '../../dialects/sql.ts'
import { isNameOfKey } from '../../plan/key.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { bindItems, changeLayoutOf, type RowLayout, rowLayoutOf } from '../../plan/write/row-layout.ts'
import { type Collection, keyFieldsOf, type StoredField } from '../../schema/model.ts'
import { type Statement, writeOf, writtenWith } from '../../sql/statement.ts'
import { keyCell } from '../../sql/stored-column.ts'
import { givenRows } from '../../sql/write/given-rows.ts'
import { insertInto, insertOfRows, openValue } from '../../sql/write/insert-statement.ts'
import { newValue } from '../../sql/write/row-values.ts'
import { typesOf } from '../../sql/write/written-types.ts'
import { passesValidations } from '../authorize/passes-validations.ts'
import type { WriteContext } from '../context/write-context.ts'
import type { GivenItem } from '../create-or-update.ts'
import { isDoubtful } from '../program/unchanged-bytes.ts'
import { mayReplace } from '../stored/replaced-rows.ts'
import { isUpdateFollowed, knownUpdate } from '../stored/side-effects.ts'
import type { OnFields } from './on-fields.ts'

/** The form of upserts that name the same fields, and find items by the same ones. */
export interface UpsertForm {
  readonly collection: Collection
  readonly on: OnFields
  readonly names: readonly string[]
  /** What is inserted. */
  readonly layout: RowLayout
  /** What an update sets, the fields that the engine fills in among it. */
  readonly change: RowLayout
  readonly columns: readonly string[]
}

/** Returns the form of upserts; undefined if one statement is not enough for them. */
export async function upsertForm(
  collection: Collection,
  on: OnFields,
  names: readonly string[],
  writing: WriteContext,
): Promise<UpsertForm | undefined> {
  const { dialect } = writing.engine
  const rest = names.filter((name) => !on.names.has(name))
  const isFound = on.fields.every(
    ({ name, value }) => names.includes(name) && dialect.isFoundAsStored?.(value),
  )
  if (rest.length === 0 || !isFound || rest.some((name) => isNameOfKey(collection, name))) return undefined
  const isUser = writing.moment.user !== undefined
  const layout = rowLayoutOf(collection, names, dialect)
  const change = changeLayoutOf(collection, { names: rest, incremented: [], isUser }, dialect)
  if (!layout || !change) return undefined
  const columns = change.fields.map(({ column }) => column)
  if (await isUpdateFollowed(collection, columns, writing)) return undefined
  if (await mayReplace(collection, writing)) return undefined
  return { collection, on, names, layout, change, columns }
}

/** The values of some items, and those that the engine sets when it updates. */
export interface BoundUpsert {
  readonly rows: readonly unknown[]
  readonly filled: readonly unknown[]
}

/** Binds items to their form. Undefined if one does not fit. */
export function bindUpsert(
  { collection, on, layout, change, columns }: UpsertForm,
  items: readonly GivenItem[],
  writing: WriteContext,
): BoundUpsert | undefined {
  if (knownUpdate(collection, columns, writing) || !areGiven(on, items)) return undefined
  if (!passesValidations(collection, items, writing)) return undefined
  const rows = bindItems(layout, items, writing.moment)
  if (!rows || rows.some(isDoubtful)) return undefined
  if (change.cells.length === change.names.length) return { rows, filled: none }
  const filled = change.cells.slice(change.names.length).map((cell) => cell(nothing, writing.moment))
  if (filled.includes(undefined)) return undefined
  return { rows, filled }
}

const nothing: ItemData = {}
const none: readonly unknown[] = []

/** True if items have all values by which they are found. A database may cut blanks that are too many for the column. */
const areGiven = ({ fields }: OnFields, items: readonly GivenItem[]): boolean =>
  items.every(({ payload }) =>
    fields.every(({ name }) => {
      const { [name]: input } = payload
      return input !== null && !(typeof input === 'string' && input.endsWith(' '))
    }),
  )

/** The columns that a statement returns, and the position of the flag behind them: whether the row was inserted, if the database knows it. */
export interface UpsertReturn {
  readonly columns: Sql
  readonly insertedAt: number
}

/** Returns the text of a statement for a number of rows; undefined if the database has none. `returned`: by default keys. */
export function upsertText(
  form: UpsertForm,
  rows: number,
  dialect: Dialect,
  returned?: UpsertReturn,
): string | undefined {
  const { collection, layout } = form
  const clauses = conflictClauses(form, returned, openValue, dialect)
  const insert = insertOfRows({ collection, fields: layout.fields }, rows, dialect)
  return clauses && writtenWith(sql`${insert}${clauses}`, dialect).sql
}

/** Returns the statement of any number of rows, which are given as a table. Undefined if the database has none, or where rows do not travel: there a table
 *  takes longer. */
export function upsertOfTable(form: UpsertForm, dialect: Dialect): Statement | undefined {
  const into = { collection: form.collection, fields: form.layout.fields }
  const table = dialect.hasOneConnection ? undefined : givenRows(into, into.fields, dialect)
  const clauses = table && conflictClauses(form, undefined, newValue, dialect)
  if (!clauses) return undefined
  const values = into.fields.map((field) => newValue(field, dialect))
  const rows = sql` select ${sql.join(values, sql`, `)} from ${table.from} order by ${table.place}`
  return writeOf(sql`${insertInto(into, dialect)}${table.inPlaceOf(rows)}${clauses}`, dialect)
}

/** The end of an insert that may find its row. `filledBy`: returns a value that the engine sets. */
function conflictClauses(
  { collection, on, layout, change }: UpsertForm,
  returned: UpsertReturn | undefined,
  filledBy: typeof newValue,
  dialect: Dialect,
): Sql | undefined {
  const { columns, insertedAt } = returned ?? { columns: keyCell(collection, dialect), insertedAt: 1 }
  const { orUpdate, leftOut, returning } = dialect
  if (!orUpdate || !leftOut || !returning.insert) return undefined
  const nameOf = ({ column }: StoredField) => dialect.identifier(column)
  const table = dialect.identifier(collection.table)
  const inserted = new Set(change.names)
  const settings = change.fields.map((field) => {
    const name = nameOf(field)
    const value = inserted.has(field.name) ? leftOut(name) : filledBy(field, dialect)
    return sql`${name} = ${dialect.storing(field.value).unlessShown?.(sql`${table}.${name}`, value) ?? value}`
  })
  const conflict = orUpdate(on.fields.map(nameOf), sql.join(settings, sql`, `))
  const isInserted = dialect.isInserted ? sql`case when ${dialect.isInserted} then 1 else 0 end` : sql`null`
  const types = typesOf(new Set([...layout.fields, ...keyFieldsOf(collection)]), dialect)
  const cells = sql`${columns}, ${isInserted} as ${dialect.identifier(String(insertedAt))}${types}`
  return sql`${conflict}${returning.insert(cells)}`
}
