// The definition that a host writes: plain data, before it is checked and linked.

import type { FieldType } from '../types/families.ts'
import type { BinaryEncoding, ColumnStorage } from '../types/family-row.ts'

/** Values that the engine fills in by itself on writes. */
export const specials = ['uuid', 'date-created', 'date-updated', 'user-created', 'user-updated'] as const
export type Special = (typeof specials)[number]

/** Actions on a child that is removed from a relation. */
export const deselections = ['nullify', 'delete'] as const
export type Deselection = (typeof deselections)[number]

/** The part of the Standard Schema interface that validation uses, so that any validator of that family works. */
export interface StandardValidator<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => unknown
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

export interface ScalarDefinition {
  readonly type: FieldType
  readonly key?: boolean
  readonly nullable?: boolean
  readonly default?: unknown
  /** The database fills it in if no value is given. */
  readonly defaulted?: boolean
  readonly unique?: boolean
  /** The column's name, if it differs from the field's. */
  readonly column?: string
  readonly storage?: ColumnStorage
  /** The text form of bytes: `base64`, which is the default, or `hex`. */
  readonly encoding?: BinaryEncoding
  readonly special?: readonly Special[]
  /** A filter that a written item has to pass. */
  readonly validation?: object
  readonly readonly?: boolean
  readonly conceal?: boolean
  readonly length?: number
  readonly precision?: number
  readonly scale?: number
  /** The column of an integer has more than 32 bits: written values go up to 2^53 - 1, and not only to 2^31 - 1. */
  readonly wide?: boolean
  readonly searchable?: boolean
  /** An index of all rows begins with the column, so that SQLite starts there for filters on related items. Unique columns, keys and
   *  many-to-one fields need not say so. */
  readonly indexed?: boolean
  /** The only texts allowed; narrows the type to their union. */
  readonly values?: readonly string[]
  /** The name of the PostgreSQL enum type of the column; `values` then lists its labels. */
  readonly enumType?: string
  /** The name of the column's type, such as `inet`, for the types `other` and `opaque`. */
  readonly databaseType?: string
  /** The column is a PostgreSQL array (JSON text on SQLite); the value is a list of this type. */
  readonly array?: boolean
  /** The database computes the column; it is never written. */
  readonly generated?: boolean
  /** The number that SQLite gives to each row, as the key of a table that has none. Never written, and no lasting name. */
  readonly rowNumber?: boolean
  /** The spatial reference of a PostGIS column. When given, its index can serve geometry filters. */
  readonly srid?: number
  /** Checks JSON values on writes: a Standard Schema validator. */
  readonly schema?: StandardValidator
  readonly note?: string
}

export interface ManyToOneDefinition {
  readonly type: 'm2o'
  readonly to: string
  /** The fields beside it that hold the key of its target, if that has several parts. It then has no column of its own. */
  readonly by?: readonly string[]
  /** The unique field of its target whose value it holds in place of the key; beside `by` the list of them, unique together. */
  readonly references?: string | readonly string[]
  readonly key?: boolean
  readonly nullable?: boolean
  readonly default?: unknown
  /** The database fills it in if no value is given. */
  readonly defaulted?: boolean
  readonly unique?: boolean
  readonly column?: string
  readonly special?: readonly Special[]
  readonly validation?: object
  readonly readonly?: boolean
  readonly note?: string
}

export interface OneToManyDefinition {
  readonly type: 'o2m'
  /** `collection.field`: the many-to-one field that points here. */
  readonly from: string
  readonly sort?: string
  readonly deselect?: Deselection
  readonly note?: string
}

export interface ThroughDefinition {
  readonly type: 'm2m' | 'm2a'
  /** `junction.field`: the junction's field that points here. */
  readonly through: string
  /** The junction's field that points on. */
  readonly to: string
  readonly sort?: string
  readonly deselect?: Deselection
  readonly note?: string
}

export interface AnyDefinition {
  readonly type: 'any'
  readonly to: readonly string[]
  /** The text field beside it that names the collection. */
  readonly by: string
  readonly nullable?: boolean
  readonly column?: string
  readonly note?: string
}

export type RelationDefinition = ManyToOneDefinition | OneToManyDefinition | ThroughDefinition | AnyDefinition
/** The definition of a field: a value, or a relation. */
export type FieldDefinition = ScalarDefinition | RelationDefinition

/** The definition of a collection. */
export interface CollectionDefinition {
  /** The table's name, if it differs from the collection's. */
  readonly table?: string
  /** The database schema of the table. */
  readonly dbSchema?: string
  /** The fields that identify an item together, or `false` if nothing identifies one. A key of one field is marked there with `key: true`. */
  readonly key?: readonly string[] | false
  readonly singleton?: boolean
  readonly versioned?: boolean
  /** The field of the default order. */
  readonly sortField?: string
  readonly note?: string
  readonly fields: Readonly<Record<string, FieldDefinition>>
}

/** Collections by their names, the argument of `defineSchema`. */
export type SchemaDefinition = Readonly<Record<string, CollectionDefinition>>
