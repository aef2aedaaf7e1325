// Keyset pagination: a position in an order, and the rows after it.
import type { Bookmark, Column } from '../../dialects/phrase-types.ts'
import { DeferredValue, type Sql, sql } from '../../dialects/sql.ts'
import { fault, unreachable } from '../../errors/errors.ts'
import type { Page } from '../../plan/read/read-plan.ts'
import { staleCursor } from '../../query/cursor.ts'
import type { Frame, Setting } from '../frame.ts'

export interface OrderColumn {
  readonly column: Column
  readonly isDescending: boolean
  readonly isNullable: boolean
}

/** A position in an order. Rows whose first key is null are a part of their own: an index leads to a value or
 *  to the nulls, and not to both. */
export interface KeysetPosition {
  readonly part: 'values' | 'nulls'
  /** The page that says its values. Absent = they are bound to the position. */
  readonly page?: Page
  /** For a position after a row: which of its keys are null. Their values are bound anew for each page. Absent
   *  = the beginning of the part. */
  readonly nulls?: readonly boolean[]
}

/** The values that identify a row's position. */
export const bookmarksOf = (keys: readonly OrderColumn[], frame: Frame): readonly Sql[] =>
  keys.map(({ column }) => phrasesOf(frame).bookmark(column).selected)

export function keysWithin(
  keys: readonly OrderColumn[],
  after: KeysetPosition | undefined,
): readonly OrderColumn[] {
  const [first, ...others] = keys
  if (!after || !first) return keys
  return after.part === 'nulls' ? others : [{ ...first, isNullable: false }, ...others]
}

/** The condition that a row is in a part, and after the position in it. */
export function afterSql(keys: readonly OrderColumn[], after: KeysetPosition, frame: Frame): Sql {
  const [first, ...others] = keys.map((key, index) => stepOf(key, index, after, frame))
  if (!first) return sql`1 = 0`
  if (!after.nulls) return after.part === 'nulls' ? first.isNull : sql`not ${first.isNull}`
  if (after.part === 'nulls') return sql`${first.isNull} and ${laterSql(others)}`
  const row = rowLater([first, ...others], keys)
  if (row) return row
  // "Not before" follows from "later", but an index is only used for a condition that is not inside an OR.
  return others.length === 0 ? first.isLater : sql`${first.isNotBefore} and ${laterSql([first, ...others])}`
}

/** The keys compared as one value, which an index of all of them serves; undefined if their directions differ or one may be null. */
function rowLater(steps: readonly Step[], keys: readonly OrderColumn[]): Sql | undefined {
  const [{ isDescending } = { isDescending: false }] = keys
  const isRow = keys.every((key, at) => key.isDescending === isDescending && (at === 0 || !key.isNullable))
  if (!isRow || steps.length < 2) return undefined
  const [some, others] = [steps.map(({ ordered }) => ordered), steps.map(({ value }) => value)]
  return sql`(${sql.join(some, sql`, `)}) ${isDescending ? sql`<` : sql`>`} (${sql.join(others, sql`, `)})`
}

/** A row is later if its first key is, or if that is the same and the next one is, and so on. */
function laterSql(steps: readonly Step[]): Sql {
  const [last, ...others] = [...steps].reverse()
  return others.reduce(
    (rest, { isLater, isSame }) => sql`(${isLater} or (${isSame} and ${rest}))`,
    last?.isLater ?? sql`1 = 0`,
  )
}

type Step = ReturnType<typeof stepOf>

function stepOf({ column, ...key }: OrderColumn, index: number, after: KeysetPosition, frame: Frame) {
  const { ordered, value } = after.page
    ? placed(column, index, after.page, frame)
    : passed(column, index, after, frame)
  const isNull = sql`${ordered} is null`
  // Null comes last, and first when descending.
  if (after.nulls?.[index])
    return {
      ordered,
      value,
      isNull,
      isLater: key.isDescending ? sql`${ordered} is not null` : sql`1 = 0`,
      isSame: isNull,
      isNotBefore: isNull,
    }
  const beyond = key.isDescending ? sql`<` : sql`>`
  const isBeyond = sql`${ordered} ${beyond} ${value}`
  const hasNullsBehind = index > 0 && key.isNullable && !key.isDescending
  return {
    ordered,
    value,
    isNull,
    isLater: hasNullsBehind ? sql`(${isBeyond} or ${isNull})` : isBeyond,
    isSame: sql`${ordered} = ${value}`,
    isNotBefore: sql`${ordered} ${beyond}= ${value}`,
  }
}

/** A key of the row that was read last. */
function passed(column: Column, index: number, after: KeysetPosition, frame: Frame) {
  const { ordered, bound } = phrasesOf(frame).bookmark(column)
  const deferred = new DeferredValue(after, [], (values) => (values as readonly unknown[])[index])
  return { ordered, value: bound(sql.val(deferred)) }
}

/** A key of the place that a cursor names. */
function placed(column: Column, index: number, page: Page, { setting }: Frame) {
  const { ordered, bound, read } = bookmarkOf(column, setting.dialect)
  const deferred = new DeferredValue(page, page, (now) => {
    const { place, path } = now as Page // the value of a page is a page
    const value = read(place?.values[index] ?? '')
    if (value !== undefined) return value
    throw staleCursor([...path, place?.isBackward ? 'before' : 'after'])
  })
  return { ordered, value: bound(sql.val(deferred)) }
}

/** The phrases for an order key in a cursor. */
export function bookmarkOf(column: Column, { bookmark }: Setting['dialect']): Bookmark {
  if (bookmark) return bookmark(column)
  throw fault('INVALID_QUERY', 'Lists of this database have no cursors.', { hint: 'Use "offset".' })
}

function phrasesOf({ setting }: Frame) {
  const { streaming } = setting.dialect
  if (streaming.kind === 'pages') return streaming
  throw unreachable('pages where the database has cursors')
}
