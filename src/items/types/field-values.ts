// Parameters of a level of a query, and values of fields, where types know them.

import type { Mistake } from '../../schema/check-types.ts'
import type { ChildrenOf, FieldsOf, HeldScalar, IsOpen, ReadValue } from '../../schema/infer.ts'
import type { FamilyOf, FieldType } from '../../types/families.ts'
import type { AggregateName, aggregates } from '../../vocabulary/aggregates.ts'
import type { FunctionName, functions, RelatedAggregateName } from '../../vocabulary/functions.ts'
import type { Trim } from './field-names.ts'

/** A parameter of a level. */
export type WordOf<Level, Word> = Word extends keyof Level ? Level[Word] : Nothing

/** A parameter that was not given, or an empty query. */
export type Nothing = Record<never, never>

/** Field or function behind a step. */
export type Matching<Step, Alias> = [keyof Alias] extends [never]
  ? Step
  : MatchingCall<Step extends keyof Alias ? Trim<Alias[Step]> : Step, Alias>

/** Function of related items whose relation may be an alias: `count(hot)`, `sum(hot.views)`. */
type MatchingCall<Step, Alias> = Step extends `${infer Word}(${infer Inside})`
  ? Inside extends `${infer Relation}.${infer Name}`
    ? `${Word}(${Unaliased<Relation, Alias>}.${Name})`
    : `${Word}(${Unaliased<Inside, Alias>})`
  : Step

type Unaliased<Name extends string, Alias> = Name extends keyof Alias ? Alias[Name] & string : Name

// The schema guarantees that a target exists. Whether it is visible to a caller depends on rules that are not known here.
export type NullOf<Field> = Field extends { readonly nullable: true } ? null : never

/** Family of a field's values; `relation` for relations. */
export type FamilyOfField<Field> = Field extends { readonly conceal: true }
  ? 'hash'
  : Field extends { readonly array: true }
    ? 'json'
    : Field extends { readonly type: infer Type extends FieldType }
      ? FamilyOf<Type>
      : 'relation'

/** The name under which an item shows its cursor. */
export type CursorName = '$cursor'

/** Value of a function of a field. */
export type Computed<D, C, Fields, Call> = Call extends `${infer Word}(${infer Inside})`
  ? Inside extends `${infer Field},${string}`
    ? AppliedFunction<C, Fields, Word, Trim<Field>>
    : Word extends RelatedAggregateName
      ? RelatedAggregate<D, C, Fields, Word, Trim<Inside>>
      : AppliedFunction<C, Fields, Word, Trim<Inside>>
  : Call extends CursorName
    ? string
    : NoField<C, Call>

/** Value of an aggregate of related items. */
type RelatedAggregate<
  D,
  C,
  Fields,
  Word extends RelatedAggregateName,
  Inside,
> = Inside extends `${infer Relation}.${infer Name}`
  ? Relation extends keyof Fields
    ? Fields[Relation] extends ToManyField<string>
      ? AggregateBehind<D, ChildrenOf<Fields[Relation]>, Word, Name>
      : Mistake<NoAggregate<C, Word, Relation>>
    : NoField<C, Relation>
  : Mistake<NoAggregate<C, Word, Inside>>

type AggregateBehind<D, C, Word extends RelatedAggregateName, Name> =
  IsOpen<FieldsOf<D, C>> extends true
    ? unknown
    : Name extends keyof FieldsOf<D, C>
      ? FamilyOfField<HeldScalar<D, FieldsOf<D, C>[Name]>> extends FamilyFor<Word>
        ? AggregateValues<ReadValue<D, FieldsOf<D, C>[Name]>, HeldScalar<D, FieldsOf<D, C>[Name]>>[Word]
        : Mistake<NoAggregate<C, Word, Name>>
      : NoField<C, Name>

export type NoAggregate<C, Word, Name> = `${Word & string} does not work on '${C & string}.${Name & string}'`

/** Families whose values an aggregate takes. */
export type FamilyFor<Word extends AggregateName> = (typeof aggregates)[Word]['families'][number]

/** Value of each aggregate; null if there are no values. */
export interface AggregateValues<Value, Field> extends Record<AggregateName, unknown> {
  count: number
  countDistinct: number
  sum: SumOf<Field> | null
  sumDistinct: SumOf<Field> | null
  avg: number | null
  avgDistinct: number | null
  min: Value | null
  max: Value | null
}

// Sums are as exact as the values themselves.
type SumOf<Field> = Field extends { readonly type: 'decimal' }
  ? `${number}`
  : Field extends { readonly type: 'bigInteger' }
    ? string
    : number
type AppliedFunction<C, Fields, Word, Name> = Word extends FunctionName
  ? Name extends keyof Fields
    ? FamilyOfField<Fields[Name]> extends (typeof functions)[Word]['families'][number]
      ? Word extends 'json'
        ? unknown
        : number | NullOf<Fields[Name]> | NullIn<Fields[Name]>
      : [Fields[Name], Word] extends [ToManyField<string>, 'count']
        ? number
        : Mistake<`${Word} does not work on '${C & string}.${Name & string}'`>
    : NoField<C, Name>
  : Mistake<`there is no function '${Word & string}'`>
// A JSON value that is null itself has no elements to count.

type NullIn<Field> = Field extends { readonly type: 'json' } ? null : never
export type NoField<C, Name> = string extends Name
  ? unknown
  : Mistake<`collection '${C & string}' has no field '${Name & string}'`>
export type ToManyField<Link> = { readonly from: Link } | { readonly through: Link }
