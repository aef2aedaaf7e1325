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

/** Which tables are taken, and what is different of them than the database says. */
export interface IntrospectOptions extends CatalogueOptions {
  /** The tables to take: names, in which `*` stands for anything, or a function. Left out, all of them. */
  readonly include?: Selection
  /** The tables to leave out of those. */
  readonly exclude?: Selection
  /** Other names for collections and fields than those that they would have. */
  readonly rename?: Renaming
  /** Asked what a column is, before it is guessed; `false` leaves it out. */
  readonly columns?: (column: CatalogueColumn, table: CatalogueTable) => FieldOverride | undefined
  /** What the database does not know, by the names of collections. */
  readonly override?: Readonly<Record<string, CollectionOverride>>
  /** How many rows are looked at to find out what a column holds whose declared type does not say it: 200, or none. */
  readonly sample?: number
}

/** A pattern with a point is for the name with its schema: `shop.*`. */
export type Selection = string | readonly string[] | ((table: CatalogueTable) => boolean)

/** By what would be the name: `{ people: 'authors', 'people.full_name': 'name' }`. */
export type Renaming = Readonly<Record<string, string>> | ((name: Renamed) => string | undefined)

/** A name before it is given. */
export interface Renamed {
  readonly dbSchema: string
  readonly table: string
  /** The column, or what a relation without a column would be called; absent for the collection itself. */
  readonly field?: string
}

/** What is different of a collection than the database says. */
export interface CollectionOverride extends Omit<CollectionDefinition, 'fields' | 'table' | 'dbSchema'> {
  /** The column that tells the rows apart. */
  readonly key?: string
  /** By the names of fields: what is different of a column's field, a field more, or `false` for none. */
  readonly fields?: Readonly<Record<string, FieldOverride>>
}

/** What is different of a field than the database says, or `false` for no field. */
export type FieldOverride =
  | false
  | Partial<ScalarDefinition>
  | Partial<ManyToOneDefinition>
  | Partial<OneToManyDefinition>
  | Partial<ThroughDefinition>
  | Partial<AnyDefinition>
