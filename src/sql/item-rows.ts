// The items of a list, as rows of cells and the recipe to make items of them.
import type { Sql } from '../dialects/sql.ts'
import { type Path, unreachable } from '../errors/errors.ts'
import { fieldSubject } from '../plan/field-path.ts'
import type { ComparedValue } from '../plan/filter/predicate.ts'
import type { AnyMember, ArmMember, CursorMember, ListPlan, Member } from '../plan/read/read-plan.ts'
import { keyFieldsOf, type StoredField, shownKey } from '../schema/model.ts'
import { withheld } from './column.ts'
import { cursorReading } from './cursor-column.ts'
import type { TextBound } from './cut-text.ts'
import { readingOf, tieOf } from './filter.ts'
import { type Frame, innerFrame } from './frame.ts'
import { groupList } from './groups.ts'
import { type Attached, armReading, attachArm, attachOne } from './joins.ts'
import { choose, type PageCondition } from './page/pagination.ts'
import type { CellRecipe, ItemRecipe, Nested, Recipe, RowRecipe, TupleRecipe } from './recipe.ts'
import { SelectList } from './select-list.ts'

export interface RowChoice {
  /** The number of extra rows fetched of a list that a default limit may cut. */
  readonly probe: 0 | 1
  /** The cursor that is selected beside each item. Then one row more is fetched of any page. */
  readonly cursor?: CursorMember | undefined
  /** The bound of nested rows as text. Absent = none. */
  readonly texts?: TextBound | undefined
  /** The condition on the rows below, without which none is selected. Absent = none. */
  readonly within?: PageCondition | undefined
  /** True if rows of a page that ends at a cursor are turned round where they are read: they come last row first. */
  readonly isTurned?: boolean
}

export function itemOf(
  members: readonly Member[],
  frame: Frame,
  cells: SelectList,
  choice: RowChoice,
): ItemRecipe {
  const made = members.map((member) => [member.name, memberOf(member, frame, cells, choice)] as const)
  return { kind: 'item', members: made, presence: undefined }
}

function memberOf(member: Member, frame: Frame, cells: SelectList, choice: RowChoice): Recipe {
  switch (member.kind) {
    case 'value': {
      const recipe = cellsOf(member.subject, frame, cells, member.path)
      return member.as ? { kind: 'shown', as: member.as, recipe } : recipe
    }
    case 'constant':
      return { kind: 'constant', text: member.text }
    case 'cursor':
      return cells.value(cursorReading(member, frame))
    case 'group':
      return itemOf(member.members, frame, cells, choice)
    case 'one':
      return rowOf(attachOne(member, frame), member.members, cells, choice)
    case 'any':
      return armsOf(member, frame, cells, choice)
    case 'many': {
      const { json, row } = childrenOf(member.list, frame, choice)
      const { page, place } = member.list
      return { kind: 'list', at: cells.json(json, frame.setting.dialect), row, page, place }
    }
    default:
      throw unreachable(`a member of kind ${String(member satisfies never)}`)
  }
}

/** A value of several parts has a cell for each of them, which are selected anyway more often than not. */
function cellsOf(
  subject: ComparedValue,
  frame: Frame,
  cells: SelectList,
  path: Path,
): CellRecipe | TupleRecipe {
  if (subject.kind !== 'tuple') return cells.value(readingOf(subject, frame, path))
  const parts = subject.field.parts.map((part) => cells.value(readingOf(fieldSubject(part), frame, path)))
  return { kind: 'tuple', parts }
}

/** The recipe of a joined row; where it is looked up by a subselect, of a JSON array. */
function rowOf(
  { frame, lookUp }: Attached,
  members: readonly Member[],
  cells: SelectList,
  choice: RowChoice,
): ItemRecipe | RowRecipe {
  if (!lookUp) {
    const presence = presenceOf(frame, cells)
    return { ...itemOf(members, frame, cells, choice), presence }
  }
  const { dialect } = frame.setting
  const own = new SelectList('element')
  const { sql: json, row } = own.array(dialect, itemOf(members, frame, own, choice))
  return { kind: 'row', at: cells.json(lookUp(json), dialect), row }
}

/** The cell that is null if there is no target. The key is selected anyway more often than not. */
function presenceOf({ collection, ...frame }: Frame, cells: SelectList): number {
  const [first] = keyFieldsOf(collection)
  if (!first) throw unreachable('a joined row without a key')
  return cells.value(readingOf(fieldSubject(first), { ...frame, collection }, [])).at
}

function armsOf({ field, arms }: AnyMember, frame: Frame, cells: SelectList, choice: RowChoice): Recipe {
  const by: StoredField = field.by
  const at = cells.value(readingOf({ kind: 'field', field: by, type: by.value }, frame, [])).at
  const made = arms.map((arm) => [arm.target.name, armOf(arm)] as const)
  return { kind: 'arms', at, arms: made }

  function armOf(arm: ArmMember): Recipe {
    return arm.members.length === 0 && !arm.isItem
      ? cells.value(armReading(field, arm.target, frame))
      : rowOf(attachArm(field, arm, frame), arm.members, cells, choice)
  }
}

function childrenOf(
  list: ListPlan,
  outer: Frame,
  choice: RowChoice,
): { readonly json: Sql; readonly row: Nested } {
  const { rows, children } = list
  if (!children) throw unreachable('a list inside an item without a relation')
  const { dialect } = outer.setting
  const table = innerFrame(outer, list.collection)
  const tie = tieOf(children, table, outer)
  if (rows.kind === 'groups') return groupList(list, rows, table, { tie, probe: probeOf(list, choice) })
  const chosen = choose(list, table, tie, { probe: probeOf(list, choice), after: undefined })
  const { element, row } = elementOf(rows.kind === 'keys' ? undefined : rows.members, chosen.frame, choice)
  return { json: dialect.jsonList({ element, from: chosen.from(), order: chosen.order() }), row }
}

function elementOf(members: readonly Member[] | undefined, frame: Frame, choice: RowChoice) {
  const cells = new SelectList('element')
  if (members) {
    const { sql: element, row } = cells.array(frame.setting.dialect, itemOf(members, frame, cells, choice))
    return { element, row }
  }
  const key = shownKey(frame.collection)
  if (key?.kind === 'key') {
    const recipe = cellsOf(fieldSubject(key), frame, cells, [])
    const { sql: element, row } = cells.array(frame.setting.dialect, recipe)
    return { element, row }
  }
  const reading = key && readingOf(fieldSubject(key), frame, []).element
  const recipe = { kind: 'cell', at: 0, read: reading?.read, isRare: reading?.isRare } as const
  return { element: reading?.sql ?? withheld(frame), row: { recipe, isBare: true, isChunked: false } }
}

export const probeOf = ({ page, children }: ListPlan, { probe, cursor }: RowChoice): number =>
  page.isCut || (cursor && !children) ? probe : 0
