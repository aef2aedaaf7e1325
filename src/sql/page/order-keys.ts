// The order keys of a list, as columns of a statement.
import { type Sql, sql } from '../../dialects/sql.ts'
import { unreachable } from '../../errors/errors.ts'
import type { ListPlan, Value } from '../../plan/read/read-plan.ts'
import type { Frame } from '../frame.ts'
import { reachedValue } from '../related-value.ts'
import type { KeysetPosition, OrderColumn } from './keyset.ts'

export function keysOf(list: Pick<ListPlan, 'order'>, frame: Frame): readonly OrderColumn[] {
  return list.order.map((key) => {
    if (key.kind === 'column') throw unreachable('items are ordered by values')
    const { isDescending, value } = key
    return { column: reachedValue(value, frame, isDescending), isDescending, isNullable: mayBeNull(value) }
  })
}

/** The last part of an order: rows with a value of the first key or those without. Undefined if all have one. */
export function lastPart({ order: [first] }: ListPlan): KeysetPosition['part'] | undefined {
  if (first?.kind !== 'value' || !mayBeNull(first.value)) return undefined
  return first.isDescending ? 'values' : 'nulls'
}

export function mayBeNull({ route, subject }: Value): boolean {
  return route.length > 0 || subject.kind !== 'field' || (subject.field.isNullable && !subject.field.isKey)
}

export function orderedBy(keys: readonly OrderColumn[], { setting }: Frame): Sql {
  const { dialect } = setting
  // A collection without a key may have no column that can be ordered.
  if (keys.length === 0) return sql`(select null)`
  return sql.join(
    keys.map(({ column, isDescending, isNullable }) => dialect.orderKey(column, isDescending, isNullable)),
    sql`, `,
  )
}

export function keysOutside(inside: readonly OrderColumn[], frame: Frame): readonly OrderColumn[] {
  return inside.map(({ column, ...key }, index) => {
    const { presence: _presence, path: _path, ...plain } = column
    return { ...key, column: { ...plain, sql: sql`${frame.alias}.${orderName(index + 1, frame)}` } }
  })
}

// Columns of a table seldom start so; if one does, a row has two columns of that name and the statement is
// refused, not wrong.
export const orderName = (position: number, { setting }: Frame): Sql =>
  setting.dialect.identifier(`_quernel_order_${position}`)
