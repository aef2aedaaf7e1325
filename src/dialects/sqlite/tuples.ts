// Keys of several parts in a list, on SQLite: compared as row values, which an index of their columns serves.
import { isTemporal } from '../../types/families.ts'
import type { Operand } from '../../types/family-row.ts'
import { isOfBytes } from '../bytes.ts'
import { reachOf64Bits } from '../integer-range.ts'
import type { Column, Slot } from '../phrase-types.ts'
import { type Sql, sql } from '../sql.ts'
import { jsonElement } from './json-lists.ts'

/** Undefined if one of the columns is not compared as it is stored. */
export function amongTuples(
  columns: readonly Column[],
  list: Slot<readonly (readonly Operand[])[]>,
  comparable: (column: Column) => Sql,
  elementOf: (column: Column) => (operand: Operand) => string | number | bigint,
): Sql | undefined {
  if (!columns.every(isAsStored)) return undefined
  const elements = columns.map(elementOf)
  const rows = list((tuples) => {
    const held = tuples.filter((tuple) => columns.every((column, index) => canHold(column, tuple[index])))
    const texts = held.flatMap((tuple) =>
      formsOf(columns, tuple).map(
        (form) =>
          `[${form.map((operand, index) => jsonElement(elements[index]?.(operand) ?? '')).join(',')}]`,
      ),
    )
    return `[${texts.join(',')}]`
  })
  const values = sql.join(columns.map(comparable), sql`, `)
  const parts = columns.map((_, index) => sql`json_extract(value, ${sql.lit(`$[${index}]`)})`)
  return sql`(${values}) in (select ${sql.join(parts, sql`, `)} from json_each(${rows}))`
}

const isAsStored = ({ type }: Column) =>
  !isTemporal(type.family) &&
  !isOfBytes(type) &&
  type.storage !== 'mixed' &&
  !(type.family === 'decimal' && type.storage)

const canHold = ({ type }: Column, operand: Operand | undefined) =>
  operand?.exact === true && reachOf64Bits(type, operand) === 'within'

/** A tuple with its UUIDs in each of their cases: they are plain text here, and naming all forms keeps an index usable. */
function formsOf(columns: readonly Column[], tuple: readonly Operand[]): readonly (readonly Operand[])[] {
  return columns.reduce<readonly (readonly Operand[])[]>(
    (forms, { type }, index) => {
      const operand = tuple[index]
      if (!operand) return forms
      const cases =
        type.family === 'uuid' ? [operand, { ...operand, at: String(operand.at).toUpperCase() }] : [operand]
      return forms.flatMap((form) => cases.map((one) => [...form, one]))
    },
    [[]],
  )
}
