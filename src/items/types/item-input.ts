// Types of input: the fields of an item, and items nested in them.

import type {
  ChildrenOf,
  CollectionName,
  DefinitionOf,
  FieldsOf,
  Held,
  IsOpen,
  KeyValue,
  ReadValue,
  ReferenceValue,
} from '../../schema/infer.ts'
import type { FamilyIn, FamilyOf, FieldType, TypesOfValues } from '../../types/families.ts'

/** Input for an item in any state. What is missing is found when it is written.
 *  @example const draft: ItemInput<typeof schema, 'articles'> = { title: 'Salt', tags: [{ tag: { name: 'white' } }] } */
export type ItemInput<S, C extends CollectionName<S>> = InputIn<DefinitionOf<S>, C, 'values'>

/** Changes of an item. A number may be given as what is added to the stored one, and JSON as what is merged into it or set at paths in it.
 *  @example const sold: UpdateInput<typeof schema, 'articles'> = { views: { _inc: -1 }, title: 'Salt' } */
export type UpdateInput<S, C extends CollectionName<S>> = InputIn<DefinitionOf<S>, C, 'changes'>

/** Names of fields by which an upsert may find an item: one, or a list. Whether they are unique is known to the database. */
export type OnNames<S, C extends CollectionName<S>> =
  | OnName<FieldsOf<DefinitionOf<S>, C>>
  | readonly OnName<FieldsOf<DefinitionOf<S>, C>>[]

type OnName<Fields> =
  IsOpen<Fields> extends true
    ? string
    : {
        [Name in keyof Fields & string]: Fields[Name] extends
          | { readonly type: 'o2m' | 'm2m' | 'm2a' | 'any' | 'json' | 'csv' | 'hash' | 'boolean' }
          | { readonly conceal: true }
          | { readonly array: true }
          ? never
          : Name
      }[keyof Fields & string]

/** Input of a value: `changes` may add to a stored one. */
type Kind = 'values' | 'changes'

export type InputIn<D, C, Of extends Kind> =
  IsOpen<FieldsOf<D, C>> extends true ? Readonly<Record<string, unknown>> : FieldInputs<D, FieldsOf<D, C>, Of>

type FieldInputs<D, Fields, Of extends Kind> = {
  readonly [Name in keyof Fields]?: Input<D, Held<Fields, Fields[Name]>, Of> | undefined
}

export type Input<D, Field, Of extends Kind> = Field extends { readonly nullable: true }
  ? PresentField<D, Field, Of> | null
  : PresentField<D, Field, Of>

type PresentField<D, Field, Of extends Kind> = Field extends { readonly type: 'm2o'; readonly to: infer To }
  ? ReferenceValue<D, Field, To> | InputIn<D, To, Of>
  : Field extends { readonly type: 'any' }
    ? string | number | Readonly<Record<string, unknown>>
    : Field extends { readonly type: 'o2m' | 'm2m' | 'm2a' }
      ? ChangesInput<D, ChildrenOf<Field>, Of> | null
      : ScalarInput<D, Field> | Wrapped<D, Field> | (Of extends 'changes' ? Increment<Field> : never)

/** A document that is stored as it is, also one that looks like a change of a part. */
type Wrapped<D, Field> = Field extends { readonly array: true }
  ? never
  : Field extends { readonly type: 'json' }
    ? { readonly $value: ReadValue<D, Field> }
    : never

type ChangesInput<D, C, Of extends Kind> =
  | readonly (KeyValue<D, C> | InputIn<D, C, Of>)[]
  | {
      readonly create?: readonly InputIn<D, C, 'values'>[]
      readonly update?: readonly InputIn<D, C, Of>[]
      readonly delete?: readonly KeyValue<D, C>[]
    }

/** An addition to the stored value of a numeric field, which is no key, or a change of a part of a document. */
type Increment<Field> = Field extends
  | { readonly key: true }
  | { readonly array: true }
  | { readonly conceal: true }
  ? never
  : Field extends { readonly type: infer Type extends FieldType }
    ? FamilyOf<Type> extends FamilyIn<'number'>
      ? { readonly _inc: number | (TypesOfValues[Type]['item'] extends string ? string : never) }
      : Type extends 'json'
        ? { readonly _merge: Members } | { readonly _set: Members }
        : never
    : never

type Members = Readonly<Record<string, unknown>>

/** Value in the form in which it is read, or in another accepted form. */
export type ScalarInput<D, Field> = ReadValue<D, Field> | Looser<Field>

type Looser<Field> = Field extends { readonly values: readonly string[] }
  ? never
  : Field extends { readonly type: infer Type extends FieldType }
    ? Field extends { readonly array: true }
      ? readonly (TypesOfValues[Type]['item'] | TypesOfValues[Type]['input'] | null)[]
      : TypesOfValues[Type]['input']
    : never
