// Types and functions that both mappers share.
import type { Page } from '../plan/read/read-plan.ts'
import type { ListRecipe } from '../sql/recipe.ts'

export type Row = Readonly<Record<number, unknown>>

/** Limits of lists inside an item: returns the limit of a page, and is called for each list that is cut.
 *  Undefined if lists are not limited. */
export interface Watch {
  readonly limitOf: (page: Page) => number | undefined
  readonly cut: (place: string) => void
}

export type Mapper = (row: Row, watch: Watch | undefined) => unknown

/** Parses JSON. It is text in the columns of a row; inside other JSON it is a value, unless the database made
 *  text of it on the way. */
export const parseList = (json: unknown): unknown => (typeof json === 'string' ? JSON.parse(json) : json)

/** Cuts off rows that were fetched only to see whether there are more. */
export function cutTo(rows: unknown[], list: ListRecipe, watch: Watch): unknown[] {
  const limit = watch.limitOf(list.page)
  if (limit === undefined || rows.length <= limit) return rows
  watch.cut(list.place)
  return onPage(rows, limit, list.page)
}

/** Returns the rows of a page without the one beyond it, which is the first where the page ends at a cursor. */
export const onPage = <One>(rows: readonly One[], limit: number, { place }: Page): One[] =>
  place?.isBackward ? rows.slice(rows.length - limit) : rows.slice(0, limit)
