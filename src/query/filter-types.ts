// The types of filters, mapped from a schema and from the tables of words.

import type {
  ChildrenOf,
  CollectionName,
  DefinitionOf,
  FieldsOf,
  HeldScalar,
  IsOpen,
  KeyNames,
  KeyScalar,
  Several,
} from '../schema/infer.ts'
import type { Family, FamilyOf, FieldType, TypesOfValues } from '../types/families.ts'
import type { VariableWord } from '../types/family-row.ts'
import type { Geometry } from '../values/geometry.ts'
import type { FunctionName, functions } from '../vocabulary/functions.ts'
import type { junctions, quantifiers } from '../vocabulary/junctions.ts'
import type { OperandKind } from '../vocabulary/operator.ts'
import type { OperatorName, operators } from '../vocabulary/operators.ts'

/** A condition on the items of a collection.
 *  @example const recent: Filter<typeof schema, 'articles'> = { author: { name: 'Ada' }, 'year(published_at)': { _gte: 2024 } } */
export type Filter<S, C extends CollectionName<S>> = FilterOn<C, DefinitionOf<S>>

export type FilterOn<C, D> = IsOpen<FieldsOf<D, C>> extends true ? AnyFilter : CollectionFilter<C, D>

/** A filter with unknown names. */
export interface AnyFilter {
  [name: string]: unknown
}

// Below, the collection comes before the definition: the compiler shows these types in messages, and cuts off long ones.

/** The conditions on one item, in a conjunction. */
type CollectionFilter<C, D> = Conditions<C, D> & Junctions<CollectionFilter<C, D>>

/** Behind a many-to-one field: conditions on the related item, or on its key. */
type RelatedFilter<C, D> = Conditions<C, D> & TestsOfKey<C, D> & Junctions<RelatedFilter<C, D>>

/** Behind a many-to-one field that holds other values than the key: conditions on the related item, or on these values. */
type ReferringFilter<C, D, Field> = Conditions<C, D> &
  TestsOfHeld<C, D, Field> &
  Junctions<ReferringFilter<C, D, Field>>

/** Behind a to-many field: conditions that one related item meets, or none. */
type RelatedListFilter<C, D> = Conditions<C, D> &
  TestsOfKey<C, D> &
  Quantifiers<RelatedFilter<C, D>> &
  Junctions<RelatedListFilter<C, D>>

// Interfaces, because only they may be recursive.
export interface Junctions<Whole> extends JunctionLists<Whole> {}
type JunctionLists<Whole> = { -readonly [Word in keyof typeof junctions]?: readonly Whole[] }

type Quantifiers<Whole> = { -readonly [Word in keyof typeof quantifiers]?: Whole }

type Conditions<C, D> = FieldConditions<FieldsOf<D, C>, D> &
  WordConditions<FieldsOf<D, C>, D> &
  FollowConditions &
  AggregateConditions

type FieldConditions<Fields, D> = { -readonly [Name in keyof Fields]?: ConditionType<Fields[Name], D> }

type ConditionType<Field, D> = Field extends { readonly type: FieldType }
  ? ScalarCondition<Field>
  : Field extends { readonly type: 'm2o'; readonly to: infer To }
    ? Field extends { readonly references: unknown }
      ? RelationCondition<To, D, HeldScalar<D, Field>, ReferringFilter<To, D, Field>>
      : RelationCondition<To, D, KeyScalar<D, To>, RelatedFilter<To, D>>
    : Field extends { readonly type: 'any'; readonly to: readonly (infer To)[] }
      ? TextCondition<OperandType<KeyScalar<D, To>> | string>
      : RelationCondition<
          ChildrenOf<Field>,
          D,
          KeyScalar<D, ChildrenOf<Field>>,
          RelatedListFilter<ChildrenOf<Field>, D>
        >

/** A key or another held value, or conditions; a relation to a collection that the compiler does not know is checked by the engine. */
type RelationCondition<C, D, Held, Nested> =
  IsOpen<FieldsOf<D, C>> extends true ? unknown : OperandType<Held> | null | Nested

export type ScalarCondition<Field> = Field extends { readonly array: true }
  ? null | Operators<'json'>
  : Field extends { readonly values: readonly (infer Value)[] }
    ? TextCondition<Value | VariableWord>
    : Field extends { readonly type: infer Type extends FieldType }
      ? Exclude<OperandOf<Type>, Geometry> | null | Operators<Type>
      : never

type TextCondition<Value> = Value | null | OperatorsTaking<Value, 'text'>

/** The operators of a field type. */
export type Operators<Type extends FieldType> = Tests<FamilyOf<Type>, OperandOf<Type>> &
  Junctions<Operators<Type>> &
  PathTests<Type>

type OperatorsTaking<Value, Of extends Family> = Tests<Of, Value> & Junctions<OperatorsTaking<Value, Of>>

type PathTests<Type> = Type extends 'json' ? { _json?: { [path: string]: JsonCondition } } : unknown

type JsonCondition = JsonScalarType | null | JsonOperators
type JsonScalarType = string | number | bigint | boolean
/** The operators of a value inside a JSON document, which may be of any simple type. */
type JsonOperators = OperatorsTaking<JsonScalarType, 'text' | 'json'>

/** The operators on a collection's key: of one field, or of several, which make a list. */
type TestsOfKey<C, D> =
  KeyNames<D, C> extends Several
    ? Tests<'tuple', KeyOperand<D, FieldsOf<D, C>, KeyNames<D, C>>>
    : [KeyScalar<D, C>] extends [never]
      ? unknown
      : KeyTests<KeyScalar<D, C>>

/** The operators on the values that a many-to-one field holds. */
type TestsOfHeld<C, D, Field> = Field extends { readonly references: infer Names extends Several }
  ? Tests<'tuple', KeyOperand<D, FieldsOf<D, C>, Names>>
  : KeyTests<HeldScalar<D, Field>>

type KeyOperand<D, Fields, Names extends Several> = {
  readonly [Place in keyof Names]: Names[Place] extends keyof Fields
    ? OperandType<HeldScalar<D, Fields[Names[Place]]>>
    : never
}

type KeyTests<Key> = Key extends { readonly type: infer Type extends FieldType }
  ? Tests<FamilyOf<Type>, OperandType<Key>>
  : unknown

/** The rows of the operator table that work on a family, each with its operand. */
type Tests<Of extends Family, Value> = Operands<Pick<typeof operators, NamesOn[Of]>, Value>

// Mapped from rows of the table itself, so that editors show the comments on them.
type Operands<Rows extends Readonly<Record<string, { readonly operand: OperandKind }>>, Value> = {
  -readonly [Name in keyof Rows]?: OperandForms<Value>[Rows[Name]['operand']] | NullFor<Name>
}

/** The names of the operators that work on a family, each family's made once. */
type NamesOn = {
  readonly [Of in Family]: {
    [Name in OperatorName]: Of extends (typeof operators)[Name]['families'][number] ? Name : never
  }[OperatorName]
}

/** Another field of the same item in the place of a value. */
interface FieldName {
  /** Name of the field, or a path to it through to-one relations. */
  readonly $field: string
}

interface OperandForms<Value> extends Record<OperandKind, unknown> {
  value: Value | FieldName
  values: readonly Value[] | VariableWord
  pair: readonly [Value, Value]
  text: string
  flag: boolean
  geometry: Geometry
  pattern: string
}

// Equal to null means to have no value; no other comparison with null makes sense.
type NullFor<Name> = Name extends '_eq' | '_neq' ? null : never

type OperandType<Field> = Field extends { readonly values: readonly (infer Value)[] }
  ? Value | VariableWord
  : Field extends { readonly type: infer Type extends FieldType }
    ? OperandOf<Type>
    : never

/** The operand of a field: at least the type of its value in an item. */
type OperandOf<Type extends FieldType> = TypesOfValues[Type]['operand']

/** Conditions on computed values: `year(published_at)`, `count(comments)`, `json(meta, size.w)`, `item:block_hero`. */
type WordConditions<Fields, D> = {
  [Word in WordsOn<Fields>]?: Word extends `${string}:${infer To}`
    ? RelatedFilter<To, D>
    : Word extends `json(${string}`
      ? JsonCondition
      : OperandOf<'integer'> | null | Operators<'integer'>
}

export type WordsOn<Fields> = { [Name in keyof Fields & string]: WordsFor<Name, Fields[Name]> }[keyof Fields &
  string]

type WordsFor<Name extends string, Field> = Field extends { readonly array: true }
  ? FunctionCallType<FunctionOn<'json'>, Name>
  : Field extends { readonly type: infer Type extends FieldType }
    ? FunctionCallType<FunctionOn<FamilyOf<Type>>, Name>
    : Field extends { readonly type: 'any'; readonly to: readonly (infer To extends string)[] }
      ? `${Name}:${To}`
      : Field extends { readonly type: 'm2o' }
        ? never
        : `count(${Name})`

type FunctionCallType<Word extends FunctionName, Name extends string> = Word extends 'json'
  ? `json(${Name},${string})`
  : `${Word}(${Name})`
type FunctionOn<Of extends Family> = {
  [Word in FunctionName]: Of extends (typeof functions)[Word]['families'][number] ? Word : never
}[FunctionName]

/** Conditions on aggregates of related items, of which an alias may stand for the relation: the engine checks the names. */
interface AggregateConditions {
  [word: `count(${string})`]: NumberOperand<'integer'>
  [word: `sum(${string}.${string})`]: NumberOperand<'decimal'>
  [word: `avg(${string}.${string})`]: NumberOperand<'float'>
  [word: `min(${string}.${string})`]: unknown
  [word: `max(${string}.${string})`]: unknown
}

type NumberOperand<Type extends FieldType> = OperandOf<Type> | null | Operators<Type>

interface FollowConditions {
  [word: `$FOLLOW(${string})`]: AnyFilter
}
