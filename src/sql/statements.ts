// Complete read statements.

import { mark } from '../dialects/array-rows.ts'
import type { Packing } from '../dialects/list-phrases.ts'
import { isCautious, render, type Sql, sql } from '../dialects/sql.ts'
import { unreachable } from '../errors/errors.ts'
import type { ListPlan, Member } from '../plan/read-plan.ts'
import { once } from '../values/memo.ts'
import { readingOf } from './column.ts'
import { chooseByKey, isFarPage } from './far-page.ts'
import { Aliases, columnOf, type Frame, innerFrame, Joins, type Setting, tableOf } from './frame.ts'
import { groupCount, groupRows } from './groups.ts'
import { itemOf, probeOf, type RowChoice } from './item-rows.ts'
import { membersText } from './json-text.ts'
import type { KeysetPosition } from './keyset.ts'
import { type Chosen, choose, chooseDirectly, type How, rowsWhere } from './pagination.ts'
import type { Recipe } from './recipe.ts'
import { SelectList } from './select-list.ts'

/** SQL text and its values, some of which are answers to questions of the request. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** True if its rows come as one JSON text. */
  readonly isPacked?: true
  /** A slower statement for rows with values that JSON cannot represent. */
  readonly careful?: (() => Statement) | undefined
}

export interface RowStatement extends Statement {
  readonly recipe: Recipe
  /** The cell with the number of rows, if it is selected beside them. */
  readonly countAt: number | undefined
}

/** The statement for the rows of a list, and the recipe of its items. */
export function rowStatement(
  list: ListPlan,
  setting: Setting,
  choice: RowChoice,
  countsBeside = false,
): RowStatement {
  const table = rootFrame(list, setting)
  if (list.rows.kind === 'groups') {
    const { sql: text, recipe } = groupRows(list, list.rows, table, probeOf(list, choice))
    return { ...finished(text, setting), recipe, countAt: undefined }
  }
  const members = membersOf(list)
  const count = countsBeside ? setting.dialect.countBeside : undefined
  const chosen = chosenFor(list, members, table, { probe: probeOf(list, choice), after: undefined, count })
  const cells = new SelectList('column')
  const recipe = itemOf(members, chosen.frame, cells, choice)
  const countAt = chosen.count && cells.at(chosen.count)
  const text = selectFrom(cells.columns(setting.dialect), chosen, setting)
  return { ...finished(text, setting), recipe, countAt }
}

export interface PageStatement extends Statement {
  readonly recipe: Recipe
  /** The cells that identify a row's position. */
  readonly bookmarks: readonly number[]
}

/** One page of a list that is read page by page. */
export function pageStatement(
  list: ListPlan,
  setting: Setting,
  after: KeysetPosition | undefined,
): PageStatement {
  const table = rootFrame(list, setting)
  const members = membersOf(list)
  const chosen = chosenFor(list, members, table, { probe: 0, after })
  const cells = new SelectList('column')
  const recipe = itemOf(members, chosen.frame, cells, { probe: 0 })
  const bookmarks = chosen.bookmarks().map((bookmark) => cells.at(bookmark))
  const text = selectFrom(cells.columns(setting.dialect), chosen, setting)
  return { ...finished(text, setting), recipe, bookmarks }
}

export interface TextStatement extends Statement {
  /** True if one row has the whole list; else each row has an item. */
  readonly isWhole: boolean
  /** The row limit; longer lists are faster as rows. */
  readonly mostRows: number
}

/** The items of a list as JSON text. Undefined if the database cannot write one of their members. */
export function textStatement(
  list: ListPlan,
  setting: Setting,
  choice: RowChoice,
): TextStatement | undefined {
  if (list.rows.kind === 'groups') return undefined
  const { dialect } = setting
  const chosen = chosenAhead(list, setting, choice)
  const members = membersText(membersOf(list), chosen.frame)
  if (!members) return undefined
  const isFlat = membersOf(list).every(hasNoList)
  const mostRows = (isFlat ? dialect.mostRowsAsText : undefined) ?? Number.POSITIVE_INFINITY
  const column = (json: Sql) => sql`${dialect.jsonText(json)} as ${dialect.identifier('0')}`
  // If an extra row may have to be removed, the rows stay separate.
  if (probeOf(list, choice) > 0) {
    const text = selectFrom(column(dialect.jsonObject(members)), chosen, setting)
    return { ...finished(text, setting), isWhole: false, mostRows }
  }
  const whole = dialect.jsonItems({ members, from: chosen.from(), order: chosen.order() })
  return { ...finished(sql`select ${column(whole)}`, setting), isWhole: true, mostRows }
}

const hasNoList = (member: Member): boolean =>
  member.kind === 'value' || (member.kind === 'one' && member.members.every(hasNoList))

export interface PackedStatement extends Statement {
  readonly isPacked: true
  readonly recipe: Recipe
  /** The smallest page for which packing pays. */
  readonly leastRows: number
  readonly mostRows: number
}

/** The rows of a list as one JSON text. Undefined if plain rows are faster. */
export function packedStatement(
  list: ListPlan,
  setting: Setting,
  choice: RowChoice,
): PackedStatement | undefined {
  const { dialect } = setting
  const { packing } = dialect
  if (!packing || list.rows.kind === 'groups' || isOneAtMost(list)) return undefined
  const members = membersOf(list)
  if (!members.every((member) => canBePacked(member, packing))) return undefined
  const { leastRows, mostRows } = packing
  const chosen = chosenAhead(list, setting, choice)
  const cells = new SelectList('element')
  const { sql: element, row } = cells.array(dialect, itemOf(members, chosen.frame, cells, choice))
  if (row.isChunked) return undefined
  const text = packing.select({ element, from: chosen.from(), order: chosen.order() })
  return { ...finished(text, setting), isPacked: true, recipe: row.recipe, leastRows, mostRows }
}

/** True if the condition has the key of an item. */
function isOneAtMost({ condition, collection: { key } }: ListPlan): boolean {
  const parts = condition.kind === 'and' ? condition.parts : [condition]
  return parts.some(
    (part) =>
      part.kind === 'test' &&
      part.operator === '_eq' &&
      part.subject.kind === 'field' &&
      part.subject.field === key,
  )
}

function canBePacked(member: Member, packing: Packing): boolean {
  if (member.kind === 'one') return member.members.every((inner) => canBePacked(inner, packing))
  return member.kind === 'value' && packing.suits(member.subject.type)
}

export interface Counts {
  readonly total: boolean
  readonly filtered: boolean
  readonly groups: boolean
}

export interface CountStatement extends Statement {
  /** The counts in its columns, in this order. */
  readonly counted: readonly (keyof Counts)[]
}

/** Counts rows: in all, with the list's condition, and in groups. */
export function countStatement(list: ListPlan, setting: Setting, counts: Counts): CountStatement {
  const root = rootFrame(list, setting)
  const parts: Sql[] = []
  if (counts.total) parts.push(sql`(select count(*) from ${tableOf(root)})`)
  if (counts.filtered) parts.push(countOf(list, innerFrame(root, list.collection)))
  if (counts.groups && list.rows.kind === 'groups')
    parts.push(groupCount(list, list.rows, innerFrame(root, list.collection)))
  const columns = parts.map((part, index) => sql`${part} as ${setting.dialect.identifier(String(index))}`)
  const counted = (['total', 'filtered', 'groups'] as const).filter((name) => counts[name])
  return { ...finished(sql`select ${sql.join(columns, sql`, `)}`, setting), counted }
}

function countOf(list: ListPlan, table: Frame & { readonly joins: Joins }): Sql {
  const where = rowsWhere(list, table, undefined)
  return sql`(select count(*) from ${tableOf(table)}${table.joins.text}${where})`
}

export function rootFrame({ collection }: ListPlan, setting: Setting): Frame & { readonly joins: Joins } {
  const aliases = new Aliases(setting.dialect, '')
  const alias = aliases.next()
  return {
    collection,
    alias,
    columns: new Map(),
    setting,
    aliases,
    joins: new Joins(false),
    isDerived: false,
    isOptional: false,
  }
}

function membersOf({ rows }: ListPlan): readonly Member[] {
  if (rows.kind === 'items') return rows.members
  throw unreachable('the root is a list of items or of groups')
}

/** The chosen rows of a list, to attach anything to. */
export const chosenRoot = (list: ListPlan, table: Frame & { readonly joins: Joins }, how: How): Chosen =>
  chosenFor(list, membersOf(list), table, how)

function chosenFor(
  list: ListPlan,
  members: readonly Member[],
  table: Frame & { readonly joins: Joins },
  how: How,
): Chosen {
  const { page, order } = list
  if (page.offset >= isFarPage) return chooseByKey(list, table, how)
  return order.length === 0 || members.every((member) => isPlain(member, table))
    ? chooseDirectly(list, table, how)
    : choose(list, table, undefined, how)
}

/** Chosen in a subselect, whatever is attached to them: an aggregate of all rows of a page has to be outside of it. */
function chosenAhead(list: ListPlan, setting: Setting, choice: RowChoice): Chosen {
  const table = rootFrame(list, setting)
  const how = { probe: probeOf(list, choice), after: undefined }
  return list.page.offset >= isFarPage ? chooseByKey(list, table, how) : choose(list, table, undefined, how)
}

/** True for a plain column. A computed value would also be computed for rows that are only sorted or skipped. */
function isPlain(member: Member, table: Frame): boolean {
  if (member.kind !== 'value' || member.subject.kind !== 'field') return false
  const { column } = readingOf(member.subject, table, member.path)
  return column.sql === columnOf(table, member.subject.field.column)
}

function selectFrom(columns: Sql, chosen: Chosen, { dialect }: Setting): Sql {
  const order = chosen.order()
  return sql`select ${columns} from ${chosen.from()}${(order && dialect.orderAgain?.(order)) ?? sql``}`
}

export function finished(text: Sql, { dialect }: Setting): Statement {
  const { identifier, keptPlaceholder } = dialect
  return writtenWith(text, { identifier, placeholder: keptPlaceholder })
}

/** A statement, with its careful form if it has one. */
export function writtenWith(text: Sql, writing: Parameters<typeof render>[1]): Statement {
  const { sql: written, parameters } = render(text, writing)
  const plain = { sql: `${mark}${written}`, parameters }
  if (!isCautious(text)) return plain
  const careful = once(() => {
    const other = render(text, writing, 'careful')
    return { sql: `${mark}${other.sql}`, parameters: other.parameters }
  })
  return { ...plain, careful }
}
