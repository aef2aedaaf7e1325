// The types of conditions on groups, mapped from a schema and from the table of aggregates.
import type { FieldsOf, HeldScalar, IsOpen } from '../schema/infer.ts'
import type { FamilyOf, FieldType } from '../types/families.ts'
import type { AggregateName, aggregates } from '../vocabulary/aggregates.ts'
import type { AnyFilter, Junctions, Operators, ScalarCondition, WordsOn } from './filter-types.ts'

/** Conditions on groups, by the names of aggregates: `{ count: { _gt: 1 }, sum: { views: { _gte: 100 } } }`. */
export type HavingOn<C, D> = IsOpen<FieldsOf<D, C>> extends true ? AnyFilter : GroupFilter<C, D>

// The collection comes before the definition, as in filters.
type GroupFilter<C, D> = AggregateConditions<C, D> & Junctions<GroupFilter<C, D>>

type AggregateConditions<C, D> = {
  -readonly [Word in keyof typeof aggregates]?: AggregateCondition<Word, C, D> | RowCount<Word>
}

type AggregateCondition<Word extends AggregateName, C, D> = OnFields<Word, FieldsOf<D, C>, D> &
  OnFunctions<Word, WordsOn<FieldsOf<D, C>>> &
  OnRows<Word> &
  Junctions<AggregateCondition<Word, C, D>>

/** Operators right under an aggregate are about the rows themselves. */
type OnRows<Word extends AggregateName> =
  TakesStar<Word> extends true ? Operators<'integer'> & { '*'?: NumberCondition } : unknown
type RowCount<Word extends AggregateName> = TakesStar<Word> extends true ? number : never
type TakesStar<Word extends AggregateName> = (typeof aggregates)[Word] extends { readonly takesStar: true }
  ? true
  : false

type OnFields<Word extends AggregateName, Fields, D> = {
  -readonly [Name in keyof Fields as IsTaken<Word, HeldScalar<D, Fields[Name]>> extends true
    ? Name
    : never]?: ConditionsOf<HeldScalar<D, Fields[Name]>>[Word]
}

type IsTaken<Word extends AggregateName, Field> = Field extends { readonly array: true }
  ? Takes<Word, 'json'>
  : Field extends { readonly type: infer Type extends FieldType }
    ? Takes<Word, FamilyOf<Type>>
    : false

type Takes<Word extends AggregateName, Of> = [Of] extends [(typeof aggregates)[Word]['families'][number]]
  ? true
  : false

type NumberCondition = number | null | Operators<'integer'>

interface ConditionsOf<Field> extends Record<AggregateName, unknown> {
  count: NumberCondition
  countDistinct: NumberCondition
  sum: SumCondition<Field>
  sumDistinct: SumCondition<Field>
  avg: AverageCondition
  avgDistinct: AverageCondition
  min: ScalarCondition<Field>
  max: ScalarCondition<Field>
}

type AverageCondition = number | null | Operators<'float'>

// Sums of 64-bit integers are larger than any of them.
type SumCondition<Field> = ScalarCondition<
  Field extends { readonly type: 'bigInteger' } ? { readonly type: 'decimal' } : Field
>

/** Conditions on functions, by their own names and by those of results: `year(published_at)`, `published_at_year`. */
type OnFunctions<Word extends AggregateName, Call extends string> = {
  [Each in FunctionNames<Word, Call>]?: Word extends 'avg' | 'avgDistinct'
    ? AverageCondition
    : NumberCondition
}

type FunctionNames<Word extends AggregateName, Call extends string> = Call extends `${string}:${string}`
  ? never
  : Call extends `json(${string}`
    ? 'json' extends (typeof aggregates)[Word]['families'][number]
      ? Call
      : never
    : Call extends `${infer Function}(${infer Field})`
      ? Call | `${Field}_${Function}`
      : never
