// Statements for the rows of a list: whole, or one page after the other.
import type { Sql } from '../dialects/sql.ts'
import type { ListPlan } from '../plan/read/read-plan.ts'
import { cursorReading } from './cursor-column.ts'
import { cutText, maxOfEach } from './cut-text.ts'
import type { Setting } from './frame.ts'
import { groupRows } from './groups.ts'
import { itemOf, probeOf, type RowChoice } from './item-rows.ts'
import { chosenFor, membersOf, rootFrame, selectFrom } from './page/chosen-root.ts'
import type { KeysetPosition } from './page/keyset.ts'
import type { CellRecipe, Recipe } from './recipe.ts'
import { SelectList } from './select-list.ts'
import { finished, type Statement } from './statement.ts'

export interface RowStatement extends Statement {
  readonly recipe: Recipe
  /** The cell with the number of rows, if it is selected beside them. */
  readonly countAt: number | undefined
  /** The cell with the cursor of the row, if it is selected beside the item. */
  readonly cursor: CellRecipe | undefined
  /** The number of cells with nested rows as text. */
  readonly texts: number
  /** The cells that hold a mark where a nested text is too long. */
  readonly cuts: readonly number[]
}

export function rowStatement(
  list: ListPlan,
  setting: Setting,
  choice: RowChoice,
  countsBeside = false,
): RowStatement {
  const table = rootFrame(list, setting)
  if (list.rows.kind === 'groups') {
    const { sql: text, recipe } = groupRows(list, list.rows, table, probeOf(list, choice))
    return { ...finished(text, setting), recipe, countAt: undefined, cursor: undefined, texts: 0, cuts: [] }
  }
  const members = membersOf(list)
  // After a cursor there are not all of them.
  const count = countsBeside && !list.page.place ? setting.dialect.countBeside : undefined
  const { within, isTurned } = choice
  const how = { probe: probeOf(list, choice), after: undefined, count, within, isTurned }
  const chosen = chosenFor(list, members, table, how)
  const cells: SelectList = new SelectList(
    'column',
    cutting(list, setting, choice, () => cells.texts.length),
  )
  const recipe = itemOf(members, chosen.frame, cells, choice)
  const countAt = chosen.count && cells.add(chosen.count)
  const cursor = choice.cursor && cells.value(cursorReading(choice.cursor, chosen.frame))
  const text = selectFrom(cells.columns(setting.dialect), chosen, setting)
  return {
    ...finished(text, setting),
    recipe,
    countAt,
    cursor,
    texts: cells.texts.length,
    cuts: choice.texts ? cells.texts : [],
  }
}

/** Returns the replacement for nested texts that are too long; undefined if there is no bound. `count`: how many of them are in a row. */
function cutting({ page }: ListPlan, setting: Setting, { texts }: RowChoice, count: () => number) {
  if (!texts) return undefined
  return (text: Sql) => cutText(text, maxOfEach(texts, page, setting, count), setting.dialect)
}

interface PageStatement extends Statement {
  readonly recipe: Recipe
  /** The cells that identify a row's position. */
  readonly bookmarks: readonly number[]
}

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
