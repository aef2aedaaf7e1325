// Which rows a list has, in which order. They are chosen first, and everything else is attached to the chosen ones: what a select list
// computes, a database computes also for the rows that OFFSET passes over.
import type { Column } from '../dialects/dialect.ts'
import { type Sql, sql } from '../dialects/sql.ts'
import { unreachable } from '../errors.ts'
import { isAlways } from '../plan/predicate.ts'
import type { ListPlan, OrderKey, Page } from '../plan/read-plan.ts'
import { filterSql } from './filter.ts'
import { columnOf, derivedFrame, type Frame, type Joins, keyOf, slotOf, tableOf } from './frame.ts'
import { reachedValue } from './value.ts'

type Table = Frame & { readonly joins: Joins }

/** Rows to select from. */
export interface Chosen {
  /** What is attached to the rows is attached to this frame. */
  readonly frame: Table
  /** What comes behind FROM, once everything is attached. */
  readonly from: () => Sql
  /** The order again, by what is selected in `from`; undefined where nothing was attached that could have changed it. */
  readonly order: () => Sql | undefined
}

/** The rows of a table that meet a list's condition, with nothing chosen among them yet. */
export function rowsWhere(list: ListPlan, table: Table, tie: Sql | undefined) {
  const condition = isAlways(list.condition) ? undefined : filterSql(list.condition, table)
  const all = [tie, condition].filter((part) => part !== undefined)
  return all.length === 0 ? sql`` : sql` where ${sql.join(all, sql` and `)}`
}

/** Choose, and select from the table itself: for rows to which nothing is attached, or of which there is one at most. */
export function chooseDirectly(list: ListPlan, table: Table, probe: number): Chosen {
  const where = rowsWhere(list, table, undefined)
  const isOne = list.page.limit === 1 && list.order.length === 0
  const order = isOne
    ? sql``
    : sql` order by ${orderSql(list.order, table)}${pageSql(list.page, table, probe)}`
  return {
    frame: table,
    from: () => sql`${tableOf(table)}${table.joins.text}${where}${order}`,
    order: () => undefined,
  }
}

/** Choose in a subselect. */
export function choose(list: ListPlan, table: Table, tie: Sql | undefined, probe: number): Chosen {
  const { frame, from, order } = subselect(list, table, tie, probe)
  const isReordered = () => table.setting.dialect.orderAgain !== undefined && !frame.joins.isEmpty
  return {
    frame,
    from: () => sql`${from(isReordered())}${frame.joins.text}`,
    order: () => (isReordered() ? order : undefined),
  }
}

/** Far down a list, passing over whole rows costs more than finding the few that are wanted a second time by their keys. */
export function chooseByKey(list: ListPlan, table: Table, tie: Sql | undefined, probe: number): Chosen {
  const keys = subselect(list, table, tie, probe)
  const frame = derivedFrame(table)
  const isReordered = table.setting.dialect.orderAgain !== undefined
  const tieToKey = sql`${keyOf(frame)} = ${keyOf(keys.frame)}`
  return {
    frame,
    from: () => sql`${keys.from(isReordered)} left join ${tableOf(frame)} on ${tieToKey}${frame.joins.text}`,
    order: () => (isReordered ? keys.order : undefined),
  }
}

function subselect(list: ListPlan, table: Table, tie: Sql | undefined, probe: number) {
  const { dialect } = table.setting
  const where = rowsWhere(list, table, tie)
  const keys = list.order.map((key) => keyColumn(key, table))
  const names = keys.map((_, index) => dialect.identifier(`${orderName}${index + 1}`))
  const frame = derivedFrame(table)
  // What is asked of the frame from now on is selected here in the end.
  const from = (isOrderAsked: boolean) => {
    const columns = [...frame.columns.keys()].map((column) => columnOf(table, column))
    const ordering = keys.map(({ sql: key }, index) => sql`${key} as ${names[index] ?? sql``}`)
    const selected = [...columns, ...(isOrderAsked ? ordering : [])]
    const what = selected.length === 0 ? keyOf(table) : sql.join(selected, sql`, `)
    const order = orderedBy(list.order, keys, table)
    const page = pageSql(list.page, table, probe)
    return sql`(select ${what} from ${tableOf(table)}${table.joins.text}${where} order by ${order}${page}) as ${frame.alias}`
  }
  return { frame, from, order: orderAgain(list.order, keys, names, frame) }
}

// Columns of a table seldom start so; if one does, a row has two columns of that name and the statement is refused, not wrong.
const orderName = '_quernel_order_'

function keyColumn(key: OrderKey, frame: Frame): Column {
  if (key.kind === 'column') throw unreachable('items are ordered by values')
  return reachedValue(key.value, frame, key.isDescending)
}

function orderSql(order: readonly OrderKey[], frame: Frame): Sql {
  return orderedBy(
    order,
    order.map((key) => keyColumn(key, frame)),
    frame,
  )
}

function orderedBy(order: readonly OrderKey[], columns: readonly Column[], { setting }: Frame): Sql {
  const keys = columns.map((column, index) => {
    const key = order[index]
    return setting.dialect.orderKey(column, key?.isDescending ?? false, key !== undefined && mayBeNull(key))
  })
  return sql.join(keys, sql`, `)
}

function orderAgain(
  order: readonly OrderKey[],
  keys: readonly Column[],
  names: readonly Sql[],
  frame: Frame,
): Sql {
  const exported = keys.map(({ presence: _presence, path: _path, ...key }, index) => ({
    ...key,
    sql: sql`${frame.alias}.${names[index] ?? sql``}`,
  }))
  return orderedBy(order, exported, frame)
}

function mayBeNull(key: OrderKey): boolean {
  if (key.kind === 'column') return true
  const { route, subject } = key.value
  return route.length > 0 || subject.kind !== 'field' || (subject.field.isNullable && !subject.field.isKey)
}

/** `probe` asks for rows beyond the page, to see whether there are any. */
export function pageSql(page: Page, { setting }: Frame, probe: number): Sql {
  const slot = (pick: (page: Page) => number) => slotOf(page, page, pick, page.path)((value) => value)
  if (page.isFixed)
    return setting.dialect.page(page.limit === undefined ? undefined : sql.val(page.limit), undefined)
  const limit = page.limit === undefined ? undefined : slot(({ limit = 0 }) => limit + probe)
  const offset = page.offset === 0 ? undefined : slot(({ offset }) => offset)
  return setting.dialect.page(limit, offset)
}
