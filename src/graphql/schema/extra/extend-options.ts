// The option `extend`: fields that a host computes. It is plain data and functions, so that no host has to import GraphQL.js for it.
import type { Engine } from '../../../engine/engine.ts'
import type { CollectionName, Item } from '../../../schema/infer.ts'
import type { Schema } from '../../../schema/model.ts'

/** Fields that a host adds to `Query` and to items. */
export interface GraphQLExtend<S = Schema> {
  /** Fields of `Query`. They are offered to every caller. */
  readonly queries?: Readonly<Record<string, GraphQLExtraQuery>> | undefined
  /** Fields of items, by collection. Each is offered to callers who may read all fields that it needs. */
  readonly fields?: GraphQLExtraFields<S> | undefined
}

/** Fields of items, by the names of collections. */
export type GraphQLExtraFields<S = Schema> = {
  readonly [C in CollectionName<S>]?: Readonly<Record<string, GraphQLExtraField<NeededItem<S, C>>>>
}

/** Options of every extra field. */
interface ExtraBase {
  /** A scalar, or a list of one, as GraphQL writes it: `String`, `[Int!]`. */
  readonly type: string
  /** Types of arguments: `{ size: 'Int!' }`. */
  readonly args?: Readonly<Record<string, string>> | undefined
  /** The description in the schema. */
  readonly note?: string | undefined
}

/** A field of `Query` that a host computes. */
export interface GraphQLExtraQuery extends ExtraBase {
  /** Returns the value of the field, or a promise of it. */
  readonly resolve: (args: ExtraArguments, context: GraphQLExtraContext) => unknown
}

/** A field of items that a host computes. */
export interface GraphQLExtraField<Needed = Readonly<Record<string, unknown>>> extends ExtraBase {
  /** Fields of the item that `resolve` gets, whether they are asked for or not. */
  readonly needs: readonly (keyof Needed & string)[]
  /** Returns the value of the field for an item, or a promise of it. */
  readonly resolve: (item: Needed, args: ExtraArguments, context: GraphQLExtraContext) => unknown
}

type ExtraArguments = Readonly<Record<string, unknown>>

/** The fields of an item that are needed. A field is null where the caller may not see that of this item. */
export type NeededItem<S, C extends CollectionName<S>> = {
  readonly [Name in keyof Item<S, C>]?: Item<S, C>[Name] | null
}

/** The request for which a field is computed. */
export interface GraphQLExtraContext {
  /** Engine of the caller. */
  readonly engine: Engine
  /** It is aborted when the request is. */
  readonly signal: AbortSignal | undefined
}
