// Pagination: the rows of a list and their order. Rows are chosen first, and everything else is attached to the
// chosen ones: the values of a select list are also computed for rows that OFFSET skips.
import { type Sql, sql } from '../../dialects/sql.ts'
import { isAlways } from '../../plan/filter/predicate.ts'
import type { ListPlan, Page } from '../../plan/read/read-plan.ts'
import { keyFieldsOf } from '../../schema/model.ts'
import { filterSql } from '../filter.ts'
import { columnOf, derivedFrame, type Frame, homeOf, innerFrame, type Joins, tableOf } from '../frame.ts'
import { slotOf } from '../statement.ts'
import { afterSql, bookmarksOf, type KeysetPosition, keysWithin, type OrderColumn } from './keyset.ts'
import { keysOf, keysOutside, orderedBy, orderName } from './order-keys.ts'
import { isPieced, passedKeys, piecesOf, positionsOf } from './page-at-cursor.ts'

export type PageTable = Frame & { readonly joins: Joins }

export interface Chosen {
  /** The frame to which everything else is attached. */
  readonly frame: PageTable
  /** The SQL behind FROM, once everything is attached. */
  readonly from: () => Sql
  /** The order again, by the columns selected in `from`; undefined if nothing attached could have changed it. */
  readonly order: () => Sql | undefined
  /** The values that identify a row's position. */
  readonly bookmarks: () => readonly Sql[]
  /** The number of rows before pagination, if requested. */
  readonly count: Sql | undefined
}

/** Options of choosing rows, besides those of the plan. */
export interface How {
  /** The number of rows to fetch beyond the page, to see whether there are any. */
  readonly probe: number
  /** Only rows after this position in the order. */
  readonly after: KeysetPosition | undefined
  /** True if the rows of a page that ends at a cursor are turned round where they are read. */
  readonly isTurned?: boolean | undefined
  /** The SQL of a row count, selected beside each row. */
  readonly count?: Sql | undefined
  /** The condition on the chosen rows together; if it is not met, none is chosen. */
  readonly within?: PageCondition | undefined
}

export type PageCondition = (rows: Pick<Chosen, 'frame' | 'from'>) => Sql

/** The WHERE of the rows that meet a list's condition, before pagination. */
export function rowsWhere(list: ListPlan, table: Frame, ...others: readonly (Sql | undefined)[]): Sql {
  const condition = isAlways(list.condition) ? undefined : filterSql(list.condition, table)
  const all = [...others, list.held && isHeld(list.held, table), condition].filter(
    (part) => part !== undefined,
  )
  return all.length === 0 ? sql`` : sql` where ${sql.join(all, sql` and `)}`
}

/** True of rows with keys that the database has written. */
function isHeld(texts: readonly unknown[], table: Frame): Sql | undefined {
  const { dialect } = table.setting
  const columns = keyFieldsOf(table.collection).map((field) => ({
    sql: columnOf(table, field.column),
    home: homeOf(field, dialect),
  }))
  return dialect.heldKeys?.among(
    columns,
    texts.map((text) => sql.val(text)),
  )
}

/** Chooses rows and selects from the table itself: for rows to which nothing is attached, or of which there is
 *  at most one. */
export function chooseDirectly(list: ListPlan, table: PageTable, how: How): Chosen {
  const keys = passedKeys(keysOf(list, table), list.page)
  const [after] = positionsOf(list.page, keys, how.after)
  const within = how.within?.(
    chooseDirectly(list, innerFrame(table, list.collection), { ...how, within: undefined }),
  )
  const where = rowsWhere(list, table, within, after && afterSql(keys, after, table))
  const ordering = keysWithin(keys, after)
  const isOne = list.page.isFixed && keys.length === 0
  const order = isOne
    ? sql``
    : sql` order by ${orderedBy(ordering, table)}${pageSql(list.page, table, how.probe)}`
  return {
    frame: table,
    from: () => sql`${tableOf(table)}${table.joins.text}${where}${order}`,
    order: () => undefined,
    bookmarks: () => bookmarksOf(keys, table),
    count: how.count,
  }
}

export function choose(list: ListPlan, table: PageTable, tie: Sql | undefined, how: How): Chosen {
  const { frame, from, keys, bookmarks, count } = subselect(list, table, tie, how)
  const { orderAgain, orderInside } = table.setting.dialect
  const isReordered = () =>
    (orderInside && tie !== undefined) || (orderAgain !== undefined && !frame.joins.isEmpty)
  return {
    frame,
    from: () => sql`${from(isReordered())}${frame.joins.text}`,
    order: () => (isReordered() ? orderedBy(keys, frame) : undefined),
    bookmarks,
    count,
  }
}

export interface Subselect extends Pick<Chosen, 'frame' | 'bookmarks' | 'count'> {
  readonly from: (isOrderRequested: boolean) => Sql
  readonly keys: readonly OrderColumn[]
}

export function subselect(list: ListPlan, table: PageTable, tie: Sql | undefined, how: How): Subselect {
  const { dialect } = table.setting
  const inside = keysOf(list, table)
  const passed = passedKeys(inside, list.page)
  const shown = how.isTurned ? passed : inside
  const positions = positionsOf(list.page, passed, how.after)
  const where = (after: Sql | undefined) => rowsWhere(list, table, tie, after)
  const pieces = piecesOf({ passed, shown }, table, positions, where)
  // A list joined to another row is chosen for each of these rows, a few at a time.
  const frame = derivedFrame(table, tie !== undefined || isShort(list.page))
  const keys = keysOutside(shown, frame)
  const checked = how.within && checkedPage(table, how.within)
  const countName = orderName(0, table)
  let isMarked = false
  // Columns that are read from the frame from now on are added to this select list in the end.
  const from = (isOrderRequested: boolean) => {
    const names = new Set([...frame.columns.keys(), ...(checked?.columns.keys() ?? [])])
    const columns = [...names].map((name) => {
      const outside = dialect.nameOutside?.(name) ?? name
      return outside === name
        ? columnOf(table, name)
        : sql`${columnOf(table, name)} as ${dialect.identifier(outside)}`
    })
    const ordering = inside.map(({ column }, index) => sql`${column.sql} as ${orderName(index + 1, table)}`)
    const counting = how.count ? [sql`${how.count} as ${countName}`] : []
    const isOrdered = isOrderRequested || isMarked || isPieced(list, how.isTurned)
    const selected = [...columns, ...(isOrdered ? ordering : []), ...counting]
    const what = selected.length === 0 ? one(table) : sql.join(selected, sql`, `)
    const rows = pieces(what, pageSql(list.page, table, how.probe))
    return sql`(${checked?.of(rows) ?? rows}) as ${frame.alias}`
  }
  const bookmarks = () => {
    isMarked = true
    return bookmarksOf(keys, table)
  }
  const count = how.count && sql`${frame.alias}.${countName}`
  return { frame, from, keys, bookmarks, count }
}

/** A page that is chosen once, and of which no row is left if its rows do not meet a condition together. */
interface CheckedPage {
  /** The columns that the condition names. */
  readonly columns: ReadonlyMap<string, Sql>
  /** Writes the select of the page with the condition. */
  readonly of: (rows: Sql) => Sql
}

export function checkedPage(table: PageTable, within: PageCondition): CheckedPage {
  const { dialect } = table.setting
  const name = table.aliases.next()
  const frame = derivedFrame(table, true)
  const condition = within({ frame, from: () => sql`${name} as ${frame.alias}${frame.joins.text}` })
  const made = (rows: Sql) => dialect.madeFirst?.([[name, rows]]) ?? sql`with ${name} as (${rows}) `
  return { columns: frame.columns, of: (rows) => sql`${made(rows)}select * from ${name} where ${condition}` }
}

/** A column for rows without selected fields. */
const one = (table: Frame): Sql => sql`1 as ${orderName(0, table)}`

/** The page size above which a hash join is measured to pay. */
export const shortPage = 100

/** True for a short page. Its statement has another text. */
export const isShort = ({ limit }: Pick<Page, 'limit'>): boolean => limit !== undefined && limit <= shortPage

/** LIMIT and OFFSET of a page. `probe` is the number of rows beyond the page, to see whether there are any. */
export function pageSql(page: Page, { setting }: Frame, probe: number): Sql {
  if (page.isFixed)
    return setting.dialect.page(page.limit === undefined ? undefined : sql.val(page.limit), undefined)
  const offset = page.offset === 0 ? undefined : offsetSql(page)
  return setting.dialect.page(limitSql(page, probe), offset)
}

export const limitSql = (page: Page, probe: number): Sql | undefined =>
  page.limit === undefined ? undefined : ofPage(page, ({ limit = 0 }) => limit + probe)

export const offsetSql = (page: Page): Sql => ofPage(page, ({ offset }) => offset)

const ofPage = (page: Page, pick: (page: Page) => number): Sql =>
  slotOf(page, page, pick, page.path)((value) => value)
