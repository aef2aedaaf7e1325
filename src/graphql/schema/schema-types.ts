// The types of one schema, each made once, on first use.
import type { GraphQLInputObjectType, GraphQLObjectType, GraphQLUnionType } from 'graphql'
import type { PayloadKind } from './names/type-names.ts'
import type { CollectionOutline } from './outline/outline.ts'

/** Returns types by the collections that they belong to. Each may refer to any other, so members are made when they are asked for. */
export interface SchemaTypes {
  readonly outlineOf: (collection: string) => CollectionOutline
  /** True for a member that a schema has: a part of it has only those whose names a document has. */
  readonly has: (name: string) => boolean
  /** The same for members of inputs. */
  readonly hasInput: (name: string) => boolean
  /** True while members that lead to further types are made: a part of a schema has no more levels than a document. */
  readonly leadsOn: () => boolean
  /** The same for members of inputs. */
  readonly inputLeadsOn: () => boolean
  readonly item: (collection: string) => GraphQLObjectType
  readonly event: (collection: string) => GraphQLObjectType
  readonly version: (collection: string) => GraphQLObjectType
  readonly aggregated: (collection: string) => GraphQLObjectType
  readonly having: (collection: string) => GraphQLInputObjectType
  readonly filter: (collection: string) => GraphQLInputObjectType
  readonly quantifier: (collection: string) => GraphQLInputObjectType
  readonly payload: (collection: string, kind: PayloadKind) => GraphQLInputObjectType
  readonly increment: (collection: string) => GraphQLInputObjectType
  readonly union: (collection: string, field: string) => GraphQLUnionType
  readonly jsonFunctions: (collection: string, field: string) => GraphQLObjectType
}
