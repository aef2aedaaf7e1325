import type { CatalogueColumn, CatalogueTable } from '../dialects/catalogue.ts'
import type {
  AnyDefinition,
  CollectionDefinition,
  ManyToOneDefinition,
  OneToManyDefinition,
  ScalarDefinition,
  ThroughDefinition,
} from '../schema/definition.ts'
import type { CatalogueOptions } from './read-catalogue.ts'

/** Options of `introspectSchema`: selected tables, names, and overrides of what the database declares. */
export interface IntrospectOptions extends CatalogueOptions {
  /** Tables to include: names, in which `*` matches anything, or a function. By default all of them. */
  readonly include?: Selection
  /** Tables to exclude from those. */
  readonly exclude?: Selection
  /** Names of collections and fields that replace the default ones. */
  readonly rename?: Renaming
  /** Returns the field for a column, before its type is guessed; `false` leaves it out. */
  readonly columns?: (column: CatalogueColumn, table: CatalogueTable) => FieldOverride | undefined
  /** Relations that the database does not declare as foreign keys, by collections and columns: `{ 'prices.sku': 'products.sku' }`, and with
   *  commas between several columns. */
  readonly relations?: Readonly<Record<string, string>>
  /** Facts that the database does not know, by the names of collections. */
  readonly override?: Readonly<Record<string, CollectionOverride>>
  /** Number of rows to read for columns whose declared type does not determine their values. By default 200; 0 for none. */
  readonly sample?: number
}

/** Selection of tables. A pattern with a point matches the name with its schema: `shop.*`. */
export type Selection = string | readonly string[] | ((table: CatalogueTable) => boolean)

/** New names, by the default ones: `{ people: 'authors', 'people.full_name': 'name' }`. */
export type Renaming = Readonly<Record<string, string>> | ((name: Renamed) => string | undefined)

/** A name that can be replaced. */
export interface Renamed {
  readonly dbSchema: string
  readonly table: string
  /** Column, or the default name of a relation without a column; absent for the collection itself. */
  readonly field?: string
}

/** Override of a collection. */
export interface CollectionOverride
  extends Omit<CollectionDefinition, 'fields' | 'table' | 'dbSchema' | 'key'> {
  /** Column that identifies the rows, or several that do together. */
  readonly key?: string | readonly string[]
  /** Overrides by the names of fields: changes of a column's field, an additional field, or `false` for none. */
  readonly fields?: Readonly<Record<string, FieldOverride>>
}

/** Override of a field, or `false` for no field. */
export type FieldOverride =
  | false
  | Partial<ScalarDefinition>
  | Partial<ManyToOneDefinition>
  | Partial<OneToManyDefinition>
  | Partial<ThroughDefinition>
  | Partial<AnyDefinition>
