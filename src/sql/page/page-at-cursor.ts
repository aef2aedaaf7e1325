// Pages that begin after a cursor, or end before one. Where they cross from values to nulls they are read in two pieces, each a range of the
// index; those that end at a cursor are read backwards, and turned round here unless their reader does that.
import { type Sql, sql } from '../../dialects/sql.ts'
import type { ListPlan, Page } from '../../plan/read/read-plan.ts'
import { type Frame, type Joins, tableOf } from '../frame.ts'
import { afterSql, type KeysetPosition, keysWithin, type OrderColumn } from './keyset.ts'
import { keysOutside, mayBeNull, orderedBy } from './order-keys.ts'

/** True for a page that is no single range of rows in their order. */
export function isPieced({ page: { place }, order: [first] }: ListPlan, isTurned = false): boolean {
  const isAgain = place?.isBackward && !isTurned
  return place !== undefined && (isAgain || first?.kind !== 'value' || mayBeNull(first.value))
}

/** The order in which a page is read: backwards from the cursor at which it ends. */
export const passedKeys = (keys: readonly OrderColumn[], { place }: Page): readonly OrderColumn[] =>
  place?.isBackward ? keys.map((key) => ({ ...key, isDescending: !key.isDescending })) : keys

/** The positions after which a page reads rows, in this order: one, or another where the rows with a value end. */
export function positionsOf(
  page: Page,
  [first]: readonly OrderColumn[],
  after: KeysetPosition | undefined,
): readonly (KeysetPosition | undefined)[] {
  const { place } = page
  if (!place || after) return [after]
  const { nulls } = place
  const part = nulls[0] ? 'nulls' : 'values'
  // Null comes last, and first when descending.
  const last = first?.isDescending ? 'values' : 'nulls'
  const at: KeysetPosition = { part, nulls, page }
  return first?.isNullable && part !== last ? [at, { part: last, page }] : [at]
}

/** Returns a function that writes the select of a page. `where`: the WHERE of its rows with another condition. */
export function piecesOf(
  { passed, shown }: Readonly<Record<'passed' | 'shown', readonly OrderColumn[]>>,
  table: Frame & { readonly joins: Joins },
  positions: readonly (KeysetPosition | undefined)[],
  where: (after: Sql | undefined) => Sql,
): (what: Sql, page: Sql) => Sql {
  const { setting, aliases } = table
  const pieces = positions.map((position) => ({
    rows: where(position && afterSql(passed, position, table)),
    // Among nulls the first key orders nothing, but without it PostgreSQL passes by the index of all keys.
    order: orderedBy(keysWithin(passed, position && { ...position, part: 'values' }), table),
  }))
  return (what, page) => {
    const [first, ...others] = pieces.map(
      ({ rows, order }) =>
        sql`select ${what} from ${tableOf(table)}${table.joins.text}${rows} order by ${order}${page}`,
    )
    if (!first) return sql``
    const pieced = others.reduce((rows, piece) => ordered(union(rows, piece), passed, page), first)
    return shown === passed ? pieced : ordered(pieced, shown, setting.dialect.page(undefined, undefined))
  }

  function union(one: Sql, other: Sql): Sql {
    const [some, others] = [aliases.next(), aliases.next()]
    return sql`select * from (${one}) as ${some} union all select * from (${other}) as ${others}`
  }

  function ordered(rows: Sql, by: readonly OrderColumn[], page: Sql): Sql {
    const alias = aliases.next()
    const order = orderedBy(keysOutside(by, { ...table, alias }), table)
    return sql`select * from (${rows}) as ${alias} order by ${order}${page}`
  }
}
