// Types of input: the fields of an item, and items nested in them.

import type {
  ChildrenOf,
  CollectionName,
  DefinitionOf,
  FieldsOf,
  IsOpen,
  KeyValue,
  ReadValue,
} from '../../schema/infer.ts'
import type { FieldType, TypesOfValues } from '../../types/families.ts'

/** Input for an item. Required fields are checked when it is written: a default or a hook may fill them in.
 *  @example const draft: ItemInput<typeof schema, 'articles'> = { title: 'Salt', tags: [{ tag: { name: 'white' } }] } */
export type ItemInput<S, C extends CollectionName<S>> = InputIn<DefinitionOf<S>, C>

type InputIn<D, C> =
  IsOpen<FieldsOf<D, C>> extends true
    ? Readonly<Record<string, unknown>>
    : { readonly [Name in keyof FieldsOf<D, C>]?: Input<D, FieldsOf<D, C>[Name]> | undefined }

type Input<D, Field> = Field extends { readonly nullable: true }
  ? PresentField<D, Field> | null
  : PresentField<D, Field>

type PresentField<D, Field> = Field extends { readonly type: 'm2o'; readonly to: infer To }
  ? KeyValue<D, To> | InputIn<D, To>
  : Field extends { readonly type: 'any' }
    ? string | number | Readonly<Record<string, unknown>>
    : Field extends { readonly type: 'o2m' | 'm2m' | 'm2a' }
      ? ChangesInput<D, ChildrenOf<Field>> | null
      : ScalarInput<D, Field>

type ChangesInput<D, C> =
  | readonly (KeyValue<D, C> | InputIn<D, C>)[]
  | {
      readonly create?: readonly InputIn<D, C>[]
      readonly update?: readonly InputIn<D, C>[]
      readonly delete?: readonly KeyValue<D, C>[]
    }

/** Value in the form in which it is read, or in another accepted form. */
type ScalarInput<D, Field> = ReadValue<D, Field> | Looser<Field>

type Looser<Field> = Field extends { readonly values: readonly string[] }
  ? never
  : Field extends { readonly type: infer Type extends FieldType }
    ? TypesOfValues[Type]['input']
    : never
