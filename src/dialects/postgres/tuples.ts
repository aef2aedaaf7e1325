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
    return asDeclared(column, bound) ?? sql`${bound}${cast}`
  })
  const values = sql.join(columns.map(comparable), sql`, `)
  return sql`(${values}) in (select * from unnest(${sql.join(lists, sql`, `)}))`
}

/** A list of texts in the type of the column, which may compare differently from text: citext, or char with its blanks. A list of nothing has
 *  that type, whatever its name is. */
const asDeclared = ({ type: { family }, home }: Column, list: Sql): Sql | undefined =>
  home && (family === 'text' || family === 'csv')
    ? sql`coalesce((select array_agg(${home.column}) from ${home.table} where false), ${list})`
    : undefined

const isAsStored = ({ type: { family, storage, enumType } }: Column) =>
  enumType === undefined && storage !== 'text' && (family === 'date' || !isTemporal(family))
