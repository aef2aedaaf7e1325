// Types of the items that a selection of fields returns. Only the given paths are walked, level by level.
import type { Mistake } from '../../schema/check-types.ts'
import type {
  ChildrenOf,
  DefaultName,
  FieldsOf,
  Held,
  IsKeyless,
  IsOpen,
  ItemIn,
  KeyValue,
  ReadValue,
  WildTail,
} from '../../schema/infer.ts'
import type { FieldType } from '../../types/families.ts'
import type { AnswerName, HeadOf, TailOf } from './field-names.ts'
import type { Computed, Matching, NoField, NullOf, ToManyField, WordOf } from './field-values.ts'
import type { Grouped, IsGrouping } from './groups.ts'
import type { HiddenLevel, IsHidden } from './hidden.ts'

/** Item with the selected paths. `Alias` and `Deep` are the parameters of its level. `Back` is the relation that led here, over which
 *  wildcards do not go back; or true if they may. */
// The mapped type has no name of its own, which editors would show instead of the members.
export type Selected<D, C, Path, Alias, Deep, Back> =
  true extends IsLoose<D, C, Path, Alias>
    ? Record<string, unknown>
    : [Path, keyof Alias, keyof Deep] extends ['*', never, never]
      ? ItemIn<D, C> // shared by most queries
      : {
          [Step in StepsOf<D, HeadOf<Path>, FieldsOf<D, C>, Alias> &
            string as AnswerName<Step>]: SelectedMember<
            D,
            C,
            FieldsOf<D, C>,
            Matching<Step, Alias>,
            TailOf<Path, Step>,
            TailOf<Path, '*'>,
            Step,
            Deep,
            Back
          >
        }

/** True if there are names that the compiler does not see. */
type IsLoose<D, C, Path, Alias> =
  | IsOpen<FieldsOf<D, C>>
  | IsOpen<Alias>
  | (string extends Path ? true : false)

/** Steps of paths. A wildcard means the default fields and every alias. */
type StepsOf<D, Step, Fields, Alias> = '*' extends Step
  ? Exclude<Step, '*'> | DefaultName<D, Fields> | keyof Alias
  : Step

/** Member at a step: a value, or the items that tails select. `Wild` are the tails behind a wildcard. */
type SelectedMember<
  D,
  C,
  Fields,
  Name,
  Tail,
  Wild,
  Step extends string,
  Deep,
  Back,
> = Name extends keyof Fields
  ? Fields[Name] extends { readonly type: FieldType }
    ? [Tail] extends [never]
      ? ReadValue<D, Fields[Name]>
      : Mistake<LeadsNowhere<C, Name>>
    : Fields[Name] extends { readonly type: 'm2o'; readonly to: infer To }
      ? SelectedOne<D, To, Held<Fields, Fields[Name]>, LinkOf<C, Name>, Tail, Wild, DeepAt<Deep, Step>, Back>
      : Fields[Name] extends ToManyField<infer Link>
        ? Many<
            D,
            ChildrenOf<Fields[Name]>,
            Fields[Name],
            Link,
            Tail,
            WildTail<D, Wild>,
            DeepAt<Deep, Step>,
            Back
          >
        : Fields[Name] extends { readonly to: readonly (infer To extends string)[] }
          ? AnyOne<
              D,
              C,
              Name,
              Fields[Name],
              To,
              Tail | Led<WildTail<D, Wild>, FieldsOf<D, To>>,
              Step,
              Deep,
              Back
            >
          : unknown
  : [Tail] extends [never]
    ? Computed<D, C, Fields, Name>
    : NoField<C, Name>

export type LeadsNowhere<C, Name> = `field '${C & string}.${Name & string}' leads nowhere`

/** Foreign key of a relation, as `collection.field`. */
type LinkOf<C, Name> = `${C & string}.${Name & string}`
/** Tails behind a wildcard that apply to a collection; others are for other relations. With `backlink: false`, none leads back over the
 *  relation that led here. */
type Led<Wild, Fields, Link = never, Back = true> = Back extends Link
  ? never
  : Wild extends `*${string}`
    ? Wild
    : HeadOf<Wild> extends keyof Fields | `${string}(${keyof Fields & string}${')' | ','}${string}`
      ? Wild
      : never

type Via<Deep, Back, Link> = Deep extends { readonly _backlink: infer Wanted }
  ? Wanted extends false
    ? Link
    : true
  : Back extends true
    ? true
    : Link

/** Parameters of the level behind a step. */
export type DeepAt<Deep, Step> = IsHidden<Deep, Step> extends true ? HiddenLevel : WordOf<Deep, Step>

type SelectedOne<D, To, Field, Link, Tail, Wild, Deep, Back> = [Tail, Wild] extends [never, never]
  ? ReadValue<D, Field>
  : OneBehind<D, To, Field, Tail | Led<Wild, FieldsOf<D, To>, Link, Back>, Deep, Via<Deep, Back, Link>>

type OneBehind<D, To, Field, Path, Deep, Back> = [Path] extends [never]
  ? ReadValue<D, Field>
  : SelectedBelow<D, To, Path, Deep, Back> | NullOf<Field> | NullBy<Deep>

/** Items behind a relation. */
type SelectedBelow<D, C, Path, Deep, Back> =
  IsHidden<Deep, '_alias'> extends true
    ? Record<string, unknown>
    : Selected<D, C, Path, WordOf<Deep, '_alias'>, Deep, Back>

type NullBy<Deep> = [keyof Deep & ('_filter' | '_search')] extends [never] ? never : null

/** List of keys, of items, or of groups. */
type Many<D, C, Field, Link, Tail, Wild, Deep, Back> =
  IsHidden<Deep, '_aggregate' | '_groupBy'> extends true
    ? unknown[]
    : IsGrouping<Deep, '_'> extends true
      ? Grouped<D, C, Deep, '_'>[]
      : [Tail, Wild] extends [never, never]
        ? BareKeys<D, C, Field>
        : ManyBehind<D, C, Field, Tail | Led<Wild, FieldsOf<D, C>, Link, Back>, Deep, Via<Deep, Back, Link>>

type BareKeys<D, C, Field> =
  IsKeyless<D, C> extends true
    ? Mistake<`the items of '${C & string}' have no keys; name their fields`>
    : ReadValue<D, Field>

type ManyBehind<D, C, Field, Path, Deep, Back> = [Path] extends [never]
  ? BareKeys<D, C, Field>
  : SelectedBelow<D, C, Path, Deep, Back>[]

/** An item of one of several collections; its key, if no path leads into its collection. */
// No foreign key guards such a reference, so it may always be null.
type AnyOne<D, C, Name, Field, To extends string, Path, Step extends string, Deep, Back> = [Path] extends [
  never,
]
  ? ReadValue<D, Field>
  : [ScopeOf<Path>] extends [To]
    ? ArmOf<D, To, Path, Step, Deep, Back extends true ? true : ''> | null
    : Mistake<NoScope<C, Name, Exclude<ScopeOf<Path>, To>>>

export type ScopeOf<Path> = Path extends `:${infer Scoped}` ? HeadOf<Scoped> : never
export type NoScope<C, Name, Scope> =
  `field '${C & string}.${Name & string}' does not lead to '${Scope & string}'`

type ArmOf<D, To extends string, Path, Step extends string, Deep, Back> = To extends unknown
  ? SelectedArm<D, To, ArmTail<Path, To>, DeepAt<Deep, `${Step}:${To}`>, Back>
  : never

type SelectedArm<D, To, Path, Deep, Back> = [Path] extends [never]
  ? KeyValue<D, To>
  : SelectedBelow<D, To, Path, Deep, Via<Deep, Back, ''>>

export type ArmTail<Path, To extends string> = Path extends `:${To}.${infer Tail}`
  ? Tail
  : Path extends `:${string}`
    ? never
    : Path
