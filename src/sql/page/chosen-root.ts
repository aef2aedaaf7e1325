// Root of a statement: its table, and which of its rows are chosen.

import { type Sql, sql } from '../../dialects/sql.ts'
import { unreachable } from '../../errors/errors.ts'
import { fieldSubject, fieldsIn } from '../../plan/field-path.ts'
import { testsKey } from '../../plan/read/by-key.ts'
import type { ListPlan, Member } from '../../plan/read/read-plan.ts'
import { readingOf } from '../filter.ts'
import { Aliases, columnOf, type Frame, Joins, type Setting } from '../frame.ts'
import { probeOf, type RowChoice } from '../item-rows.ts'
import { chooseByKey, farOffset } from './far-page.ts'
import { isPieced } from './page-at-cursor.ts'
import { type Chosen, choose, chooseDirectly, type How } from './pagination.ts'

export function rootFrame(list: ListPlan, setting: Setting): Frame & { readonly joins: Joins } {
  const isSingle = list.page.isFixed && list.page.limit === 1
  const aliases = new Aliases(setting.dialect, '')
  const alias = aliases.next()
  return {
    collection: list.collection,
    alias,
    columns: new Map(),
    setting,
    aliases,
    joins: new Joins(false),
    isDerived: false,
    isOptional: false,
    isOfMany: !isSingle && !testsKey(list, ['_eq', '_in']),
  }
}

export function membersOf({ rows }: ListPlan): readonly Member[] {
  if (rows.kind === 'items') return rows.members
  throw unreachable('the root is a list of items or of groups')
}

/** The chosen rows of a list, to attach anything to. */
export const chosenRoot = (list: ListPlan, table: Frame & { readonly joins: Joins }, how: How): Chosen =>
  chosenFor(list, membersOf(list), table, how)

export function chosenFor(
  list: ListPlan,
  members: readonly Member[],
  table: Frame & { readonly joins: Joins },
  how: How,
): Chosen {
  const { page, order } = list
  if (page.offset >= farOffset && list.collection.key) return chooseByKey(list, table, how)
  const isDirect = order.length === 0 || members.every((member) => isPlain(member, table))
  return isDirect && !isPieced(list, how.isTurned)
    ? chooseDirectly(list, table, how)
    : choose(list, table, undefined, how)
}

/** Chosen in a subselect, whatever is attached to them: an aggregate of all rows of a page has to be outside of it. */
export function chosenAhead(
  list: ListPlan,
  setting: Setting,
  choice: RowChoice,
  after?: How['after'],
): Chosen {
  const table = rootFrame(list, setting)
  const probe = probeOf(list, choice)
  // Rows in one text cannot be turned round.
  const how = { probe, after, within: choice.within, isTurned: probe > 0 }
  const isFar = list.page.offset >= farOffset && list.collection.key !== undefined
  return isFar ? chooseByKey(list, table, how) : choose(list, table, undefined, how)
}

/** True for a plain column. A computed value would also be computed for rows that are only sorted or skipped. */
function isPlain(member: Member, table: Frame): boolean {
  if (member.kind !== 'value') return false
  const { subject, path } = member
  if (subject.kind !== 'field' && subject.kind !== 'tuple') return false
  return fieldsIn(subject).every(
    (field) => readingOf(fieldSubject(field), table, path).column.sql === columnOf(table, field.column),
  )
}

export function selectFrom(columns: Sql, chosen: Chosen, { dialect }: Setting): Sql {
  const order = chosen.order()
  return sql`select ${columns} from ${chosen.from()}${(order && dialect.orderAgain?.(order)) ?? sql``}`
}
