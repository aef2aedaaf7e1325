// Lists that a database writes as JSON.
import type { ValueType } from '../types/field-types.ts'
import type { Sql } from './sql.ts'

/** A list inside a row: JSON made of the rows of a subselect. */
export interface NestedList {
  readonly element: Sql
  /** The FROM: rows in order, with everything joined to them. */
  readonly from: Sql
  /** The order again, if joins may have lost it; undefined without joins. */
  readonly order: Sql | undefined
}

/** A list of objects whose members have names. */
export interface NestedItems extends Omit<NestedList, 'element'> {
  readonly members: readonly (readonly [name: string, value: Sql])[]
}

/** Lists whose rows the database returns as one JSON text. */
export interface Packing {
  readonly leastRows: number
  readonly mostRows: number
  /** True if values of the type are short, and the same in JSON. */
  readonly suits: (type: ValueType) => boolean
  /** Selects one row of one cell, which is the list. */
  readonly select: (list: NestedList) => Sql
}

export interface JsonAgain {
  readonly of: (subselect: Sql) => Sql
  /** Selects 1, under the name "0", if this version of the database would not have needed it. */
  readonly isIdle: Sql
}
