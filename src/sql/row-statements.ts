// Statements for the rows of a list: whole, or one page after the other.
import type { ListPlan } from '../plan/read-plan.ts'
import { chosenFor, membersOf, rootFrame, selectFrom } from './chosen-root.ts'
import type { Setting } from './frame.ts'
import { groupRows } from './groups.ts'
import { itemOf, probeOf, type RowChoice } from './item-rows.ts'
import type { KeysetPosition } from './keyset.ts'
import type { Recipe } from './recipe.ts'
import { SelectList } from './select-list.ts'
import { finished, type Statement } from './statement.ts'

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
  const countAt = chosen.count && cells.add(chosen.count)
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
  const bookmarks = chosen.bookmarks().map((bookmark) => cells.add(bookmark))
  const text = selectFrom(cells.columns(setting.dialect), chosen, setting)
  return { ...finished(text, setting), recipe, bookmarks }
}
