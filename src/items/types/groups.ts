// Types of the groups that `groupBy` and `aggregate` make of items.
import type { Mistake } from '../../schema/check-types.ts'
import type { FieldsOf, Held, HeldScalar, IsOpen, ReadValue } from '../../schema/infer.ts'
import type { AggregateName, aggregates } from '../../vocabulary/aggregates.ts'
import type { AnswerName, HeadOf, NamesIn, Straight, TailOf } from './field-names.ts'
import type {
  AggregateValues,
  Computed,
  FamilyFor,
  FamilyOfField,
  Matching,
  NoAggregate,
  NullOf,
  WordOf,
} from './field-values.ts'
import type { IsHidden } from './hidden.ts'

/** True if a level requests groups instead of items. Its parameters have a prefix: none at the root, `_` below. */
export type IsGrouping<Level, Mark extends string> = [
  keyof WordOf<Level, `${Mark}aggregate`> | NamesIn<WordOf<Level, `${Mark}groupBy`>>,
] extends [never]
  ? false
  : true

/** A group: the common values of its items, and its aggregates. */
export type Grouped<D, C, Level, Mark extends string> = GroupOf<
  D,
  C,
  FieldsOf<D, C>,
  Straight<NamesIn<WordOf<Level, `${Mark}groupBy`>>>,
  WordOf<Level, `${Mark}aggregate`>,
  WordOf<Level, `${Mark}alias`>
>

type GroupOf<D, C, Fields, Path, Aggregates, Alias> = true extends
  | IsLooseGroup<Fields, Path, Aggregates>
  | IsOpen<Alias>
  ? Record<string, unknown>
  : {
      [Word in (HeadOf<Path> | keyof Aggregates) & string as AnswerName<Word>]: Word extends keyof Aggregates
        ? AggregatesOf<D, C, Fields, Word, NamesIn<Aggregates[Word]>>
        : Common<D, C, Fields, Matching<Word, Alias>, TailOf<Path, Word>, never>
    }

/** True if there are names that the compiler does not see. */
type IsLooseGroup<Fields, Path, Aggregates> =
  | IsOpen<Fields>
  | IsOpen<Aggregates>
  | (string extends Path ? true : false)
  | IsHidden<Aggregates, keyof Aggregates>

/** Common value of the items of a group. `Empty` is null if a relation on the path may lead nowhere. */
type Common<D, C, Fields, Step, Tail, Empty> = Step extends keyof Fields
  ? Fields[Step] extends { readonly type: 'm2o'; readonly to: infer To }
    ? [Tail] extends [never]
      ? Fields[Step] extends { readonly by: unknown }
        ? Mistake<NoGroups<C, Step>>
        : ReadValue<D, Fields[Step]> | Empty
      : {
          [Next in HeadOf<Tail> & string as AnswerName<Next>]: Common<
            D,
            To,
            FieldsOf<D, To>,
            Next,
            TailOf<Tail, Next>,
            Empty | NullOf<Held<Fields, Fields[Step]>>
          >
        }
    : [FamilyOfField<Fields[Step]>, Tail] extends [FamilyFor<'countDistinct'>, never]
      ? ReadValue<D, Fields[Step]> | Empty
      : Mistake<NoGroups<C, Step>>
  : unknown extends Computed<D, C, Fields, Step>
    ? Mistake<NoGroups<C, Step>>
    : Computed<D, C, Fields, Step> | Empty

type NoGroups<C, Name> = `'${C & string}.${Name & string}' makes no groups`

/** Aggregates: one number if only rows are counted, else a value by each name. */
export type AggregatesOf<D, C, Fields, Word, Name> = Word extends AggregateName
  ? string extends Name
    ? unknown
    : [Name] extends ['*']
      ? AggregateOf<D, C, Fields, Word, Name>
      : { [Each in Name & string as AnswerName<Each>]: AggregateOf<D, C, Fields, Word, Each> }
  : Mistake<`there is no aggregate '${Word & string}'`>

type AggregateOf<D, C, Fields, Word extends AggregateName, Name> = Name extends keyof Fields
  ? FamilyOfField<HeldScalar<D, Fields[Name]>> extends FamilyFor<Word>
    ? AggregateValues<ReadValue<D, Fields[Name]>, HeldScalar<D, Fields[Name]>>[Word]
    : Mistake<NoAggregate<C, Word, Name>>
  : Name extends '*'
    ? (typeof aggregates)[Word] extends { readonly takesStar: true }
      ? number
      : Mistake<`${Word} takes fields, not '*'`>
    : Computed<D, C, Fields, Name> extends infer Value
      ? unknown extends Value
        ? 'json' extends FamilyFor<Word>
          ? AggregateValues<unknown, unknown>[Word]
          : Mistake<NoAggregate<C, Word, Name>>
        : Value extends Mistake<string>
          ? Value
          : AggregateValues<number, unknown>[Word]
      : never
