// A page that is found by the first key of its order alone, which an index may have without the others:
// skipping index entries takes a fraction of the time of skipping rows. The result is the range of values of
// the page. All rows in that range are sorted, and those with the page's first value that are on earlier pages
// are skipped. Null is in no range, so rows without a value are added if the page has any.
import { type Sql, sql } from '../../dialects/sql.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import { keyFieldsOf } from '../../schema/model.ts'
import { isCorrelated } from '../correlated.ts'
import { columnOf, derivedFrame, innerFrame, tableOf } from '../frame.ts'
import { bookmarksOf, type OrderColumn } from './keyset.ts'
import { keysOf, keysOutside, orderedBy, orderName } from './order-keys.ts'
import {
  checkedPage,
  type How,
  limitSql,
  offsetSql,
  type PageTable,
  pageSql,
  rowsWhere,
  type Subselect,
} from './pagination.ts'

/** Returns undefined if the page cannot be found so, or if there is nothing to gain. */
export function rangedPage(list: ListPlan, table: PageTable, how: How): Subselect | undefined {
  const { madeFirst, orderedKey, page } = table.setting.dialect
  const keys = keysOf(list, table)
  const [first] = keys
  if (!madeFirst || !orderedKey || !first || !canBeRanged(list, how)) return undefined
  const frame = derivedFrame(table, false)
  const outside = keysOutside(keys, frame)
  const checked = how.within && checkedPage(table, how.within)
  const from = () => {
    const part = (): RangePart => {
      const alias = table.aliases.next()
      return { alias, key: orderedKey({ ...first.column, sql: sql`${alias}.${orderName(1, table)}` }) }
    }
    const [onPage, between] = [part(), part()]
    const ends = newEnds(table, first.isDescending)
    const made = madeFirst([
      [onPage.alias, valuesOnPage(list, table, how)],
      [ends.alias, endsOf(onPage, ends)],
      [between.alias, rowsBetween(list, table, ends, checked?.columns)],
    ])
    const order = orderedBy(keysOutside(keys, { ...frame, alias: between.alias }), table)
    const skipped = skippedSql(list, table, ends, { onPage, between })
    const rest = page(limitSql(list.page, how.probe), skipped)
    const rows = sql`${made}select * from ${between.alias} order by ${order}${rest}`
    return sql`(${checked?.of(rows) ?? rows}) as ${frame.alias}`
  }
  return { frame, from, keys: outside, bookmarks: () => bookmarksOf(outside, table), count: undefined }
}

/** True if a page can be found by a range. Only a column has an index. An order of a single key needs nothing
 *  else looked up from its index, and a condition on other tables should not be evaluated twice. */
function canBeRanged({ order: [first, ...others], page, condition }: ListPlan, how: How): boolean {
  if (first?.kind !== 'value' || first.value.route.length > 0 || first.value.subject.kind !== 'field')
    return false
  return others.length > 0 && !isCorrelated(condition) && !how.after && !how.count && page.limit !== undefined
}

interface Ends {
  readonly alias: Sql
  readonly names: Readonly<Record<'lowest' | 'highest' | 'hasNulls', Sql>>
  readonly lowest: Sql
  readonly highest: Sql
  readonly hasNulls: Sql
  readonly isDescending: boolean
}

function newEnds({ aliases, setting }: PageTable, isDescending: boolean): Ends {
  const alias = aliases.next()
  const name = (text: string) => setting.dialect.identifier(text)
  const found = (name: Sql) => sql`(select ${name} from ${alias})`
  const [lowest, highest, hasNulls] = [name('lowest'), name('highest'), name('has_nulls')]
  const names = { lowest, highest, hasNulls }
  return {
    alias,
    names,
    lowest: found(lowest),
    highest: found(highest),
    hasNulls: found(hasNulls),
    isDescending,
  }
}

/** A named part of the statement, and the first order key in it. */
interface RangePart {
  readonly alias: Sql
  readonly key: Sql
}

function rowsOf(
  list: ListPlan,
  table: PageTable,
  write: (keys: readonly OrderColumn[], inner: PageTable) => { readonly select: Sql; readonly end?: Sql },
  which?: (first: Sql) => Sql,
): Sql {
  const inner = innerFrame(table, list.collection)
  const keys = keysOf(list, inner)
  const first = keys[0] && table.setting.dialect.orderedKey?.(keys[0].column)
  const where = rowsWhere(list, inner, first && which?.(first))
  const { select, end = sql`` } = write(keys, inner)
  return sql`select ${select} from ${tableOf(inner)}${inner.joins.text}${where}${end}`
}

const byFirstKey = (list: ListPlan): ListPlan => ({ ...list, order: list.order.slice(0, 1) })

const named = (keys: readonly OrderColumn[], inner: PageTable): Sql[] =>
  keys.map(({ column }, index) => sql`${column.sql} as ${orderName(index + 1, inner)}`)

const valuesOnPage = (list: ListPlan, table: PageTable, { probe }: How): Sql =>
  rowsOf(byFirstKey(list), table, (keys, inner) => ({
    select: sql.join(named(keys, inner), sql`, `),
    end: sql` order by ${orderedBy(keys, inner)}${pageSql(list.page, inner, probe)}`,
  }))

/** The range of values on the page, and whether it has rows without one. */
function endsOf({ alias, key }: RangePart, ends: Ends): Sql {
  // Some types have no min and max.
  const end = (direction: Sql) =>
    sql`(select ${key} from ${alias} where ${key} is not null order by ${key}${direction} limit 1)`
  const hasNulls = sql`exists (select 1 from ${alias} where ${key} is null)`
  return sql`select ${end(sql``)} as ${ends.names.lowest}, ${end(sql` desc`)} as ${ends.names.highest}, ${hasNulls} as ${ends.names.hasNulls}`
}

function rowsBetween(
  list: ListPlan,
  table: PageTable,
  { lowest, highest, hasNulls }: Ends,
  more: ReadonlyMap<string, Sql> = new Map(),
): Sql {
  const own = keyFieldsOf(list.collection).map(({ column }) => column)
  const names = [...new Set([...own, ...more.keys()])]
  const rows = (which: (first: Sql) => Sql) =>
    rowsOf(
      list,
      table,
      (keys, inner) => ({
        select: sql.join([...names.map((name) => columnOf(inner, name)), ...named(keys, inner)], sql`, `),
      }),
      which,
    )
  const between = rows((first) => sql`${first} between ${lowest} and ${highest}`)
  return sql`${between} union all ${rows((first) => sql`${first} is null and ${hasNulls}`)}`
}

/** The number of rows in the range that are on earlier pages. If the page ends with another value than it
 *  begins with, the remaining rows of its first value are before it. Otherwise the rows before that value have
 *  to be counted. Null comes first when descending, and last when not. */
function skippedSql(
  list: ListPlan,
  table: PageTable,
  ends: Ends,
  { onPage, between }: { readonly onPage: RangePart; readonly between: RangePart },
): Sql {
  const { isDescending, lowest, highest, hasNulls } = ends
  const offset = offsetSql(list.page)
  const first = isDescending ? highest : lowest
  const same = ({ alias, key }: RangePart) => sql`(select count(*) from ${alias} where ${key} = ${first})`
  const rest = sql`${same(between)} - ${same(onPage)}`
  const count = (which: (first: Sql) => Sql) =>
    sql`(${rowsOf(byFirstKey(list), table, () => ({ select: sql`count(*)` }), which)})`
  if (isDescending) {
    const [before, nulls] = [count((key) => sql`${key} > ${highest}`), count((key) => sql`${key} is null`)]
    return sql`case when ${hasNulls} then ${offset} when ${lowest} < ${highest} then ${rest} else ${offset} - ${nulls} - ${before} end`
  }
  const [values, before] = [count((key) => sql`${key} is not null`), count((key) => sql`${key} < ${lowest}`)]
  return sql`case when ${lowest} is null then ${offset} - ${values} when ${lowest} < ${highest} or ${hasNulls} then ${rest} else ${offset} - ${before} end`
}
