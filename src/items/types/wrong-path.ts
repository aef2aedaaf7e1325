// Mistakes in paths of fields: never for a path that leads somewhere, or of which the compiler sees too little.
import type { Mistake } from '../../schema/check-types.ts'
import type { ChildrenOf, FieldsOf, IsOpen } from '../../schema/infer.ts'
import type { FieldType } from '../../types/families.ts'
import type { HeadOf, TailOf } from './field-names.ts'
import type { Computed, CursorName, Matching, NoField, ToManyField, WordOf } from './field-values.ts'
import type { IsHidden } from './hidden.ts'
import type { ArmTail, DeepAt, LeadsNowhere, NoScope, ScopeOf } from './selection.ts'

/** `Before` is what stands before the path. A name that does not exist is a mistake, beside the texts with the names that do: editors offer them,
 *  and the compiler the nearest. */
export type WrongPath<D, C, Path, Alias, Deep, Before extends string> = true extends
  | IsOpen<FieldsOf<D, C>>
  | IsOpen<Alias>
  ? never
  : Path extends `*${string}`
    ? never
    : string extends Path
      ? never
      : WrongStep<D, C, FieldsOf<D, C>, HeadOf<Path>, Path, Alias, Deep, Before>

type WrongStep<D, C, Fields, Step, Path, Alias, Deep, Before extends string> = Step extends string
  ? WrongMember<D, C, Fields, Matching<Step, Alias>, TailOf<Path, Step>, Step, Deep, Before>
  : never

type WrongMember<
  D,
  C,
  Fields,
  Name,
  Tail,
  Step extends string,
  Deep,
  Before extends string,
> = Name extends keyof Fields
  ? [Tail] extends [never]
    ? never
    : Fields[Name] extends { readonly type: FieldType }
      ? Mistake<LeadsNowhere<C, Name>>
      : Fields[Name] extends { readonly type: 'm2o'; readonly to: infer To }
        ? WrongBelow<D, To, Tail, DeepAt<Deep, Step>, `${Before}${Step}.`>
        : Fields[Name] extends ToManyField<string>
          ? WrongBelow<D, ChildrenOf<Fields[Name]>, Tail, DeepAt<Deep, Step>, `${Before}${Step}.`>
          : Fields[Name] extends { readonly to: readonly (infer To extends string)[] }
            ? [ScopeOf<Tail>] extends [To]
              ? WrongArm<D, To, Tail, Step, Deep, Before>
              : Mistake<NoScope<C, Name, ScopeOf<Tail>>>
            : never
  : [Tail] extends [never]
    ? Name extends `${string}(${string}`
      ? Extract<Computed<D, C, Fields, Name>, Mistake<string>>
      : Name extends CursorName
        ? never
        : NoField<C, Name> | `${Before}${keyof Fields & string}`
    : NoField<C, Name> | `${Before}${keyof Fields & string}`

type WrongBelow<D, C, Path, Deep, Before extends string> =
  IsHidden<Deep, '_alias'> extends true ? never : WrongPath<D, C, Path, WordOf<Deep, '_alias'>, Deep, Before>

type WrongArm<
  D,
  To extends string,
  Path,
  Step extends string,
  Deep,
  Before extends string,
> = To extends unknown
  ? WrongBelow<D, To, ArmTail<Path, To>, DeepAt<Deep, `${Step}:${To}`>, `${Before}${Step}:${To}.`>
  : never
