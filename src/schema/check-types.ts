// Compile-time checks of a schema's literal. `defineSchema` finds the same mistakes again at run time.

import type { FamilyOf, FieldType } from '../types/families.ts'
import type {
  AnyDefinition,
  CollectionDefinition,
  ManyToOneDefinition,
  OneToManyDefinition,
  ScalarDefinition,
  ThroughDefinition,
} from './definition.ts'
import type { ChildrenOf, FieldsOf, IsOpen, KeyName, KeyNames, KeyScalar, Several } from './infer.ts'
import type { HeldType } from './json-type.ts'

/** A message about a place of the literal. It is intersected with the given type, and says why that does not
 *  fit; a bare text type would meet another text in `never` and say nothing. */
export interface Mistake<Sentence extends string> {
  readonly mistake: Sentence
}

/** The type that a schema's literal has to have besides being well-formed: `unknown` where it is valid, a
 *  mistake where it is not. */
export type CheckSchema<S> =
  IsOpen<S> extends true ? unknown : { readonly [C in keyof S]: CheckCollection<S, C> }

type CheckCollection<S, C> = C extends keyof S & string
  ? {
      readonly [Option in keyof S[C]]: Option extends 'fields'
        ? CheckFields<S, C, FieldsOf<S, C>>
        : Option extends 'sortField'
          ? CheckNamed<S, C, S[C][Option], StoredType, 'a stored field'>
          : Option extends 'key'
            ? CheckAllNamed<S, C, S[C][Option]>
            : CheckOptionName<Option, CollectionDefinition>
    }
  : unknown

type CheckFields<S, C extends string, Fields> =
  IsOpen<Fields> extends true
    ? unknown
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

type CheckOptionName<Option, Definition> = Option extends keyof Definition | keyof HeldType<unknown>
  ? unknown
  : Mistake<`there is no option '${Option & string}'`>

interface CheckScalar<S, C extends string, Name extends string, Field>
  extends CheckStored<S, C, Name, Field> {
  readonly default: CheckDefault<Field>
}

interface CheckManyToOne<S, C extends string, Name extends string, Field>
  extends CheckStored<S, C, Name, Field> {
  readonly to: Field extends { readonly to: infer To }
    ? CheckTarget<S, To> & CheckCircle<S, C, Field> & CheckReach<S, To, Field>
    : unknown
  readonly by: Field extends { readonly by: infer Names } ? CheckAllNamed<S, C, Names> : unknown
  readonly references: Field extends { readonly to: infer To; readonly references: infer Names }
    ? Names extends string
      ? CheckReferenced<S, To, Names>
      : CheckAllNamed<S, To, Names>
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
  : Mistake<`'${Other & string}' is a key of '${C}' too; write key: [...] beside fields`>

type CheckCircle<S, C extends string, Field> = Field extends { readonly key: true }
  ? [KeyScalar<S, C>] extends [never]
    ? Mistake<`the key of '${C}' leads back to itself`>
    : unknown
  : unknown

/** Checks that a name is that of a field that identifies items. */
type CheckReferenced<S, To, Name> = CheckNamed<S, To, Name, StoredType, 'a stored field'> &
  (Name extends keyof FieldsOf<S, To>
    ? FieldsOf<S, To>[Name] extends { readonly unique: true } | { readonly key: true }
      ? unknown
      : KeyNames<S, To> extends readonly [Name]
        ? unknown
        : Mistake<`field '${To & string}.${Name & string}' is not unique`>
    : unknown)

/** Checks that a relation can hold the key of its target. */
type CheckReach<S, To, Field> = Field extends { readonly references: unknown }
  ? unknown
  : KeyNames<S, To> extends Several
    ? Field extends { readonly by: readonly unknown[] }
      ? unknown
      : Mistake<`the key of '${To & string}' has several parts; name the fields that hold it in by`>
    : To extends keyof S
      ? IsOpen<FieldsOf<S, To>> extends true
        ? unknown
        : [KeyName<S, To>] extends [never]
          ? Mistake<`collection '${To & string}' has no key`>
          : unknown
      : unknown

/** Checks that each of some names is that of a field with a column. */
type CheckAllNamed<S, C, Names> = {
  readonly [Place in keyof Names]: CheckNamed<S, C, Names[Place], StoredType, 'a stored field'>
}

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

/** Checks that a name is that of a field of the wanted type. An unknown collection is reported where it is named. */
type CheckNamed<S, C, Name, Type, Claim extends string, To = unknown> = C extends keyof S & string
  ? Name extends keyof FieldsOf<S, C> & string
    ? FieldsOf<S, C>[Name] extends WantedType<Type, To>
      ? unknown
      : Mistake<`field '${C}.${Name}' is not ${Claim}`>
    : string extends Name
      ? unknown
      : Mistake<`collection '${C}' has no field '${Name & string}'`>
  : unknown

type WantedType<Type, To> = unknown extends To
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

// A key with a mark that no field's name may have is a word of the filter language, and checked when the schema is defined.
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
