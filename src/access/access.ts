// The caller of an engine and its rules, as the host gives them; the host is trusted.
import type { Filter } from '../query/filter-types.ts'
import type { CollectionName, DefinitionOf, FieldsOf, IsOpen, ReadValue } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import type { ownRunNames } from '../schema/own.ts'
import type { FieldType, TypesOfValues } from '../types/families.ts'
import type { VariableWord } from '../types/family-row.ts'
import type { Caller } from '../vocabulary/variables.ts'

export const actions = ['create', 'read', 'update', 'delete'] as const
/** Actions that a rule may allow. */
export type Action = (typeof actions)[number]

/** A caller and its rules. Without rules nothing is visible. */
export interface Access<S = Schema> extends Caller {
  /** Everything is allowed. Counts only as a property of the object itself. */
  readonly admin?: boolean
  /** Rights of the caller by collection and action. One that they do not name is not allowed. */
  readonly rules?: Rules<S>
  /** The time, or its milliseconds, from which on every call of the caller is TOKEN_EXPIRED, by the clock of the engine. By default never. */
  readonly expiresAt?: Date | number
}

/** Rules by collection and action. A collection or action that is not named is not allowed. */
export type Rules<S = Schema> =
  IsOpen<DefinitionOf<S>> extends true
    ? AnyRules
    : { readonly [C in CollectionName<S>]?: { readonly [A in Action]?: Grant<S, C> } } & {
        readonly [Own in OwnName]?: { readonly [A in Action]?: AnyGrant }
      }

type AnyRules = Readonly<Record<string, { readonly [A in Action]?: AnyGrant } | undefined>>

/** Names of the engine's own collections, unless the host names them otherwise. */
export type OwnName = 'versions' | 'files' | (typeof ownRunNames)[number]

/** Permission for an action: true for everything, false for nothing, or rules. Any of several rules may allow an item, then with the fields
 *  of that rule. */
export type Grant<S, C extends CollectionName<S>> = boolean | Rule<S, C> | readonly Rule<S, C>[]
type AnyGrant = boolean | AnyRule | readonly AnyRule[]

/** A rule: the items and fields that it allows, and the condition that written items have to meet. */
export interface Rule<S, C extends CollectionName<S>> {
  /** Fields that may be read or written. By default all. */
  readonly fields?: readonly (FieldName<S, C> | '*')[]
  /** Items that the rule allows. By default all. */
  readonly filter?: Filter<S, C>
  /** Condition that an item has to meet after it was written. */
  readonly validation?: Filter<S, C>
  /** Values of fields that the caller does not provide. */
  readonly presets?: Presets<DefinitionOf<S>, FieldsOf<DefinitionOf<S>, C>>
}

type Presets<D, Fields> = {
  readonly [Name in keyof Fields]?: Preset<D, Fields[Name]>
}

/** A value of a field, in any form, or a variable. */
type Preset<D, Field> = Field extends { readonly type: infer Type extends FieldType }
  ? ReadValue<D, Field> | TypesOfValues[Type]['input'] | VariableWord
  : unknown

type FieldName<S, C extends CollectionName<S>> = keyof FieldsOf<DefinitionOf<S>, C> & string

/** A rule of a collection whose fields the compiler does not know. */
export interface AnyRule {
  /** Fields that may be read or written. By default all. */
  readonly fields?: readonly string[]
  /** Items that the rule allows. By default all. */
  readonly filter?: object
  /** Condition that an item has to meet after it was written. */
  readonly validation?: object
  /** Values of fields that the caller does not provide. */
  readonly presets?: Readonly<Record<string, unknown>>
  /** Why a rule that was imported allows nothing, for `explainAccess`. A rule with it allows nothing. */
  readonly refused?: string
}
