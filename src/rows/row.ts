// What is between a driver's rows and items.
import type { Page } from '../plan/read-plan.ts'
import type { ListRecipe } from '../sql/recipe.ts'

export type Row = Readonly<Record<number, unknown>>

/** Tells how many rows a list may have, and is told of lists that have more. Undefined while nobody wants to know. */
export interface Watch {
  readonly limitOf: (page: Page) => number | undefined
  readonly cut: (place: string) => void
}

export type Mapper = (row: Row, watch: Watch | undefined) => unknown

/** JSON is text in the columns of a row. Inside other JSON it is a value, unless the database made text of it on the way. */
export const parseList = (json: unknown): unknown => (typeof json === 'string' ? JSON.parse(json) : json)

/** Takes away what was fetched only to see whether there is more. */
export function cutTo(rows: unknown[], list: ListRecipe, watch: Watch): unknown[] {
  const limit = watch.limitOf(list.page)
  if (limit === undefined || rows.length <= limit) return rows
  watch.cut(list.place)
  return rows.slice(0, limit)
}
