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
  /** The type of its values. */
  readonly type: FieldType
  /** True for the key of the collection. */
  readonly key?: boolean
  /** True if there may be no value; its type gets `| null`. */
  readonly nullable?: boolean
  /** The value of a new item if the payload has none, and of a singleton without a row. */
  readonly default?: unknown
  /** The database fills it in if no value is given. */
  readonly defaulted?: boolean
  /** True if no two items have the same value, as the database enforces it. */
  readonly unique?: boolean
  /** The column's name, if it differs from the field's. */
  readonly column?: string
  /** How the column stores the value, if not in the usual form of the database. */
  readonly storage?: ColumnStorage
  /** The text form of bytes: `base64`, which is the default, or `hex`. */
  readonly encoding?: BinaryEncoding
  /** Fills it in on writes: `uuid`, `date-created`, `date-updated`, `user-created`, `user-updated`. */
  readonly special?: readonly Special[]
  /** A filter that a written item has to pass. */
  readonly validation?: object
  /** True if payloads may not name it. */
  readonly readonly?: boolean
  /** True if results show `**********` in its place, and filters test only whether there is a value. */
  readonly conceal?: boolean
  /** How many characters a written value may have. */
  readonly length?: number
  /** How many digits a written value may have. */
  readonly precision?: number
  /** The digits behind the point that results show at least, and to which written values are rounded. */
  readonly scale?: number
  /** The column of an integer has more than 32 bits: written values go up to 2^53 - 1, and not only to 2^31 - 1. */
  readonly wide?: boolean
  /** False to leave it out of `search`. */
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
  /** A note for people, which descriptions of the API show. */
  readonly note?: string
}

export interface ManyToOneDefinition {
  /** A relation to one item, whose key the column holds. */
  readonly type: 'm2o'
  /** The collection of the related item. */
  readonly to: string
  /** The fields beside it that hold the key of its target, if that has several parts. It then has no column of its own. */
  readonly by?: readonly string[]
  /** The unique field of its target whose value it holds in place of the key; beside `by` the list of them, unique together. */
  readonly references?: string | readonly string[]
  /** True for the key of the collection. */
  readonly key?: boolean
  /** True if there may be no related item; its type gets `| null`. */
  readonly nullable?: boolean
  /** The value of a new item if the payload has none. */
  readonly default?: unknown
  /** The database fills it in if no value is given. */
  readonly defaulted?: boolean
  /** True if no two items lead to the same one, as the database enforces it. */
  readonly unique?: boolean
  /** The column's name, if it differs from the field's. */
  readonly column?: string
  /** Fills it in on writes: `user-created`, `user-updated`. */
  readonly special?: readonly Special[]
  /** A filter that a written item has to pass. */
  readonly validation?: object
  /** True if payloads may not name it. */
  readonly readonly?: boolean
  /** A note for people, which descriptions of the API show. */
  readonly note?: string
}

export interface OneToManyDefinition {
  /** A relation to the items whose many-to-one field points here. */
  readonly type: 'o2m'
  /** `collection.field`: the many-to-one field that points here. */
  readonly from: string
  /** The field of the related items that gives their order. */
  readonly sort?: string
  /** The condition that its items meet, wherever the relation is named: `{ deleted_at: { _null: true } }`. */
  readonly filter?: object
  /** What happens to an item that is removed from the relation: `nullify`, which is the default, or `delete`. */
  readonly deselect?: Deselection
  /** A note for people, which descriptions of the API show. */
  readonly note?: string
}

export interface ThroughDefinition {
  /** A relation to items of one collection (`m2m`) or of several (`m2a`), through a junction. */
  readonly type: 'm2m' | 'm2a'
  /** `junction.field`: the junction's field that points here. */
  readonly through: string
  /** The junction's field that points on. */
  readonly to: string
  /** The junction's field that gives their order. */
  readonly sort?: string
  /** The condition that its rows of the junction meet, wherever the relation is named: `{ deleted_at: { _null: true } }`. */
  readonly filter?: object
  /** What happens to a row of the junction that is removed from the relation: `nullify`, which is the default, or `delete`. */
  readonly deselect?: Deselection
  /** A note for people, which descriptions of the API show. */
  readonly note?: string
}

export interface AnyDefinition {
  /** A reference to an item of one of several collections, whose key the column holds as text. */
  readonly type: 'any'
  /** The collections to which it may lead. */
  readonly to: readonly string[]
  /** The text field beside it that names the collection. */
  readonly by: string
  /** The conditions that its items meet, by their collections, wherever the reference is named: `{ heroes: { archived: false } }`. */
  readonly filter?: Readonly<Record<string, object>>
  /** True if there may be no related item; its type gets `| null`. */
  readonly nullable?: boolean
  /** The column's name, if it differs from the field's. */
  readonly column?: string
  /** A note for people, which descriptions of the API show. */
  readonly note?: string
}

type RelationDefinition = ManyToOneDefinition | OneToManyDefinition | ThroughDefinition | AnyDefinition
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
  /** True if there is one item. */
  readonly singleton?: boolean
  /** True if its items have versions. */
  readonly versioned?: boolean
  /** The field of the default order. */
  readonly sortField?: string
  /** A note for people, which descriptions of the API show. */
  readonly note?: string
  /** Its fields and relations, by their names. */
  readonly fields: Readonly<Record<string, FieldDefinition>>
}

/** Collections by their names, the argument of `defineSchema`. */
export type SchemaDefinition = Readonly<Record<string, CollectionDefinition>>
