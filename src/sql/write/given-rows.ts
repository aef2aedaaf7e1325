// The values of many rows in one statement, where another one takes those of a single row.

import { isOfBytes } from '../../dialects/bytes.ts'
import type { Dialect } from '../../dialects/dialect.ts'
import type { SetValue, ValueSets } from '../../dialects/phrase-types.ts'
import { DeferredValue, type Sql, sql, withDeferred } from '../../dialects/sql.ts'
import { type Collection, type KeyField, partsOf, type StoredField } from '../../schema/model.ts'
import { homeOf } from '../frame.ts'
import { givenRowsValue, rowValueOf } from './row-values.ts'

interface GivenRows {
  /** The table, behind FROM. */
  readonly from: Sql
  /** The number of a row, in the order in which they are given. */
  readonly place: Sql
  /** True of the row of a collection with the key of a given one. */
  readonly isSame: Sql
  /** Returns a piece for a single row with the values of these rows in the place of those of that row. */
  readonly inPlaceOf: (piece: Sql) => Sql
}

/** The name of the table. */
export const givenName = '_given'
const noBytes = new Uint8Array()

/** Returns the table of rows that have values for the parts of a key and for some fields, in this order. Undefined if the database has no such table. */
export function givenRows(
  { collection, by }: { readonly collection: Collection; readonly by?: KeyField },
  fields: readonly StoredField[],
  dialect: Dialect,
): GivenRows | undefined {
  const parts = by ? partsOf(by) : []
  const all = [...parts, ...fields]
  // Lists of different lengths stand in no list of the database, and some databases ignore the case of names.
  if (collection.table.toLowerCase() === givenName || all.some(({ value }) => value.isArray)) return undefined
  if (!parts.every(({ value }) => dialect.isFoundAsStored?.(value))) return undefined
  const table = dialect.valueSets?.(
    all.map(
      (field): SetValue => ({
        type: field.value,
        isList: false,
        isPattern: false,
        byCodePoint: false,
        isWritten: true,
        home: homeOf(field, dialect),
        example: isOfBytes(field.value) ? noBytes : '',
      }),
    ),
    dialect.identifier(givenName),
    (encode) => sql.val(new DeferredValue(givenRowsValue, [], (rows) => encode(rows as ValueSets))),
  )
  if (!table) return undefined
  const home = dialect.identifier(collection.table)
  const cellOf = (at: number) => table.values[at] ?? sql`null`
  const ties = parts.map(({ column }, at) => sql`${home}.${dialect.identifier(column)} = ${cellOf(at)}`)
  const cells = new Map<object, Sql>(
    fields.map((field, at) => [rowValueOf(field), cellOf(parts.length + at)] as const),
  )
  return {
    from: table.from,
    place: table.place,
    isSame: sql.join(ties, sql` and `),
    inPlaceOf: (piece) => withDeferred(piece, (value) => cells.get(value.openValue) ?? sql.val(value)),
  }
}
