// The items of a list, as rows of cells and the recipe to make items of them.
import { type Sql, sql } from '../dialects/sql.ts'
import { unreachable } from '../errors.ts'
import { isAlways, type Predicate } from '../plan/predicate.ts'
import type { AnyMember, ArmMember, ListPlan, Member, OneMember } from '../plan/read-plan.ts'
import type { Collection, StoredField } from '../schema/model.ts'
import { Cells } from './cells.ts'
import { armKey, armTie, linkOf } from './children.ts'
import { readingOf } from './column.ts'
import { filterSql } from './filter.ts'
import { columnOf, type Frame, innerFrame, keyOf, tableOf } from './frame.ts'
import { groupList } from './groups.ts'
import { choose } from './page.ts'
import type { ItemRecipe, Nested, Recipe } from './recipe.ts'

export interface Choice {
  /** How many rows more than asked for are fetched of a list that a default limit may cut. */
  readonly probe: 0 | 1
}

/** Selects what the members need, and tells how an item is made of it. */
export function itemOf(
  members: readonly Member[],
  frame: Frame,
  cells: Cells,
  choice: Choice,
  presence?: number,
): ItemRecipe {
  const made = members.map((member) => [member.name, memberOf(member, frame, cells, choice)] as const)
  return { kind: 'item', members: made, presence }
}

function memberOf(member: Member, frame: Frame, cells: Cells, choice: Choice): Recipe {
  switch (member.kind) {
    case 'value':
      return cells.value(readingOf(member.subject, frame, member.path))
    case 'one':
      return oneOf(member, frame, cells, choice)
    case 'any':
      return anyOf(member, frame, cells, choice)
    case 'many': {
      const { json, row } = childrenOf(member.list, frame, choice)
      const { page, place } = member.list
      return { kind: 'list', at: cells.json(json, frame.setting.dialect), row, page, place }
    }
    default:
      throw unreachable(`a member of kind ${String(member satisfies never)}`)
  }
}

function oneOf({ field, condition, members }: OneMember, frame: Frame, cells: Cells, choice: Choice): Recipe {
  const tie = (target: Frame) => sql`${keyOf(target)} = ${columnOf(frame, field.column)}`
  const joined = isAlways(condition)
    ? frame.joins?.to(frame, field)
    : frame.joins?.add(frame, field.target, (target) => tied(tie(target), condition, target))
  if (joined) return itemOf(members, joined, cells, choice, presenceOf(joined, cells))
  return apart(field.target, tie, condition, members, frame, cells, choice)
}

/** Null where there is no target. Its key is selected anyway more often than not. */
const presenceOf = (frame: Frame, cells: Cells) =>
  cells.value(
    readingOf({ kind: 'field', field: frame.collection.key, type: frame.collection.key.value }, frame, []),
  ).at

/** A condition inside ON cannot bring joins of its own, so its relations are looked up by EXISTS. */
export function tied(tie: Sql, condition: Predicate, target: Frame): Sql {
  return isAlways(condition) ? tie : sql`${tie} and ${filterSql(condition, { ...target, joins: undefined })}`
}

/** The target by a subselect, where there is no room for one more join. */
function apart(
  collection: Collection,
  tie: (target: Frame) => Sql,
  condition: Predicate,
  members: readonly Member[],
  frame: Frame,
  cells: Cells,
  choice: Choice,
): Recipe {
  const { dialect } = frame.setting
  const inner = innerFrame(frame, collection)
  const own = new Cells('element')
  const { sql: json, row } = own.array(dialect, itemOf(members, inner, own, choice))
  const where = tied(tie(inner), condition, inner)
  const one = sql`(select ${json} from ${tableOf(inner)}${inner.joins.text} where ${where})`
  return { kind: 'row', at: cells.json(one, dialect), row }
}

function anyOf({ field, arms }: AnyMember, frame: Frame, cells: Cells, choice: Choice): Recipe {
  const by: StoredField = field.by
  const at = cells.value(readingOf({ kind: 'field', field: by, type: by.value }, frame, [])).at
  const made = arms.map((arm) => [arm.target.name, armOf(arm)] as const)
  return { kind: 'arms', at, arms: made }

  function armOf({ target, condition, members }: ArmMember): Recipe {
    if (members.length === 0) return cells.value(bareKey(target))
    const tie = (inner: Frame) => armTie(field, inner, frame)
    const joined = frame.joins?.add(frame, target, (inner) => tied(tie(inner), condition, inner))
    if (joined) return itemOf(members, joined, cells, choice, presenceOf(joined, cells))
    return apart(target, tie, condition, members, frame, cells, choice)
  }

  function bareKey(target: Collection) {
    const { dialect, byCodePoint, negationMatchesNull } = frame.setting
    const key = armKey(field, { ...frame, collection: target }, frame)
    return dialect.reading({ sql: key, type: target.key.value, byCodePoint, negationMatchesNull })
  }
}

/** The children of an item, as a JSON list of rows. */
function childrenOf(
  list: ListPlan,
  outer: Frame,
  choice: Choice,
): { readonly json: Sql; readonly row: Nested } {
  const { rows, children } = list
  if (!children) throw unreachable('a list inside an item without a relation')
  const { dialect } = outer.setting
  const table = innerFrame(outer, list.collection)
  const tie = linkOf(children, table, outer)
  if (rows.kind === 'groups') return groupList(list, rows, table, tie, probeOf(list, choice))
  const chosen = choose(list, table, tie, { probe: probeOf(list, choice), after: undefined })
  const { element, row } = elementOf(rows.kind === 'keys' ? undefined : rows.members, chosen.frame, choice)
  return { json: dialect.jsonList({ element, from: chosen.from(), order: chosen.order() }), row }
}

function elementOf(members: readonly Member[] | undefined, frame: Frame, choice: Choice) {
  const cells = new Cells('element')
  if (members) {
    const { sql: element, row } = cells.array(frame.setting.dialect, itemOf(members, frame, cells, choice))
    return { element, row }
  }
  const { key } = frame.collection
  const { element } = readingOf({ kind: 'field', field: key, type: key.value }, frame, [])
  const recipe = { kind: 'cell', at: 0, read: element.read } as const
  return { element: element.sql, row: { recipe, isBare: true, isChunked: false } }
}

export const probeOf = ({ page }: ListPlan, { probe }: Choice): number => (page.isCut ? probe : 0)
