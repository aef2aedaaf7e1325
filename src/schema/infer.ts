// What the compiler knows about a schema from its literal alone: the mistakes in it, its items, and their keys.
import type { Geometry, Shape, ShapeType } from '../values/geometry.ts'
import type {
  AnyDefinition,
  CollectionDefinition,
  ManyToOneDefinition,
  OneToManyDefinition,
  ScalarDefinition,
  SchemaDefinition,
  StandardValidator,
  ThroughDefinition,
} from './definition.ts'
import type { Family, FieldType, fieldTypes } from './field-types.ts'
import type { Holding } from './json.ts'
import type { Schema } from './model.ts'

/** The literal a schema was made from. Where nothing is known of it, any collection is possible. */
export type DefinitionOf<S> = S extends Schema<infer D> ? Known<D> : Known<S>
type Known<D> = unknown extends D ? SchemaDefinition : D

/** The names of a schema's collections. */
export type CollectionName<S> = keyof DefinitionOf<S> & string

/** The fields of a collection; of one that the compiler does not see, any. */
export type FieldsOf<D, C> = C extends keyof D
  ? D[C] extends { readonly fields: infer Fields }
    ? Fields
    : AnyFields
  : AnyFields
type AnyFields = CollectionDefinition['fields']

/** An item as it is read by default: the own fields, relations as keys.
 *  @example const titleOf = (article: Item<typeof schema, 'articles'>) => article.title */
export type Item<S, C extends CollectionName<S>> = ItemIn<DefinitionOf<S>, C>

type ItemIn<D, C> =
  IsOpen<FieldsOf<D, C>> extends true
    ? Record<string, unknown>
    : { -readonly [Name in keyof FieldsOf<D, C>]: ReadValue<D, FieldsOf<D, C>[Name]> }

/** Whether the names are unknown to the compiler, so that none can be refused. */
export type IsOpen<Named> = string extends keyof Named ? true : false

/** The type of a collection's key; where the key is a relation, of the key it leads to. */
export type KeyOf<S, C extends CollectionName<S>> = KeyValue<DefinitionOf<S>, C>

type KeyValue<D, C> = IsOpen<FieldsOf<D, C>> extends true ? string | number : ScalarValue<KeyField<D, C>>

/** The scalar field that holds a collection's key. Never, when there is none or the keys lead in a circle. */
export type KeyField<D, C, Seen = never> = C extends Seen
  ? never
  : Unrelated<D, FieldsOf<D, C>[KeyName<D, C>], Seen | C>
type Unrelated<D, Field, Seen> = Field extends { readonly type: 'm2o'; readonly to: infer To }
  ? KeyField<D, To, Seen>
  : Field

type KeyName<D, C> = NamesOfKeys<FieldsOf<D, C>>
type NamesOfKeys<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends { readonly key: true } ? Name : never
}[keyof Fields]

/** The collection of the rows behind a to-many field: the related one, or the junction between. */
export type ChildrenOf<Field> = Field extends { readonly from: `${infer C}.${string}` }
  ? C
  : Field extends { readonly through: `${infer C}.${string}` }
    ? C
    : string

type ReadValue<D, Field> = Field extends { readonly nullable: true }
  ? PresentValue<D, Field> | null
  : PresentValue<D, Field>

type PresentValue<D, Field> = Field extends { readonly type: FieldType }
  ? ScalarValue<Field>
  : Field extends { readonly type: 'm2o'; readonly to: infer To }
    ? KeyValue<D, To>
    : Field extends { readonly type: 'any' }
      ? string
      : KeyValue<D, ChildrenOf<Field>>[]

type ScalarValue<Field> = Field extends { readonly array: true } ? SingleValue<Field>[] : SingleValue<Field>

type SingleValue<Field> = Field extends { readonly values: readonly (infer Value)[] }
  ? Value
  : Field extends { readonly schema: StandardValidator<infer Output> }
    ? Output
    : Field extends { readonly type: 'json' } & Holding<infer Held>
      ? Held
      : Field extends { readonly type: infer Type extends FieldType }
        ? ValueOf<Type>
        : never

/** What a field of a type holds, when it says nothing more. */
export type ValueOf<Type extends FieldType> = Type extends 'bigInteger'
  ? string // 64 bits are more than a number can count
  : (typeof fieldTypes)[Type] extends { readonly shape: infer Kind extends ShapeType }
    ? Shape<Kind>
    : Values[FamilyOf<Type>]

export type FamilyOf<Type extends FieldType> = (typeof fieldTypes)[Type]['family']

interface Values extends Record<Family, unknown> {
  integer: number
  float: number
  decimal: string
  text: string
  csv: string[]
  uuid: string
  boolean: boolean
  date: string
  time: string
  dateTime: string
  timestamp: string
  hash: string
  binary: string
  geometry: Geometry
}

/** A sentence about a place of the literal. It is intersected with what stands there, and says why that does not fit;
 *  a bare text type would meet another text in `never` and say nothing. */
export interface Mistake<Sentence extends string> {
  readonly mistake: Sentence
}

/** What a schema's literal has to be besides well-formed: `unknown` where it is right, a mistake where it is not. */
export type CheckSchema<S> =
  IsOpen<S> extends true ? unknown : { readonly [C in keyof S]: CheckCollection<S, C> }

type CheckCollection<S, C> = C extends keyof S & string
  ? {
      readonly [Option in keyof S[C]]: Option extends 'fields'
        ? CheckFields<S, C, FieldsOf<S, C>>
        : Option extends 'sortField'
          ? CheckNamed<S, C, S[C][Option], StoredType, 'a stored field'>
          : CheckOptionName<Option, CollectionDefinition>
    }
  : unknown

type CheckFields<S, C extends string, Fields> =
  IsOpen<Fields> extends true
    ? unknown
    : [NamesOfKeys<Fields>] extends [never]
      ? Mistake<`collection '${C}' has no key; mark one field with key: true`>
      : { readonly [Name in keyof Fields]: CheckField<S, C, Name & string, Fields[Name]> }

type CheckField<S, C extends string, Name extends string, Field> = Field extends { readonly type: infer Type }
  ? Type extends FieldType
    ? Checked<Field, ScalarDefinition, CheckScalar<S, C, Name, Field>>
    : Type extends 'm2o'
      ? Checked<Field, ManyToOneDefinition, CheckManyToOne<S, C, Name, Field>>
      : Type extends 'o2m'
        ? Checked<Field, OneToManyDefinition, CheckToMany<S, C, Field>>
        : Type extends 'm2m'
          ? Checked<Field, ThroughDefinition, CheckThrough<S, C, Field, 'm2o'>>
          : Type extends 'm2a'
            ? Checked<Field, ThroughDefinition, CheckThrough<S, C, Field, 'any'>>
            : Checked<Field, AnyDefinition, CheckAny<S, C, Field>>
  : unknown

type Checked<Field, Definition, Checks> = {
  readonly [Option in keyof Field]: Option extends keyof Checks
    ? Checks[Option]
    : CheckOptionName<Option, Definition>
}

type CheckOptionName<Option, Definition> = Option extends keyof Definition | keyof Holding<unknown>
  ? unknown
  : Mistake<`there is no option '${Option & string}'`>

interface CheckScalar<S, C extends string, Name extends string, Field>
  extends CheckStored<S, C, Name, Field> {
  readonly default: CheckDefault<Field>
}

interface CheckManyToOne<S, C extends string, Name extends string, Field>
  extends CheckStored<S, C, Name, Field> {
  readonly to: Field extends { readonly to: infer To }
    ? CheckTarget<S, To> & CheckCircle<S, C, Field>
    : unknown
}

interface CheckStored<S, C extends string, Name extends string, Field> {
  readonly key: Field extends { readonly key: true } ? CheckOnlyKey<C, Exclude<KeyName<S, C>, Name>> : unknown
  readonly nullable: Field extends { readonly key: true; readonly nullable: true }
    ? Mistake<'a key cannot be nullable'>
    : unknown
  readonly validation: Field extends { readonly validation: infer Rules }
    ? CheckValidation<C, FieldsOf<S, C>, Rules>
    : unknown
}

interface CheckToMany<S, C extends string, Field> extends CheckSort<S, Field> {
  readonly from: Field extends { readonly from: infer Route } ? CheckRoute<S, C, Route> : unknown
}

interface CheckSort<S, Field> {
  readonly sort: Field extends { readonly sort: infer Sort }
    ? CheckNamed<S, ChildrenOf<Field>, Sort, StoredType, 'a stored field'>
    : unknown
}

interface CheckThrough<S, C extends string, Field, Far extends string> extends CheckSort<S, Field> {
  readonly through: Field extends { readonly through: infer Route } ? CheckRoute<S, C, Route> : unknown
  readonly to: Field extends { readonly to: infer To }
    ? CheckNamed<S, ChildrenOf<Field>, To, Far, `of type '${Far}'`>
    : unknown
}

interface CheckAny<S, C extends string, Field> {
  readonly to: Field extends { readonly to: infer Targets }
    ? { readonly [Index in keyof Targets]: CheckTarget<S, Targets[Index]> }
    : unknown
  readonly by: Field extends { readonly by: infer By }
    ? CheckNamed<S, C, By, TextType, 'a string field'>
    : unknown
}

type StoredType = FieldType | 'm2o'
type TextType = { [Type in FieldType]: FamilyOf<Type> extends 'text' ? Type : never }[FieldType]

type CheckOnlyKey<C extends string, Other> = [Other] extends [never]
  ? unknown
  : Mistake<`'${Other & string}' is a key of '${C}' too; a collection has one`>

type CheckCircle<S, C extends string, Field> = Field extends { readonly key: true }
  ? [KeyField<S, C>] extends [never]
    ? Mistake<`the key of '${C}' leads back to itself`>
    : unknown
  : unknown

type CheckTarget<S, C> = C extends keyof S
  ? unknown
  : string extends C
    ? unknown
    : Mistake<`collection '${C & string}' is not defined`>

type CheckRoute<S, Here extends string, Route> = Route extends `${infer C}.${infer Name}`
  ? CheckTarget<S, C> & CheckNamed<S, C, Name, 'm2o', `an m2o to '${Here}'`, Here>
  : string extends Route
    ? unknown
    : Mistake<`'${Route & string}' is not of the form collection.field`>

/** Whether a name is that of a field of the wanted type. A collection that is not there is reported where it is named. */
type CheckNamed<S, C, Name, Type, Claim extends string, To = unknown> = C extends keyof S & string
  ? Name extends keyof FieldsOf<S, C> & string
    ? FieldsOf<S, C>[Name] extends Wanted<Type, To>
      ? unknown
      : Mistake<`field '${C}.${Name}' is not ${Claim}`>
    : string extends Name
      ? unknown
      : Mistake<`collection '${C}' has no field '${Name & string}'`>
  : unknown

type Wanted<Type, To> = unknown extends To
  ? { readonly type: Type }
  : { readonly type: Type; readonly to: To }

type CheckDefault<Field> = Field extends { readonly array: true }
  ? unknown
  : Field extends { readonly values: readonly (infer Value)[]; readonly default: infer Default }
    ? Default extends Value | null
      ? unknown
      : string extends Default
        ? unknown
        : Mistake<`default '${Extract<Default, string | number | boolean>}' is not among the values`>
    : unknown

// Whatever holds a mark that no field's name may hold, is a word of the filter language, and checked when the schema is defined.
type CheckValidation<C extends string, Fields, Rules> = {
  readonly [Name in keyof Rules]: Name extends
    | keyof Fields
    | `_${string}`
    | `$${string}`
    | `${string}(${string}`
    | `${string}:${string}`
    ? unknown
    : Mistake<`collection '${C}' has no field '${Name & string}'`>
}
