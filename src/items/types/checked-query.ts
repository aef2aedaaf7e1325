// Type of a query parameter, for which the compiler sees the literal and reports its mistakes.
import type { Query } from '../../query/types.ts'
import type { Mistake } from '../../schema/check-types.ts'
import type { ChildrenOf, CollectionName, DefinitionOf, FieldsOf, IsOpen } from '../../schema/infer.ts'
import type { FieldType } from '../../types/families.ts'
import type { HeadOf, NamesIn, Straight, TailOf } from './field-names.ts'
import type { Computed, Matching, NoField, ToManyField, WordOf } from './field-values.ts'
import type { IsHidden } from './hidden.ts'
import type { ArmTail, DeepAt, LeadsNowhere, NoScope, ScopeOf } from './selection.ts'

/** Query parameter of a function. `Q` is a `const` type parameter, and becomes its literal.
 *  @example type Magazine = typeof schema
 *  const first = async <C extends CollectionName<Magazine>, const Q>(collection: C, query: CheckedQuery<Magazine, C, Q>) =>
 *    (await listItems<Magazine, C, Q>(engine, collection, query)).data */
// The literal is inferred through the branch that is never taken, and checked against the other. Were the parameter `Q extends Query`
// itself, unknown words and fields inside would pass without an error, and editors would offer no names.
export type CheckedQuery<S, C extends CollectionName<S>, Q> = [Q] extends [never]
  ? Q
  : [Q, JudgedQuery<S, C, Q>] extends [unknown, Faultless]
    ? Query<S, C> // a parsed query is one, too
    : Omit<Query<S, C>, 'fields'> & Marked<S, C, Q>

// Interfaces with variance annotations. Where a host's own function passes its query on, the compiler would otherwise compute the variance,
// by comparing everything below with itself.
interface JudgedQuery<in out S, in out C, in out Q> {
  readonly mistakes: MistakeIn<DefinitionOf<S>, C, Q, WordOf<Q, 'fields'>>
}
interface Faultless {
  readonly mistakes: never
}

/** Fields, with a mistake in the place of each wrong name. */
interface Marked<in out S, in out C, in out Q> {
  readonly fields: MarkedList<DefinitionOf<S>, C, Q, WordOf<Q, 'fields'>>
}

type MarkedList<D, C, Q, Fields> = Fields extends readonly unknown[]
  ? { readonly [Index in keyof Fields]: OrAnything<MistakeIn<D, C, Q, Fields[Index]>> }
  : MistakeIn<D, C, Q, Fields>
type OrAnything<Wrong> = [Wrong] extends [never] ? unknown : Wrong

/** Mistake in a list of fields; never if there is none, or the compiler cannot tell. */
type MistakeIn<D, C, Q, Fields> =
  IsHidden<Q, 'fields' | 'alias' | 'deep'> extends true
    ? never
    : WrongPath<D, C, Straight<NamesIn<Fields>>, WordOf<Q, 'alias'>, WordOf<Q, 'deep'>>

type WrongPath<D, C, Path, Alias, Deep> = true extends IsOpen<FieldsOf<D, C>> | IsOpen<Alias>
  ? never
  : Path extends `*${string}`
    ? never
    : string extends Path
      ? never
      : WrongStep<D, C, FieldsOf<D, C>, HeadOf<Path>, Path, Alias, Deep>

type WrongStep<D, C, Fields, Step, Path, Alias, Deep> = Step extends string
  ? WrongMember<D, C, Fields, Matching<Step, Alias>, TailOf<Path, Step>, Step, Deep>
  : never

type WrongMember<D, C, Fields, Name, Tail, Step extends string, Deep> = Name extends keyof Fields
  ? [Tail] extends [never]
    ? never
    : Fields[Name] extends { readonly type: FieldType }
      ? Mistake<LeadsNowhere<C, Name>>
      : Fields[Name] extends { readonly type: 'm2o'; readonly to: infer To }
        ? WrongBelow<D, To, Tail, DeepAt<Deep, Step>>
        : Fields[Name] extends ToManyField<string>
          ? WrongBelow<D, ChildrenOf<Fields[Name]>, Tail, DeepAt<Deep, Step>>
          : Fields[Name] extends { readonly to: readonly (infer To extends string)[] }
            ? [ScopeOf<Tail>] extends [To]
              ? WrongArm<D, To, Tail, Step, Deep>
              : Mistake<NoScope<C, Name, ScopeOf<Tail>>>
            : never
  : [Tail] extends [never]
    ? Extract<Computed<C, Fields, Name>, Mistake<string>>
    : NoField<C, Name>

type WrongBelow<D, C, Path, Deep> =
  IsHidden<Deep, '_alias'> extends true ? never : WrongPath<D, C, Path, WordOf<Deep, '_alias'>, Deep>

type WrongArm<D, To extends string, Path, Step extends string, Deep> = To extends unknown
  ? WrongBelow<D, To, ArmTail<Path, To>, DeepAt<Deep, `${Step}:${To}`>>
  : never
