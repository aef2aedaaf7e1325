// Recipes: how to hydrate a row into an item. A row is an array of cells, or an object whose names are their positions.
import type { Page, ShownAs } from '../plan/read/read-plan.ts'

export type Recipe =
  | CellRecipe
  | TupleRecipe
  /** A value in another form than that of its type. */
  | { readonly kind: 'shown'; readonly as: ShownAs; readonly recipe: CellRecipe | TupleRecipe }
  | { readonly kind: 'constant'; readonly text: string }
  | ItemRecipe
  | RowRecipe
  | ListRecipe
  | ArmsRecipe

/** The value of one cell. */
export interface CellRecipe {
  readonly kind: 'cell'
  readonly at: number
  readonly read: ((value: NonNullable<unknown>) => unknown) | undefined
  /** True if only an object has to be read: any other value is returned as it is. */
  readonly isRare?: true | undefined
}

/** A list with the value of each of some cells; null if one of them is. */
export interface TupleRecipe {
  readonly kind: 'tuple'
  readonly parts: readonly CellRecipe[]
}

/** An object, whose members are made of cells of the same row. */
export interface ItemRecipe {
  readonly kind: 'item'
  readonly members: readonly (readonly [name: string, recipe: Recipe])[]
  /** The cell that is null if there is no item. */
  readonly presence: number | undefined
}

/** A cell that holds a row of its own, or null. */
export interface RowRecipe {
  readonly kind: 'row'
  readonly at: number
  readonly row: Nested
}

/** A cell that holds a list of rows. */
export interface ListRecipe {
  readonly kind: 'list'
  readonly at: number
  readonly row: Nested
  /** The page of the list, and its place in the result. */
  readonly page: Page
  readonly place: string
}

/** One of several items, chosen by the text of a cell. */
interface ArmsRecipe {
  readonly kind: 'arms'
  readonly at: number
  readonly arms: readonly (readonly [name: string, recipe: Recipe])[]
}

export interface Nested {
  readonly recipe: Recipe
  /** True if it is not a row but the only cell of one. */
  readonly isBare: boolean
  /** True if it has more cells than one array takes, so that it is an array of arrays. */
  readonly isChunked: boolean
}
