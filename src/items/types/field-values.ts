// Parameters of a level of a query, and values of fields, where types know them.

import type { Mistake } from '../../schema/check-types.ts'
import type { FamilyOf, FieldType } from '../../types/families.ts'
import type { FunctionName, functions } from '../../vocabulary/functions.ts'
import type { Trim } from './field-names.ts'

/** A parameter of a level. */
export type WordOf<Level, Word> = Word extends keyof Level ? Level[Word] : Nothing

/** A parameter that was not given, or an empty query. */
export type Nothing = Record<never, never>

/** Field or function behind a step. */
export type Matching<Step, Alias> = Step extends keyof Alias ? Trim<Alias[Step]> : Step

// The schema guarantees that a target exists. Whether it is visible to a caller depends on rules that are not known here.
export type NullOf<Field> = Field extends { readonly nullable: true } ? null : never

/** Family of a field's values; `relation` for relations. */
export type FamilyOfField<Field> = Field extends { readonly conceal: true }
  ? 'hash'
  : Field extends { readonly array: true }
    ? 'json'
    : Field extends { readonly type: infer Type extends FieldType }
      ? FamilyOf<Type>
      : 'relation'

/** Value of a function of a field. */
export type Computed<C, Fields, Call> = Call extends `${infer Word}(${infer Inside})`
  ? Inside extends `${infer Field},${string}`
    ? AppliedFunction<C, Fields, Word, Trim<Field>>
    : AppliedFunction<C, Fields, Word, Trim<Inside>>
  : NoField<C, Call>
export type AppliedFunction<C, Fields, Word, Name> = Word extends FunctionName
  ? Name extends keyof Fields
    ? FamilyOfField<Fields[Name]> extends (typeof functions)[Word]['families'][number]
      ? Word extends 'json'
        ? unknown
        : number | NullOf<Fields[Name]> | NullIn<Fields[Name]>
      : [Fields[Name], (typeof functions)[Word]['onRelations']] extends [ToManyField<string>, true]
        ? number
        : Mistake<`${Word} does not work on '${C & string}.${Name & string}'`>
    : NoField<C, Name>
  : Mistake<`there is no function '${Word & string}'`>
// A JSON value that is null itself has no elements to count.

export type NullIn<Field> = Field extends { readonly type: 'json' } ? null : never
export type NoField<C, Name> = string extends Name
  ? unknown
  : Mistake<`collection '${C & string}' has no field '${Name & string}'`>
export type ToManyField<Link> = { readonly from: Link } | { readonly through: Link }
