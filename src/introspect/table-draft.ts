// A table on its way to become a collection, as far as it is known.

import type { CatalogueColumn, CatalogueTable, TypeGuess } from '../dialects/catalogue.ts'
import type { CollectionOverride, FieldOverride } from './introspect-options.ts'

export interface TableDraft {
  readonly table: CatalogueTable
  readonly name: string
  /** Whether the schema of the database that holds it is named. */
  readonly isQualified: boolean
  readonly override: CollectionOverride
  /** The names of all columns, of those that are left out, too. */
  readonly names: ReadonlySet<string>
  readonly columns: readonly DraftColumn[]
  readonly key: DraftColumn
}
export interface DraftColumn {
  readonly column: CatalogueColumn
  readonly field: string
  /** Undefined where no type of a field fits. */
  readonly guess: TypeGuess | undefined
  readonly override: FieldOverride | undefined
}

/** A table and the name of its collection. */
export interface NamedTable {
  readonly table: CatalogueTable
  readonly name: string
}
