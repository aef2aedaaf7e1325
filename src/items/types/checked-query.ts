// Type of a query parameter, for which the compiler sees the literal and reports its mistakes.
import type { Query } from '../../query/types.ts'
import type { CollectionName, DefinitionOf } from '../../schema/infer.ts'
import type { WordOf } from './field-values.ts'
import type {
  MarkedAggregates,
  MarkedDeep,
  MarkedNames,
  MarkedSort,
  MarkedWord,
  WrongAggregates,
  WrongDeep,
  WrongNames,
  WrongSort,
} from './wrong-words.ts'

/** Query parameter of a function. `Q` is a `const` type parameter, and becomes its literal.
 *  @example type Magazine = typeof schema
 *  const first = async <C extends CollectionName<Magazine>, const Q>(collection: C, query: CheckedQuery<Magazine, C, Q>) =>
 *    (await listItems<Magazine, C, Q>(engine, collection, query)).data */
// The literal is inferred through the branch that is never taken, and checked against the other. Were the parameter `Q extends Query`
// itself, unknown words and fields inside would pass without an error, and editors would offer no names.
export type CheckedQuery<S, C extends CollectionName<S>, Q> = [Q] extends [never]
  ? Q
  : unknown extends Q
    ? UnreadQuery<S, C>
    : [Q, JudgedQuery<S, C, Q>] extends [unknown, Faultless]
      ? Query<S, C> // a parsed query is one, too
      : Omit<Query<S, C>, keyof Marked<S, C, Q>> & Marked<S, C, Q>

/** What an editor completes before it has read the literal. The names in its lists are left to the second time that it asks, with the
 *  literal: only then it is known which relation a path has come to. */
type UnreadQuery<S, C extends CollectionName<S>> = Omit<Query<S, C>, NameList> & {
  readonly [Word in NameList]?: string | readonly string[]
}
type NameList = 'fields' | 'sort' | 'groupBy'

// Interfaces with variance annotations. Where a host's own function passes its query on, the compiler would otherwise compute the variance,
// by comparing everything below with itself.
interface JudgedQuery<in out S, in out C, in out Q> {
  readonly mistakes: MistakesIn<DefinitionOf<S>, C, Q>[keyof Q & keyof MistakesIn<never, never, never>]
}
interface Faultless {
  readonly mistakes: never
}

/** The mistakes in each parameter that names fields. */
interface MistakesIn<D, C, Q> {
  readonly fields: WrongNames<D, C, Q, '', WordOf<Q, 'fields'>>
  readonly sort: WrongSort<D, C, Q, '', WordOf<Q, 'sort'>>
  readonly groupBy: WrongNames<D, C, Q, '', WordOf<Q, 'groupBy'>>
  readonly aggregate: WrongAggregates<D, C, WordOf<Q, 'aggregate'>>
  readonly deep: WrongDeep<D, C, Q, '', WordOf<Q, 'deep'>>
}

/** The parameters that name fields, with a mistake in the place of each wrong name. */
interface Marked<in out S, in out C extends CollectionName<S>, in out Q> {
  readonly fields?: MarkedWord<
    WrongNames<DefinitionOf<S>, C, Q, '', WordOf<Q, 'fields'>>,
    MarkedNames<DefinitionOf<S>, C, Q, '', WordOf<Q, 'fields'>>,
    Query<S, C>['fields']
  >
  readonly sort?: MarkedWord<
    WrongSort<DefinitionOf<S>, C, Q, '', WordOf<Q, 'sort'>>,
    MarkedSort<DefinitionOf<S>, C, Q, '', WordOf<Q, 'sort'>>,
    Query<S, C>['sort']
  >
  readonly groupBy?: MarkedWord<
    WrongNames<DefinitionOf<S>, C, Q, '', WordOf<Q, 'groupBy'>>,
    MarkedNames<DefinitionOf<S>, C, Q, '', WordOf<Q, 'groupBy'>>,
    Query<S, C>['groupBy']
  >
  readonly aggregate?: MarkedWord<
    WrongAggregates<DefinitionOf<S>, C, WordOf<Q, 'aggregate'>>,
    MarkedAggregates<DefinitionOf<S>, C, WordOf<Q, 'aggregate'>>,
    Query<S, C>['aggregate']
  >
  readonly deep?: MarkedWord<
    WrongDeep<DefinitionOf<S>, C, Q, '', WordOf<Q, 'deep'>>,
    MarkedDeep<DefinitionOf<S>, C, Q, '', WordOf<Q, 'deep'>>,
    Query<S, C>['deep']
  >
}
