// The outline of a schema: all that its types are made of, in names and plain data. Two callers with equal outlines have one schema, whatever
// their rules are, so nothing of a rule and no collection may ever be in it.
import type { Family } from '../../../types/families.ts'
import type { FunctionKind } from '../function-kinds.ts'
import type { ScalarName } from '../scalars.ts'
import type { ConditionKind } from '../value-scalars.ts'
import type { ExtraOutline } from './extra-outline.ts'

export interface SchemaOutline {
  readonly collections: readonly CollectionOutline[]
  /** Fields of `Query` that the host computes. Absent = none. */
  readonly queries?: readonly ExtraOutline[] | undefined
}

/** A collection as a caller sees it, and what they may do there. */
export interface CollectionOutline {
  readonly name: string
  readonly type: string
  readonly note: string | undefined
  readonly isSingleton: boolean
  readonly hasKey: boolean
  /** The members of items. Undefined: nothing may be read. */
  readonly members: readonly MemberOutline[] | undefined
  /** Fields of items that the host computes, of what the caller may read. Absent = none. */
  readonly extras?: readonly ExtraOutline[] | undefined
  /** The members of payloads. Undefined: it is not allowed. */
  readonly create: readonly PayloadOutline[] | undefined
  readonly update: readonly PayloadOutline[] | undefined
  /** Those of items that are updated, or created. Undefined: neither is allowed, or nothing by which an item could be found is visible. */
  readonly upsert: readonly PayloadOutline[] | undefined
  /** The numbers to which updates may add. Undefined: there are none. */
  readonly increments: readonly PayloadOutline[] | undefined
  readonly mayDelete: boolean
  /** True if there is a subscription to its events. Absent = none. */
  readonly hasEvents?: true
}

interface NamedOutline {
  readonly field: string
  readonly name: string
  readonly note: string | undefined
}

/** A member whose value is in a column, and how it is used in filters and aggregates; of a relation, the key in it. */
interface StoredOutline extends NamedOutline {
  readonly family: Family
  readonly scalar: ScalarName
}

export interface ValueOutline extends StoredOutline {
  readonly kind: 'value'
  readonly isList: boolean
  /** True if it is never null. */
  readonly isSure: boolean
  readonly condition: ConditionKind
  readonly functions: FunctionKind | undefined
}

/** An item behind a reference. */
export interface OneOutline extends NamedOutline, Partial<Pick<StoredOutline, 'family' | 'scalar'>> {
  readonly kind: 'one'
  readonly target: string
}

/** An item behind a reference to several collections. */
export interface AnyOutline extends StoredOutline {
  readonly kind: 'any'
  readonly targets: readonly string[]
}

/** Related items. */
interface ManyOutline extends NamedOutline {
  readonly kind: 'many'
  readonly target: string
  readonly hasCount: boolean
}

/** A key of several parts as one text. */
export interface KeyOutline {
  readonly kind: 'key'
  readonly name: string
  readonly isSure: boolean
}

export type MemberOutline = ValueOutline | OneOutline | AnyOutline | ManyOutline | KeyOutline

export interface PayloadOutline extends NamedOutline {
  readonly type:
    | { readonly kind: 'value'; readonly scalar: ScalarName; readonly isList: boolean }
    /** An item inside another, by its own payload. */
    | {
        readonly kind: 'nested'
        readonly target: string
        readonly action: 'create' | 'update'
        readonly isList: boolean
      }
  readonly isNeeded: boolean
}
