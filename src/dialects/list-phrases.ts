// Lists that a database writes as JSON.
import type { ValueType } from '../schema/model.ts'
import type { Sql } from './sql.ts'

/** A list inside a row: JSON made of the rows of a subselect. */
export interface NestedList {
  readonly element: Sql
  /** Rows in order, and what was joined to them. */
  readonly from: Sql
  /** The order again, where joins may have lost it; undefined where there are none. */
  readonly order: Sql | undefined
}

/** The same for a list of objects, whose members are known by name. */
export interface NestedItems extends Omit<NestedList, 'element'> {
  readonly members: readonly (readonly [name: string, value: Sql])[]
}

/** Lists whose rows the database hands out as one JSON text. */
export interface Packing {
  readonly leastRows: number
  readonly mostRows: number
  /** Whether values of the type are short, and the same in JSON. */
  readonly suits: (type: ValueType) => boolean
  /** Selects one row of one cell, which is the list. */
  readonly select: (list: NestedList) => Sql
}

export interface JsonAgain {
  readonly of: (subselect: Sql) => Sql
  /** Selects 1, under the name "0", where the database at hand would have been spared it. */
  readonly isIdle: Sql
}
