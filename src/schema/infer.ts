// Types inferred from a schema's literal: its items, and their keys.

import type { FieldType, TypesOfValues } from '../types/families.ts'
import type { CollectionDefinition, SchemaDefinition, StandardValidator } from './definition.ts'
import type { HeldType } from './json-type.ts'
import type { Schema } from './model.ts'

/** The literal of a schema. If nothing is known of it, any collection is possible. */
export type DefinitionOf<S> =
  S extends Schema<infer D, infer Default>
    ? 'all' extends Default
      ? KnownNames<D>
      : KnownNames<D> & ColumnsOnly
    : KnownNames<S>
type KnownNames<D> = unknown extends D ? SchemaDefinition : D

/** Marks the definition of a schema in which `*` stands for fields with a column. */
// A symbol, because each name of a definition is one of a collection.
interface ColumnsOnly {
  readonly [columnsOnly]: true
}
declare const columnsOnly: unique symbol

/** Names of the fields that `*` stands for. */
export type DefaultName<D, Fields> = {
  [Name in keyof Fields]: Fields[Name] extends ListField
    ? D extends ColumnsOnly
      ? never
      : IsKeyless<D, ChildrenOf<Fields[Name]>> extends true
        ? never
        : Name
    : Name
}[keyof Fields]
interface ListField {
  readonly type: 'o2m' | 'm2m' | 'm2a'
}

/** Paths behind a wildcard that lead on from a field that is not many-to-one. */
export type WildTail<D, Wild> = D extends ColumnsOnly ? never : Wild

/** The names of a schema's collections. */
export type CollectionName<S> = keyof DefinitionOf<S> & string

/** The fields of a collection; any, if the compiler does not know it. */
export type FieldsOf<D, C> = C extends keyof D
  ? D[C] extends { readonly fields: infer Fields }
    ? Fields
    : AnyFields
  : AnyFields
type AnyFields = CollectionDefinition['fields']

/** An item as it is read by default: its own fields, relations as keys.
 *  @example const titleOf = (article: Item<typeof schema, 'articles'>) => article.title */
export type Item<S, C extends CollectionName<S>> = ItemIn<DefinitionOf<S>, C>

export type ItemIn<D, C> =
  IsOpen<FieldsOf<D, C>> extends true
    ? Record<string, unknown>
    : ItemWith<D, FieldsOf<D, C>, DefaultName<D, FieldsOf<D, C>>>

type ItemWith<D, Fields, Name extends keyof Fields> = {
  -readonly [Each in keyof Fields as Each & Name]: ReadValue<D, Held<Fields, Fields[Each]>>
}

/** A field, which may be null where other fields hold its value and one of them may be. */
export type Held<Fields, Field> = Field extends {
  readonly type: 'm2o'
  readonly by: readonly (infer Name)[]
}
  ? true extends NullableOf<Fields[Name & keyof Fields]>
    ? Field & { readonly nullable: true }
    : Field
  : Field
type NullableOf<Field> = Field extends { readonly nullable: true } ? true : false

/** True if the names are unknown to the compiler, so that none can be refused. */
export type IsOpen<Named> = string extends keyof Named ? true : false

/** The type of a collection's key; if the key is a relation, of the key of its target. */
export type KeyOf<S, C extends CollectionName<S>> = KeyValue<DefinitionOf<S>, C>

export type KeyValue<D, C> =
  IsOpen<FieldsOf<D, C>> extends true
    ? string | number | readonly (string | number)[]
    : KeyNames<D, C> extends Several
      ? PartValues<D, FieldsOf<D, C>, KeyNames<D, C>>
      : ScalarValue<KeyScalar<D, C>>

/** True for a collection whose items nothing identifies. */
export type IsKeyless<D, C> =
  IsOpen<FieldsOf<D, C>> extends true ? false : [KeyValue<D, C>] extends [never] ? true : false

/** The names of a key of several parts. */
export type Several = readonly [string, string, ...string[]]

/** The names of a key that is an option of its collection; `[]` if it has no such option. */
// Undefined in its place would extend every type where the host's compiler has no `strictNullChecks`.
export type KeyNames<D, C> = C extends keyof D
  ? D[C] extends { readonly key: infer Names extends readonly string[] }
    ? Names
    : readonly []
  : readonly []

/** The values of the parts of a key, in its order. */
type PartValues<D, Fields, Names extends Several> = {
  readonly [Place in keyof Names]: Names[Place] extends keyof Fields
    ? ReadValue<D, Fields[Names[Place]]>
    : never
}

/** The scalar field of a collection's key. Never, if there is none or the keys form a circle. */
export type KeyScalar<D, C, Seen = never> = C extends Seen
  ? never
  : Unrelated<D, FieldsOf<D, C>[KeyName<D, C>], Seen | C>
type Unrelated<D, Field, Seen> = Field extends { readonly type: 'm2o'; readonly to: infer To }
  ? Field extends { readonly references: infer Name extends string }
    ? HeldScalar<D, FieldNamed<FieldsOf<D, To>, Name>>
    : KeyScalar<D, To, Seen>
  : Field

/** The scalar field of a field's values: for a many-to-one field, the key of its target, or the field that it references. */
export type HeldScalar<D, Field> = Unrelated<D, Field, never>

type FieldNamed<Fields, Name> = Name extends keyof Fields ? Fields[Name] : never

/** The name of the field that is the key; never, if there is none, or the key has several parts. */
export type KeyName<D, C> =
  KeyNames<D, C> extends readonly [infer Name] ? Name & keyof FieldsOf<D, C> : NamesOfKeys<FieldsOf<D, C>>
type NamesOfKeys<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends { readonly key: true } ? Name : never
}[keyof Fields]

/** The collection of the rows behind a to-many field: the related one, or the junction between. */
export type ChildrenOf<Field> = Field extends { readonly from: `${infer C}.${string}` }
  ? C
  : Field extends { readonly through: `${infer C}.${string}` }
    ? C
    : string

/** The value of a field in an item, if the field is not expanded. */
export type ReadValue<D, Field> = Field extends { readonly nullable: true }
  ? PresentValue<D, Field> | null
  : PresentValue<D, Field>

type PresentValue<D, Field> = Field extends { readonly type: FieldType }
  ? Field extends { readonly conceal: true }
    ? string // its mask
    : ScalarValue<Field>
  : Field extends { readonly type: 'm2o'; readonly to: infer To }
    ? ReferenceValue<D, Field, To>
    : Field extends { readonly type: 'any' }
      ? string
      : KeyValue<D, ChildrenOf<Field>>[]

/** What a many-to-one field holds: the key of its target, or the values that it references. */
export type ReferenceValue<D, Field, To> = Field extends { readonly references: infer Names }
  ? Names extends string
    ? IsOpen<FieldsOf<D, To>> extends true
      ? string | number
      : PresentValue<D, FieldNamed<FieldsOf<D, To>, Names>>
    : {
        readonly [Place in keyof Names]: PresentValue<D, FieldNamed<FieldsOf<D, To>, Names[Place]>>
      }
  : KeyValue<D, To>

type ScalarValue<Field> = Field extends { readonly array: true } ? SingleValue<Field>[] : SingleValue<Field>

type SingleValue<Field> = Field extends { readonly values: readonly (infer Value)[] }
  ? Value
  : Field extends { readonly schema: StandardValidator<infer Output> }
    ? Output
    : Field extends { readonly type: 'json' } & HeldType<infer Held>
      ? Held
      : Field extends { readonly type: infer Type extends FieldType }
        ? ValueOf<Type>
        : never

/** The value of a field type without further options. */
type ValueOf<Type extends FieldType> = TypesOfValues[Type]['item']
