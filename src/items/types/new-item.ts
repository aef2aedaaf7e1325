// Types of input for items that do not exist yet: what has no value by itself has to be given.
import type {
  ChildrenOf,
  CollectionName,
  DefinitionOf,
  FieldsOf,
  Held,
  IsOpen,
  KeyName,
  KeyNames,
  KeyValue,
  ReferenceValue,
} from '../../schema/infer.ts'
import type { FamilyOf, FieldType } from '../../types/families.ts'
import type { InputIn, ItemInput, ScalarInput } from './item-input.ts'

/** Input for a new item, with all that is required of it and of the items in it. A field that a hook of yours fills in is `defaulted`.
 *  @example const article: NewItem<typeof schema, 'articles'> = { title: 'Salt', status: 'draft' } */
export type NewItem<S, C extends CollectionName<S>> = NewIn<DefinitionOf<S>, C, never>

/** Input of a creation. Rules of a caller may fill in what they like, so nothing is required there. */
export type CreateInput<S, C extends CollectionName<S>, Whose> = undefined extends 0
  ? ItemInput<S, C> // without `strictNullChecks`, which callers have rules is not known
  : undefined extends Whose
    ? NewItem<S, C>
    : ItemInput<S, C>

/** `Owner` is the foreign key to the item around it, which is not given. */
type NewIn<D, C, Owner> =
  IsOpen<FieldsOf<D, C>> extends true
    ? Readonly<Record<string, unknown>>
    : NewFields<D, FieldsOf<D, C>, Exclude<RequiredName<D, C, FieldsOf<D, C>>, Owner>>

type NewFields<D, Fields, Required extends keyof Fields> = {
  readonly [Name in Required]: NewField<D, Fields[Name]>
} & {
  readonly [Name in Exclude<keyof Fields, Required>]?: NewField<D, Held<Fields, Fields[Name]>> | undefined
}

type NewField<D, Field> = Field extends { readonly nullable: true }
  ? PresentNew<D, Field> | null
  : PresentNew<D, Field>

type PresentNew<D, Field> = Field extends { readonly type: 'm2o'; readonly to: infer To }
  ? ReferenceValue<D, Field, To> | Within<D, To, never>
  : Field extends { readonly type: 'any' }
    ? string | number | Readonly<Record<string, unknown>>
    : Field extends { readonly type: 'o2m' | 'm2m' | 'm2a' }
      ? NewChildren<D, ChildrenOf<Field>, OwnerOf<Field>> | null
      : ScalarInput<D, Field>

type NewChildren<D, C, Owner> =
  | readonly (KeyValue<D, C> | Within<D, C, Owner>)[]
  | {
      readonly create?: readonly NewIn<D, C, Owner>[]
      readonly update?: readonly InputIn<D, C, 'changes'>[]
      readonly delete?: readonly KeyValue<D, C>[]
    }

/** The foreign key of a to-many relation. */
type OwnerOf<Field> = Field extends { readonly from: `${string}.${infer Name}` }
  ? Name
  : Field extends { readonly through: `${string}.${infer Name}` }
    ? Name
    : never

/** An item inside another one: a new one, or by its key one that may exist. */
type Within<D, C, Owner> = NewIn<D, C, Owner> | (InputIn<D, C, 'values'> & KeyIn<D, C>)

type KeyIn<D, C> = {
  readonly [Name in KeyNames<D, C>[number] | KeyName<D, C>]: unknown
}

/** The fields to which nothing else gives a value. */
type RequiredName<D, C, Fields> = {
  [Name in keyof Fields]: IsRequired<D, C, Name, Fields[Name]> extends true ? Name : never
}[keyof Fields]

type IsRequired<D, C, Name, Field> = Field extends
  | { readonly nullable: true }
  | { readonly defaulted: true }
  | { readonly default: unknown }
  | { readonly generated: true }
  | { readonly readonly: true }
  | { readonly special: readonly [unknown, ...unknown[]] }
  | { readonly by: readonly unknown[] }
  | { readonly type: 'o2m' | 'm2m' | 'm2a' }
  ? false
  : KeyNames<D, C> extends readonly [string, string, ...string[]]
    ? true
    : Name extends KeyName<D, C>
      ? IsGivenKey<Field>
      : true

/** The database counts up keys that are integers; any other key is given. */
type IsGivenKey<Field> = Field extends { readonly type: infer Type }
  ? Type extends FieldType
    ? FamilyOf<Type> extends 'integer'
      ? false
      : true
    : true
  : true
