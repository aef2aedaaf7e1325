// Groups and aggregates. They are computed in a subselect, so that they can be sorted, paginated and written by
// name around it.
import type { Column } from '../dialects/phrase-types.ts'
import { type Sql, sql } from '../dialects/sql.ts'
import { isAlways } from '../plan/filter/predicate.ts'
import type { GroupRows, ListPlan, OrderKey } from '../plan/read/read-plan.ts'
import { aggregateColumn, filterSql } from './filter.ts'
import { type Frame, type Joins, tableOf } from './frame.ts'
import { pageSql, rowsWhere } from './page/pagination.ts'
import type { Nested, Recipe } from './recipe.ts'
import { reachedValue } from './related-value.ts'
import { SelectList } from './select-list.ts'
import { phrasesOf } from './tuple.ts'

type GroupTable = Frame & { readonly joins: Joins }

export function groupRows(list: ListPlan, rows: GroupRows, table: GroupTable, probe: number) {
  const { dialect } = table.setting
  const made = makeGroups(list, rows, table, undefined)
  const cells = new SelectList('column')
  const recipe = rowOf(rows, made.columns, cells, table)
  const first = dialect.madeFirst?.([[made.alias, made.select]])
  const order = orderOf(list.order, rows, made.columns, table)
  const select = sql`select ${cells.columns(dialect)} from ${first ? made.alias : made.from}`
  return { sql: sql`${first ?? sql``}${select}${order}${pageSql(list.page, table, probe)}`, recipe }
}

/** The groups of an item's children, as JSON. */
export function groupList(
  list: ListPlan,
  rows: GroupRows,
  table: GroupTable,
  { tie, probe }: { readonly tie: Sql; readonly probe: number },
): { readonly json: Sql; readonly row: Nested } {
  const { dialect } = table.setting
  const made = makeGroups(list, rows, table, tie)
  const cells = new SelectList('element')
  const { sql: element, row } = cells.array(dialect, rowOf(rows, made.columns, cells, table))
  const order = orderOf(list.order, rows, made.columns, table)
  const page = pageSql(list.page, table, probe)
  // Under the same alias as inside, so that the columns have the same names on both levels.
  const from = sql`(select * from ${made.from}${order}${page}) as ${made.alias}`
  return { json: dialect.jsonList({ element, from, order: undefined }), row }
}

export function groupCount(list: ListPlan, rows: GroupRows, table: GroupTable): Sql {
  return sql`(select count(*) from ${makeGroups(list, rows, table, undefined).from})`
}

/** The groups of an item's children on their page, to select from. */
export function groupsWithin(list: ListPlan, rows: GroupRows, table: GroupTable, tie: Sql): Sql {
  const { from, alias } = makeGroups(list, rows, table, tie)
  return sql`(select 1 from ${from}${pageSql(list.page, table, 0)}) as ${alias}`
}

function makeGroups(list: ListPlan, rows: GroupRows, table: GroupTable, tie: Sql | undefined) {
  const { dialect } = table.setting
  const where = rowsWhere(list, table, tie)
  const groups = rows.groups.map(({ value }) => {
    const column = reachedValue(value, table, false)
    return phrasesOf(column, dialect).shown(column)
  })
  const all = [
    ...groups,
    ...rows.aggregates.map(({ name, subject, path }) => aggregateColumn(name, subject, table, path)),
  ]
  const names = all.map((_, index) => dialect.identifier(`c${index}`))
  const selected = all.map((column, index) => sql`${column.sql} as ${names[index] ?? sql``}`)
  // By position: the same text twice has parameters of its own each time, and PostgreSQL takes that for two
  // different expressions.
  const keys = groups.map((_, index) => sql.place(index + 1))
  const by = keys.length === 0 ? sql`` : sql` group by ${sql.join(keys, sql`, `)}`
  const alias = table.aliases.next()
  const having = isAlways(rows.having) ? sql`` : sql` having ${filterSql(rows.having, table)}`
  const select = sql`select ${sql.join(selected, sql`, `)} from ${tableOf(table)}${table.joins.text}${where}${by}${having}`
  const columns = all.map(({ presence: _presence, path: _path, ...column }, index) => ({
    ...column,
    sql: sql`${alias}.${names[index] ?? sql``}`,
  }))
  return { select, from: sql`(${select}) as ${alias}`, alias, columns }
}

/** The recipe of a group. Names of groups and aggregates may be nested. */
function rowOf(
  rows: GroupRows,
  columns: readonly Column[],
  cells: SelectList,
  { setting }: GroupTable,
): Recipe {
  const leaves = [...rows.groups, ...rows.aggregates].flatMap(({ names }, index) => {
    const column = columns[index]
    return column ? [{ names, recipe: cells.value(setting.dialect.reading(column)) }] : []
  })
  return nested(leaves)
}

interface Leaf {
  readonly names: readonly string[]
  readonly recipe: Recipe
}

function nested(leaves: readonly Leaf[]): Recipe {
  const members = new Map<string, Leaf[]>()
  for (const leaf of leaves) {
    const [name = ''] = leaf.names
    members.set(name, [...(members.get(name) ?? []), { ...leaf, names: leaf.names.slice(1) }])
  }
  const made = [...members].map(([name, inside]) => {
    const [only] = inside
    return [name, only?.names.length === 0 ? only.recipe : nested(inside)] as const
  })
  return { kind: 'item', members: made, presence: undefined }
}

function orderOf(
  order: readonly OrderKey[],
  rows: GroupRows,
  columns: readonly Column[],
  { setting }: GroupTable,
): Sql {
  const names = [...rows.groups, ...rows.aggregates].map((column) => column.names)
  const keys = order.flatMap((key) => {
    const column = key.kind === 'column' ? columns[names.indexOf(key.names)] : undefined
    return column ? [setting.dialect.orderKey(column, key.isDescending, true)] : []
  })
  return keys.length === 0 ? sql`` : sql` order by ${sql.join(keys, sql`, `)}`
}
