// A query after its shape was checked. Names are still strings: nothing here knows a schema.

/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** A filter in which every operand has a known shape. Field names are not checked yet. */
export interface FilterNode {
  readonly [key: string]: Json | FilterNode | readonly FilterNode[]
}

/** The parameters of every level. */
export interface LevelQuery {
  readonly filter?: FilterNode
  readonly search?: string
  readonly sort?: readonly string[]
  readonly limit?: number
  readonly offset?: number
  readonly page?: number
  readonly after?: string
  readonly before?: string
  readonly aggregate?: Readonly<Record<string, readonly string[]>>
  readonly groupBy?: readonly string[]
  readonly having?: FilterNode
  readonly alias?: Readonly<Record<string, string>>
  readonly backlink?: boolean
}

/** Parameters of the level itself with an underscore, and the levels below by name. */
export interface DeepQuery {
  readonly [key: string]: Json | FilterNode | DeepQuery
}

export interface PlainQuery extends LevelQuery {
  readonly fields?: readonly string[]
  readonly deep?: DeepQuery
  readonly export?: string
  readonly meta?: readonly string[]
  readonly version?: string
  readonly versionRaw?: boolean
}
