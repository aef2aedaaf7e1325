// Keys of several parts in a list, on PostgreSQL: a list for each part, side by side.
import { isTemporal } from '../../types/families.ts'
import type { Operand } from '../../types/family-row.ts'
import type { Column, Reach, Slot } from '../phrase-types.ts'
import { type Sql, sql } from '../sql.ts'
import { listBindingOf } from './bind-values.ts'

/** Undefined if one of the columns is not compared as it is stored. */
export function amongTuples(
  columns: readonly Column[],
  list: Slot<readonly (readonly Operand[])[]>,
  comparable: (column: Column) => Sql,
  reach: (type: Column['type'], operand: Operand) => Reach,
): Sql | undefined {
  if (!columns.every(isAsStored)) return undefined
  const isHeld = (tuple: readonly Operand[]) =>
    columns.every(({ type }, index) => {
      const operand = tuple[index]
      return operand?.exact === true && reach(type, operand) === 'within'
    })
  const lists = columns.map((column, index) => {
    const { cast, encode } = listBindingOf(column.type)
    const bound = list((tuples) => encode(tuples.filter(isHeld).flatMap((tuple) => tuple[index] ?? [])))
    return sql`${bound}${cast}`
  })
  const values = sql.join(columns.map(comparable), sql`, `)
  return sql`(${values}) in (select * from unnest(${sql.join(lists, sql`, `)}))`
}

const isAsStored = ({ type: { family, storage, enumType } }: Column) =>
  enumType === undefined && storage !== 'text' && (family === 'date' || !isTemporal(family))
