// A schema after it was checked: every name is linked, nothing can change.

import type { ValueType } from '../types/field-types.ts'
import type { Deselection, Special, StandardValidator } from './definition.ts'

export const defaultFieldsWords = ['all', 'columns'] as const

/** Fields that a query without `fields`, and each `*` in it, stands for: those with a column, or relations to many as well. */
export type DefaultFields = (typeof defaultFieldsWords)[number]

/** The result of `defineSchema`: collections whose names are linked. */
export interface Schema<Definition = unknown, Default extends DefaultFields = DefaultFields> {
  readonly collections: ReadonlyMap<string, Collection>
  /** The literal it was made from; the types are inferred from it. */
  readonly definition: Definition
  /** Fields that `*` stands for. */
  readonly defaultFields: Default
}

/** A collection of a schema, with defaults for everything that was left out. */
export interface Collection {
  readonly name: string
  readonly table: string
  readonly dbSchema: string | undefined
  readonly key: ScalarField | ManyToOne
  readonly fields: ReadonlyMap<string, Field>
  readonly sortField: StoredField | undefined
  readonly isSingleton: boolean
  readonly isVersioned: boolean
  readonly note: string | undefined
  /** True for a caller's view of a collection: its rows are read through permission rules. */
  readonly isSeen?: true
  /** True if only functions of its own access it, so that no name inside a query can refer to it. */
  readonly isApart?: true
}

interface NamedModel {
  readonly name: string
  readonly collection: Collection
  readonly note: string | undefined
}

interface StoredBase extends NamedModel {
  readonly column: string
  readonly value: ValueType
  readonly isNullable: boolean
  readonly isKey: boolean
  readonly isUnique: boolean
  readonly isReadonly: boolean
  readonly default: unknown
  /** True if the database has a value if none is given. */
  readonly isDefaulted: boolean
  readonly special: readonly Special[]
  readonly validation: object | undefined
}

export interface ScalarField extends StoredBase {
  readonly kind: 'scalar'
  readonly isConcealed: boolean
  readonly isGenerated: boolean
  readonly isSearchable: boolean
  readonly schema: StandardValidator | undefined
}

export interface ManyToOne extends StoredBase {
  readonly kind: 'm2o'
  readonly target: Collection
}

/** The far end of a many-to-any junction: a key as text, and beside it the name of its collection. */
export interface AnyReference extends StoredBase {
  readonly kind: 'any'
  readonly targets: ReadonlyMap<string, Collection>
  readonly by: ScalarField
}

interface ToManyBase extends NamedModel {
  /** The collection of the related rows; for m2m and m2a the junction. */
  readonly target: Collection
  /** The related collection's field that points back here. */
  readonly foreign: ManyToOne
  readonly sort: StoredField | undefined
  readonly deselect: Deselection
}

export interface OneToMany extends ToManyBase {
  readonly kind: 'o2m'
}

export interface ManyToMany extends ToManyBase {
  readonly kind: 'm2m'
  readonly far: ManyToOne
}

export interface ManyToAny extends ToManyBase {
  readonly kind: 'm2a'
  readonly far: AnyReference
}

export type ToMany = OneToMany | ManyToMany | ManyToAny
export type StoredField = ScalarField | ManyToOne | AnyReference
/** A field of a schema: stored in a column, or a to-many relation. */
export type Field = StoredField | ToMany

/** The key, if results may show it: a caller with access to some fields only may not see it, or not on every row. */
export function shownKey({ key, fields }: Pick<Collection, 'key' | 'fields'>): StoredField | undefined {
  const shown = fields.get(key.name)
  return shown && !isToMany(shown) ? shown : undefined
}

export const isToMany = (field: Field): field is ToMany =>
  field.kind === 'o2m' || field.kind === 'm2m' || field.kind === 'm2a'
