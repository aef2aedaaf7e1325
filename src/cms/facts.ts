// Facts that the service tells of its fields and relations.

import type { Deselection } from '../schema/definition.ts'

export interface FieldFact {
  readonly collection: string
  readonly name: string
  readonly specials: readonly string[]
  readonly note: string | undefined
  readonly isSearchable: boolean
  readonly validation: unknown
  /** The service alone writes it. */
  readonly isKept: boolean
}
export interface RelationFact {
  readonly from: { readonly collection: string; readonly field: string }
  /** Undefined where the item may be of several collections. */
  readonly to: string | undefined
  /** What the other side calls it. */
  readonly alias: string | undefined
  readonly anyOf: readonly string[]
  /** The field beside it that names the collection. */
  readonly by: string | undefined
  readonly junctionField: string | undefined
  readonly sortField: string | undefined
  readonly deselect: Deselection
}
