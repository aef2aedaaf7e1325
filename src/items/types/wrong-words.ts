// Mistakes in the parameters of a level: never for a parameter that is right, or of which the compiler sees too little.

import type { DeepWords, RelatedField, ScopesOf, TargetOf } from '../../query/types.ts'
import type { Mistake } from '../../schema/check-types.ts'
import type { FieldsOf, IsOpen } from '../../schema/infer.ts'
import type { NamesIn, Straight } from './field-names.ts'
import type { Matching, WordOf } from './field-values.ts'
import type { AggregatesOf, IsGrouping } from './groups.ts'
import type { HiddenLevel, IsHidden } from './hidden.ts'
import type { WrongPath } from './wrong-path.ts'

/** Mistakes in a list of names, or in its comma-separated text. */
export type WrongNames<D, C, Level, Mark extends string, List> = WrongPaths<
  D,
  C,
  Level,
  Mark,
  Straight<NamesIn<List>>
>

type WrongPaths<D, C, Level, Mark extends string, Path> =
  IsHidden<Level, `${Mark}alias` | `${Mark}deep`> extends true
    ? never
    : WrongPath<D, C, Path, WordOf<Level, `${Mark}alias`>, DeepOf<Level, Mark>, ''>

/** At the root, the parameters of relations stand in `deep`; below, in the level itself. */
type DeepOf<Level, Mark extends string> = Mark extends '' ? WordOf<Level, 'deep'> : Level

/** Mistakes in the names by which a level is sorted. Groups are sorted by their aggregates, too. */
export type WrongSort<D, C, Level, Mark extends string, List> =
  IsGrouping<Level, Mark> extends true
    ? never
    : WrongPaths<D, C, Level, Mark, Straight<Rising<NamesIn<List>>>>

/** Names without the signs of their directions. */
type Rising<Name> = Name extends `-${infer Own}` ? Own : Name

/** Mistakes in aggregates: in the names of functions, and in those of fields. */
export type WrongAggregates<D, C, Aggregates> = true extends
  | IsOpen<FieldsOf<D, C>>
  | IsOpen<Aggregates>
  | IsHidden<Aggregates, keyof Aggregates>
  ? never
  : { [Word in keyof Aggregates]: WrongAggregate<D, C, Word, Aggregates[Word]> }[keyof Aggregates]

type WrongAggregate<D, C, Word, List> =
  AggregatesOf<D, C, FieldsOf<D, C>, Word, NamesIn<List>> extends infer Found
    ? Found extends Mistake<string>
      ? Found
      : MistakesAmong<Found> extends infer Wrong
        ? [Wrong] extends [never]
          ? never
          : Wrong | Exclude<keyof FieldsOf<D, C> & string, NamesIn<List>>
        : never
    : never

type MistakesAmong<Found> =
  Found extends Mistake<string>
    ? never
    : Found extends object
      ? Extract<Found[keyof Found], Mistake<string>>
      : never

/** Mistakes in the parameters of relations. */
export type WrongDeep<D, C, Level, Mark extends string, Deep> = true extends
  | IsOpen<FieldsOf<D, C>>
  | IsOpen<Deep>
  | IsHidden<Level, `${Mark}alias`>
  | (Deep extends HiddenLevel ? true : false)
  ? never
  : {
      [Word in keyof Deep]: Word extends `_${string}`
        ? Mark extends '_'
          ? Word extends AnyDeepWord
            ? never
            : NoRelation<C, Word>
          : NoRelation<C, Word>
        : WrongBehind<D, C, FieldsOf<D, C>, Matching<Word, WordOf<Level, `${Mark}alias`>>, Deep[Word]>
    }[keyof Deep]

type AnyDeepWord = keyof DeepWords<never, never>

type WrongBehind<D, C, Fields, Word, Level> = Word extends keyof Fields
  ? Fields[Word] extends RelatedField
    ? WrongLevel<D, TargetOf<Fields[Word]>, Level>
    : NoRelation<C, Word>
  : Word extends `$${string}`
    ? never
    : Word extends ScopesOf<Fields>
      ? WrongLevel<D, RelationTarget<Fields, Word>, Level>
      : NoRelation<C, Word>

type NoRelation<C, Word> = Mistake<`collection '${C & string}' has no relation '${Word & string}'`>

/** The names under which a level has parameters of relations. */
type RelationWord<D, C, Alias> = RelationName<FieldsOf<D, C>> | ScopesOf<FieldsOf<D, C>> | keyof Alias

type RelationName<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends RelatedField ? Name : never
}[keyof Fields]

/** The collection behind such a name. Of one that the compiler does not know, nothing is wrong. */
type RelationTarget<Fields, Word> = Word extends keyof Fields
  ? TargetOf<Fields[Word]>
  : Word extends `${string}:${infer To}`
    ? To
    : never

/** Mistakes in the parameters of a level below the root. */
type WrongLevel<D, C, Level> =
  | MistakesBelow<D, C, Level>[keyof Level & keyof MistakesBelow<never, never, never>]
  | WrongDeep<D, C, Level, '_', Level>

interface MistakesBelow<D, C, Level> {
  readonly _sort: WrongSort<D, C, Level, '_', WordOf<Level, '_sort'>>
  readonly _groupBy: WrongNames<D, C, Level, '_', WordOf<Level, '_groupBy'>>
  readonly _aggregate: WrongAggregates<D, C, WordOf<Level, '_aggregate'>>
}

// The same parameters with a mistake in the place of each wrong name. Names that are right have their usual types.

/** A parameter: as it is if nothing is wrong in it. */
// `infer` makes nothing of its marks before the literal is known: without it, the compiler walks all that they could ever be.
export type MarkedWord<Wrong, Marks, Right> = [Wrong] extends [never]
  ? Right
  : [Marks] extends [infer Known extends object | string]
    ? Known
    : never

export type MarkedNames<D, C, Level, Mark extends string, Names> = Names extends readonly unknown[]
  ? { readonly [Index in keyof Names]: OrAnything<WrongNames<D, C, Level, Mark, Names[Index]>> }
  : InText<Names, WrongNames<D, C, Level, Mark, Names>>

export type MarkedSort<D, C, Level, Mark extends string, Names> = Names extends readonly unknown[]
  ? {
      readonly [Index in keyof Names]: OrAnything<
        Signed<Names[Index], WrongSort<D, C, Level, Mark, Names[Index]>>
      >
    }
  : InText<Names, Signed<Names, WrongSort<D, C, Level, Mark, Names>>>

export type MarkedAggregates<D, C, Aggregates> = {
  readonly [Word in keyof Aggregates]: OrAnything<WrongAggregate<D, C, Word, Aggregates[Word]>>
}

/** Only names of relations, so that the compiler offers the nearest for another one. */
export type MarkedDeep<D, C, Level, Mark extends string, Deep> = {
  readonly [Word in
    | RelationWord<D, C, WordOf<Level, `${Mark}alias`>>
    | Extract<keyof Deep, `$${string}`>]?: Word extends keyof Deep
    ? MarkedLevel<
        D,
        RelationTarget<FieldsOf<D, C>, Matching<Word, WordOf<Level, `${Mark}alias`>>>,
        Deep[Word]
      >
    : unknown
}

type MarkedLevel<D, C, Level> = [C] extends [never]
  ? unknown
  : Omit<DeepWords<C, D>, '_sort' | '_groupBy' | '_aggregate'> & {
      readonly _sort?: MarkedSort<D, C, Level, '_', WordOf<Level, '_sort'>>
      readonly _groupBy?: MarkedNames<D, C, Level, '_', WordOf<Level, '_groupBy'>>
      readonly _aggregate?: MarkedAggregates<D, C, WordOf<Level, '_aggregate'>>
    } & MarkedDeep<D, C, Level, '_', Level>

type OrAnything<Wrong> = [Wrong] extends [never] ? unknown : Wrong

/** Right texts beside a mistake, with the sign that the wrong one has. */
type Signed<Text, Wrong> = Text extends `-${string}`
  ? Exclude<Wrong, string> | `-${Extract<Wrong, string>}`
  : Wrong

/** In a text of several names, no name alone is the right text. */
type InText<Text, Wrong> = Text extends `${string},${string}` ? Exclude<Wrong, string> : Wrong
