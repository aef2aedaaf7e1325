// Meanings of the parts of a GraphQL schema, in names alone. A meaning never holds a collection, a field or a plan: callers whose names are equal
// share one schema, though their rules differ.
import { deepFreeze } from '../../values/freeze.ts'
import type { AggregateName } from '../../vocabulary/aggregates.ts'
import type { FunctionName, RelatedAggregateName } from '../../vocabulary/functions.ts'
import type { JunctionName, QuantifierName } from '../../vocabulary/junctions.ts'
import type { OperatorName } from '../../vocabulary/operators.ts'

/** The key of a meaning in the `extensions` of a type, a field or an input field. */
const meaningKey: unique symbol = Symbol.for('quernel.graphql.meaning')

export type QueryRoot = 'list' | 'one' | 'aggregate' | 'versioned' | 'singleton'

export type MutationRoot =
  | 'createOne'
  | 'createMany'
  | 'upsertOne'
  | 'upsertMany'
  | 'updateOne'
  | 'updateMany'
  | 'updateBatch'
  | 'deleteOne'
  | 'deleteMany'
  | 'updateSingleton'

export type SubscriptionRoot = 'mutated'

export interface RootMeaning {
  readonly root: QueryRoot | MutationRoot | SubscriptionRoot
  readonly collection: string
}

/** A field of an event: which item it is of, what has happened, and the item. */
export interface EventMeaning {
  readonly event: 'key' | 'event' | 'data'
}

/** A field of items, of aggregates, of a filter or of a payload. `arm`: the collection behind a reference to several. */
export interface FieldMeaning {
  readonly field: string
  readonly arm?: string
}

/** The member whose members are functions of a field: `published_at_func`. */
export interface FunctionsMeaning {
  readonly functionsOf: string
}

/** A union: the collections of its types, by their names, also of those that a part of a schema leaves out. */
export interface ArmsMeaning {
  readonly arms: Readonly<Record<string, string>>
}

/** A field of items that the host computes, and the fields that it needs. */
export interface ExtraMeaning {
  readonly extra: string
  readonly collection: string
  readonly needs: readonly string[]
}

export type NameMeaning =
  /** A field of `Query` that the host computes. */
  | { readonly extraQuery: string }
  | ExtraMeaning
  | EventMeaning
  | RootMeaning
  /** A type of items, of their filters, payloads or versions. */
  | { readonly collection: string }
  | FieldMeaning
  /** The key of several parts, as one text. */
  | { readonly isKey: true }
  | { readonly isCursor: true }
  | FunctionsMeaning
  | { readonly function: FunctionName | RelatedAggregateName }
  /** The member whose members are aggregates of fields: `sum`. */
  | { readonly aggregate: AggregateName }
  /** The number of rows: `countAll`. */
  | { readonly isCountAll: true }
  /** The values by which a group was made, as one JSON object. */
  | { readonly isGroup: true }
  | ArmsMeaning
  /** A condition on a value. `_json` takes conditions by paths of a document, and `_field` operators with names of fields. */
  | { readonly operator: OperatorName | '_json' | '_field' }
  /** A word that combines filters. */
  | { readonly junction: JunctionName }
  /** A condition on related items. */
  | { readonly quantifier: QuantifierName }

/** Returns what a part of a schema stands for; undefined if it is not of this package.
 *  @example meaningOf(schema.getQueryType().getFields().tags_by_id) // { root: 'one', collection: 'tags' } */
export function meaningOf({ extensions }: { readonly extensions: object }): NameMeaning | undefined {
  return Reflect.get(extensions, meaningKey) as NameMeaning | undefined // only `withMeaning` sets this symbol
}

/** Returns extensions with a meaning. They have no prototype: of others GraphQL.js copies, and loses symbols. */
export function withMeaning(meaning: NameMeaning): Record<string, unknown> {
  return Object.freeze(Object.assign(Object.create(null), { [meaningKey]: deepFreeze(meaning) }))
}
