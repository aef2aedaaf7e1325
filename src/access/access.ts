// Who asks, and what they may do: told by the host, whose word is taken for it.
import type { Filter } from '../query/filter-types.ts'
import type { CollectionName, DefinitionOf, FieldsOf, IsOpen } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import type { Caller } from '../vocabulary/variables.ts'

export const actions = ['create', 'read', 'update', 'delete'] as const
/** What a rule is about. */
export type Action = (typeof actions)[number]

/** One caller. Without rules there is nothing to see. */
export interface Access<S = Schema> extends Caller {
  /** Everything is allowed. Counts only as a property of the object itself. */
  readonly admin?: boolean
  readonly rules?: Rules<S>
}

/** What is allowed, by collection and action. What is not named is not allowed. */
export type Rules<S = Schema> =
  IsOpen<DefinitionOf<S>> extends true
    ? AnyRules
    : { readonly [C in CollectionName<S>]?: { readonly [A in Action]?: Grant<S, C> } } & {
        readonly [Own in OwnName]?: { readonly [A in Action]?: AnyGrant }
      }

type AnyRules = Readonly<Record<string, { readonly [A in Action]?: AnyGrant } | undefined>>

/** Collections of the engine's own, unless the host calls them otherwise. */
export type OwnName = 'versions' | 'files'

/** All, nothing, or what rules say: of several, any may allow an item, and then the fields of that rule. */
export type Grant<S, C extends CollectionName<S>> = boolean | Rule<S, C> | readonly Rule<S, C>[]
type AnyGrant = boolean | AnyRule | readonly AnyRule[]

/** Which items are meant, which fields of them, and what they have to be once they are written. */
export interface Rule<S, C extends CollectionName<S>> {
  /** Fields that may be read or written: all, unless some are named. */
  readonly fields?: readonly (FieldName<S, C> | '*')[]
  /** Items that are meant: all, unless a filter says which. */
  readonly filter?: Filter<S, C>
  /** What an item has to be after it was written. */
  readonly validation?: Filter<S, C>
  /** Values of fields that the caller does not give. */
  readonly presets?: Readonly<Record<string, unknown>>
}

type FieldName<S, C extends CollectionName<S>> = keyof FieldsOf<DefinitionOf<S>, C> & string

/** A rule of a collection whose fields are not known to the compiler. */
export interface AnyRule {
  readonly fields?: readonly string[]
  readonly filter?: object
  readonly validation?: object
  readonly presets?: Readonly<Record<string, unknown>>
}
