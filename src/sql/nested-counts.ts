// The number of rows below the items of a result, list by list. Each list is made of the rows of the one above,
// and of no more of them than are needed to see that there are too many, so that no row is read only to be
// discarded.

import { DeferredValue, type Sql, sql } from '../dialects/sql.ts'
import { unreachable } from '../errors/errors.ts'
import type { ListBelow } from '../plan/read/nested-lists.ts'
import type { ListPlan } from '../plan/read/read-plan.ts'
import type { Through } from '../plan/walk.ts'
import { type Collection, keyFieldsOf, referencedFields, type StoredField } from '../schema/model.ts'
import { tieOf } from './filter.ts'
import {
  columnsOf,
  derivedFrame,
  type Frame,
  innerFrame,
  keyColumns,
  type Setting,
  tableOf,
} from './frame.ts'
import { groupsWithin } from './groups.ts'
import { attachArm, attachOne } from './joins.ts'
import { chosenRoot, rootFrame } from './page/chosen-root.ts'
import { type Chosen, choose, type How, type PageTable, pageSql, rowsWhere } from './page/pagination.ts'
import { finished, type Statement } from './statement.ts'

/** The open value of how many rows may still be counted. No request has it: it depends on what was counted before. */
export const rowsLeft: object = { name: 'rows left' }

/** Lists below the items of a page, and the number of rows that all of them may have. */
interface CountedLists {
  readonly lists: readonly ListBelow[]
  readonly max: number
}

/** Counts the rows of each of some lists, in this order, up to `max` rows of all of them, or to as many as are left. */
export function nestedCounts(
  root: ListPlan,
  { lists, max }: CountedLists,
  setting: Setting,
  after?: How['after'],
): Statement {
  const { dialect } = setting
  const enough = ({ weight }: ListBelow) =>
    new DeferredValue(rowsLeft, max, (left) => Math.floor(Number(left) / weight) + 1)
  const rows = chosenRoot(root, rootFrame(root, setting), { probe: 0, after })
  const { named, counts } = countedLists(rows, lists, enough)
  const columns = counts.map(
    (count, at) => sql`${dialect.shownCount(count)} as ${dialect.identifier(String(at))}`,
  )
  return finished(sql`${named} select ${sql.join(columns, sql`, `)}`, setting)
}

/** Returns selects of lists, each of the rows of the one above, and their counts. `enough`: how many rows of a list are counted at most. */
export function countedLists(
  rows: Pick<Chosen, 'frame' | 'from'>,
  lists: readonly ListBelow[],
  enough: (list: ListBelow, at: number) => DeferredValue | undefined,
): { readonly named: Sql; readonly counts: readonly Sql[] } {
  const table = rows.frame
  const { setting } = table
  const { dialect } = setting
  const name = (at: number | undefined) =>
    dialect.identifier(at === undefined ? 'quernel_items' : `quernel_list_${at}`)
  const roots = selected(anchorsOf(undefined, table), table)
  const made = [[name(undefined), sql`${roots} from ${rows.from()}`] as const]
  const counts = lists.map((list, at) => {
    const parents = parentsOf(list, at, name(list.parent), table)
    const { rows } = list.list
    if (rows.kind === 'groups') {
      const inner = innerFrame(parents.frame, list.list.collection)
      const groups = groupsWithin(list.list, rows, inner, linkTo(list.list, inner, parents.frame))
      return sql`(select coalesce(sum((select count(*) from ${groups})), 0) from ${parents.from})`
    }
    if (isCountedAlone(list.list, at)) {
      const inner = innerFrame(parents.frame, list.list.collection)
      const onPage = pageOfRows(list.list, inner, linkTo(list.list, inner, parents.frame))
      return sql`(select coalesce(sum((select count(*) from ${onPage})), 0) from ${parents.from})`
    }
    const children = childrenOf(
      list.list,
      parents,
      lists.some(({ parent }) => parent === at),
    )
    const anchors = selected(anchorsOf(at, children.frame), table)
    const max = enough(list, at)
    const page = max ? dialect.page(sql.val(max), undefined) : sql``
    made.push([name(at), sql`${anchors} from ${children.from()}${page}`])
    return sql`(select count(*) from ${name(at)})`
  })
  const named = made.map(([called, select]) => sql`${called} as (${select})`)
  return { named: sql`with ${sql.join(named, sql`, `)}`, counts }

  /** True if rows that nothing identifies can only be counted, item by item. */
  function isCountedAlone({ collection: { key } }: ListPlan, at: number): boolean {
    return !key && !dialect.lateral && !lists.some(({ parent }) => parent === at)
  }

  /** The keys by which the lists below some rows are joined. */
  function anchorsOf(parent: number | undefined, frame: Frame): readonly Sql[] {
    return lists.flatMap((list, at) =>
      list.parent === parent
        ? anchorOf(list.through, frame, joinedFields(list.list)).map(
            (column, part) => sql`${column} as ${anchorName(at, part, setting)}`,
          )
        : [],
    )
  }
}

const anchorName = (at: number, part: number, { dialect }: Setting): Sql =>
  dialect.identifier(part === 0 ? `a${at}` : `a${at}_${part}`)

const selected = (columns: readonly Sql[], { setting }: Frame): Sql =>
  columns.length === 0
    ? sql`select 1 as ${setting.dialect.identifier('a')}`
    : sql`select ${sql.join(columns, sql`, `)}`

function joinedFields({ children }: ListPlan): readonly StoredField[] {
  if (!children) throw unreachable('a list inside an item without a relation')
  const { foreign, owner, within } = children
  const joined = foreign.kind === 'm2o' ? referencedFields(foreign) : keyFieldsOf(owner)
  return within?.shownBy ? [...joined, within.shownBy] : joined
}

/** The columns of some fields of the item at the end of some steps; null if there is none. */
function anchorOf(
  [step, ...rest]: readonly Through[],
  frame: Frame,
  fields: readonly StoredField[],
): readonly Sql[] {
  if (!step) return columnsOf(fields, frame)
  const attached =
    step.kind === 'one' ? attachOne(step.member, frame) : attachArm(step.member.field, step.arm, frame)
  return anchorOf(rest, attached.frame, fields).map((column) => attached.lookUp?.(column) ?? column)
}

interface Parents {
  /** A frame that has only the columns by which the list is joined. */
  readonly frame: Frame
  readonly from: Sql
}

const namesOutside = (fields: readonly StoredField[], { setting: { dialect } }: Frame): readonly Sql[] =>
  fields.map(({ column }) => dialect.identifier(dialect.nameOutside?.(column) ?? column))

/** The parent items of a list, as often as they are in the result. */
function parentsOf({ list }: ListBelow, at: number, rows: Sql, table: PageTable): Parents {
  if (!list.children) throw unreachable('a list inside an item without a relation')
  const collection: Collection = list.children.owner
  const frame = derivedFrame({ ...table, collection }, false)
  const columns = namesOutside(joinedFields(list), frame).map(
    (name, part) => sql`${anchorName(at, part, table.setting)} as ${name}`,
  )
  const isThere = sql`${anchorName(at, 0, table.setting)} is not null`
  const from = sql`(select ${sql.join(columns, sql`, `)} from ${rows} where ${isThere}) as ${frame.alias}`
  return { frame, from }
}

const linkTo = ({ children }: ListPlan, inner: Frame, parent: Frame): Sql => {
  if (!children) throw unreachable('a list inside an item without a relation')
  return tieOf(children, inner, parent)
}

/** The children of all parents, a page for each. Which rows are on it only matters to the lists below. */
function childrenOf(
  list: ListPlan,
  parents: Parents,
  isParent: boolean,
): { readonly frame: PageTable; readonly from: () => Sql } {
  const table = innerFrame(parents.frame, list.collection)
  const tie = linkTo(list, table, parents.frame)
  const { page } = list
  const { lateral } = table.setting.dialect
  // Rows without a key cannot be distinguished from those on another page, so all of them are counted.
  if ((page.limit === undefined && page.offset === 0) || !(lateral || list.collection.key)) {
    const where = rowsWhere(list, table, tie)
    return {
      frame: table,
      from: () => sql`${parents.from} cross join ${tableOf(table)}${table.joins.text}${where}`,
    }
  }
  const chosen = isParent
    ? choose(list, table, tie, { probe: 0, after: undefined })
    : inAnyOrder(list, table, tie)
  if (lateral)
    return { frame: chosen.frame, from: () => sql`${parents.from} cross join ${lateral}${chosen.from()}` }
  const frame = innerFrame(parents.frame, list.collection)
  const wanted = sql.join(keyColumns(chosen.frame), sql`, `)
  return {
    frame,
    from: () =>
      sql`${parents.from} cross join ${tableOf(frame)}${frame.joins.text} where ${rowValue(keyColumns(frame))} in (select ${wanted} from ${chosen.from()})`,
  }
}

const rowValue = (columns: readonly Sql[]): Sql => {
  const all = sql.join(columns, sql`, `)
  return columns.length === 1 ? all : sql`(${all})`
}

/** As many children as are on a page, in any order. */
function inAnyOrder(list: ListPlan, table: PageTable, tie: Sql) {
  const frame = derivedFrame(table, false)
  const names = namesOutside(keyFieldsOf(table.collection), table)
  const keys = keyColumns(table).map((key, part) => sql`${key} as ${names[part] ?? key}`)
  const what =
    keys.length === 0 ? sql`1 as ${table.setting.dialect.identifier('a')}` : sql.join(keys, sql`, `)
  const where = rowsWhere(list, table, tie)
  const from = () =>
    sql`(select ${what} from ${tableOf(table)}${table.joins.text}${where}${pageSql(list.page, table, 0)}) as ${frame.alias}`
  return { frame, from }
}

function pageOfRows(list: ListPlan, table: PageTable, tie: Sql): Sql {
  const where = rowsWhere(list, table, tie)
  const rows = sql`select 1 as ${table.setting.dialect.identifier('a')} from ${tableOf(table)}${table.joins.text}${where}`
  return sql`(${rows}${pageSql(list.page, table, 0)}) as ${table.aliases.next()}`
}
