// A place in an order, and the rows behind it.
import type { Column } from '../dialects/dialect.ts'
import { Late, type Sql, sql } from '../dialects/sql.ts'
import { unreachable } from '../errors.ts'
import type { Frame } from './frame.ts'

/** One key of an order. */
export interface OrderColumn {
  readonly column: Column
  readonly isDescending: boolean
  readonly isNullable: boolean
}

/** The place of a row: the values of the order's keys, which are asked anew for each page. */
export interface After {
  /** Which of the values are null; the condition depends on it. */
  readonly nulls: readonly boolean[]
}

/** What a row's place is known by. */
export const bookmarksOf = (keys: readonly OrderColumn[], frame: Frame): readonly Sql[] =>
  keys.map(({ column }) => phrasesOf(frame).bookmark(column).selected)

/** The condition that a row comes later: its first key does, or it is the same and the next one does, and so on. */
export function afterSql(keys: readonly OrderColumn[], after: After, frame: Frame): Sql {
  const [first, ...others] = keys.map((key, index) => stepOf(key, index, after, frame)).reverse()
  if (!first) return sql`1 = 0`
  return others.reduce(
    (rest, { isLater, isSame }) => sql`(${isLater} or (${isSame} and ${rest}))`,
    first.isLater,
  )
}

function stepOf(
  { column, isDescending, isNullable }: OrderColumn,
  index: number,
  after: After,
  frame: Frame,
) {
  const { ordered, bound } = phrasesOf(frame).bookmark(column)
  // Null comes last, and first when descending.
  if (after.nulls[index])
    return {
      isLater: isDescending ? sql`${ordered} is not null` : sql`1 = 0`,
      isSame: sql`${ordered} is null`,
    }
  const value = () => bound(sql.val(new Late(after, [], (values) => (values as readonly unknown[])[index])))
  const isBeyond = isDescending ? sql`${ordered} < ${value()}` : sql`${ordered} > ${value()}`
  return {
    isLater: isNullable && !isDescending ? sql`(${isBeyond} or ${ordered} is null)` : isBeyond,
    isSame: sql`${ordered} = ${value()}`,
  }
}

function phrasesOf({ setting }: Frame) {
  const { streaming } = setting.dialect
  if (streaming.kind === 'pages') return streaming
  throw unreachable('pages where the database has cursors')
}
