// Draft of a collection, with what is known of its table.

import type { CatalogueColumn, CataloguePhrases, CatalogueTable, TypeGuess } from '../dialects/catalogue.ts'
import type { CollectionOverride, FieldOverride, IntrospectOptions } from './introspect-options.ts'
import type { Report } from './remark.ts'

export interface Drafting {
  readonly phrases: CataloguePhrases
  readonly options: IntrospectOptions
  readonly report: Report
}

export interface TableDraft {
  readonly table: CatalogueTable
  readonly name: string
  /** True if the name of the database schema is part of the definition. */
  readonly isQualified: boolean
  readonly override: CollectionOverride
  /** Names of all columns, including those that are left out. */
  readonly names: ReadonlySet<string>
  readonly columns: readonly DraftColumn[]
  /** The columns of its key, in their order; none if nothing identifies its rows. */
  readonly key: readonly DraftColumn[]
}
export interface DraftColumn {
  readonly column: CatalogueColumn
  readonly field: string
  readonly guess: TypeGuess
  readonly override: FieldOverride | undefined
  /** True for the number of a row, which is no column of the table. */
  readonly isRowNumber?: true
}

export interface NamedTable {
  readonly table: CatalogueTable
  readonly name: string
}
