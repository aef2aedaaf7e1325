// Facts about fields and relations in the service's metadata.

import type { Deselection } from '../schema/definition.ts'

export interface FieldFact {
  readonly collection: string
  readonly name: string
  readonly specials: readonly string[]
  readonly note: string | undefined
  readonly isSearchable: boolean
  readonly validation: unknown
  /** True if only the service writes it. */
  readonly isKept: boolean
}
export interface RelationFact {
  readonly from: { readonly collection: string; readonly field: string }
  /** Undefined if the item may be of several collections. */
  readonly to: string | undefined
  /** Name of the relation on the other side. */
  readonly alias: string | undefined
  readonly anyOf: readonly string[]
  /** Field beside it that names the collection. */
  readonly by: string | undefined
  readonly junctionField: string | undefined
  readonly sortField: string | undefined
  readonly deselect: Deselection
}
