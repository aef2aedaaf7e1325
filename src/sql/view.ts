// A view: the rows and fields of a table that a caller's rules allow, as a subselect in place of the table.
// Databases optimize through such a subselect, so that it costs no more than its conditions.
import { type Sql, sql } from '../dialects/sql.ts'
import { isAlways, type Predicate } from '../plan/filter/predicate.ts'
import type { Collection } from '../schema/model.ts'
import { isStored } from '../schema/model.ts'
import { filterSql } from './filter.ts'
import { columnOf, type Frame, innerFrame, tableOf, wholeName } from './frame.ts'

export interface View {
  /** The collection of the table. */
  readonly of: Collection
  readonly rows: Predicate
  /** Columns that are visible on some rows only, under the names by which they are selected. */
  readonly partly: readonly PartlyShown[]
}

interface PartlyShown {
  readonly name: string
  /** Empty for a relation to many, of which it only matters where it is visible. */
  readonly column: string
  readonly where: Predicate
}

/** Returns undefined if the table itself can be used. */
export function viewSql({ of, rows, partly }: View, frame: Frame): Sql | undefined {
  if (isAlways(rows) && partly.length === 0) return undefined
  const { rowsOf: _seen, ...setting } = frame.setting
  // Rules are written by the host, and are evaluated on the full table.
  const table: Frame = { ...innerFrame({ ...frame, setting }, of), joins: undefined }
  const where = isAlways(rows) ? sql`` : sql` where ${filterSql(rows, table)}`
  return sql`(select ${columnsOf(of, partly, table)} from ${tableOf(table)}${where}) as ${frame.alias}`
}

function columnsOf(of: Collection, partly: readonly PartlyShown[], table: Frame): Sql {
  if (partly.length === 0) return sql`*`
  const { dialect } = table.setting
  const hidden = new Set(partly.map(({ name }) => name))
  const whole = [...of.fields.values()].flatMap((field) =>
    !isStored(field) || hidden.has(field.column) ? [] : [columnOf(table, field.column)],
  )
  const parts = partly.map((part) => sql`${partlyShown(part, table)} as ${dialect.identifier(part.name)}`)
  // No key leads back to the whole row.
  const beside = of.key
    ? []
    : partly.map(
        ({ column }, at) => sql`${shownValue(column, table)} as ${dialect.identifier(wholeName(at))}`,
      )
  return sql.join([...whole, ...parts, ...beside], sql`, `)
}

/** Restricts the columns of a host's FROM to the rows on which they are visible, and returns the condition for
 *  its rows: undefined for all. Rules on rows read the full columns. */
export function rowsShown({ of, rows, partly }: View, frame: Frame): Sql | undefined {
  const { rowsOf: _seen, ...setting } = frame.setting
  const table: Frame = { ...frame, setting, collection: of, columns: new Map() }
  for (const part of partly) frame.columns.set(part.name, partlyShown(part, table))
  return isAlways(rows) ? undefined : filterSql(rows, table)
}

const shownValue = (column: string, table: Frame): Sql => (column === '' ? sql`1` : columnOf(table, column))

/** A column's value on the rows on which it is visible, else null. */
export const partlyShown = ({ column, where }: PartlyShown, table: Frame): Sql =>
  sql`case when ${filterSql(where, table)} then ${shownValue(column, table)} end`
