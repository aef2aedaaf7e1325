// The request of a client, and the operation that it holds.

import type { GraphQLObjectType, OperationDefinitionNode } from 'graphql'
import type { EngineInternals } from '../../engine/engine.ts'
import type { Options } from '../../execution/database.ts'
import type { Collecting, Fields } from '../document/collect-fields.ts'
import type { DocumentBounds } from '../document/read-document.ts'
import type { Extensions } from '../schema/extra/extensions.ts'
import type { Reporting } from './result-error.ts'
import type { SchemaListing } from './schema-listing.ts'

/** A request as clients send it. */
export interface GraphQLRequest {
  /** Text of a document. */
  readonly query?: string | null | undefined
  /** Id of a document that the option `documents` knows, in the place of its text. */
  readonly documentId?: string | null | undefined
  /** Values of the variables of the document. */
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined
  /** Name of the operation to run, if the document has several. */
  readonly operationName?: string | null | undefined
  /** Wishes about the answer. */
  readonly extensions?: GraphQLRequestExtensions | null | undefined
}

/** Wishes about an answer, beside its document. */
export interface GraphQLRequestExtensions {
  /** True for `extensions.truncated`: the lists that a default or maximum limit cut, such as `articles.comments`. */
  readonly truncated?: boolean | undefined
  /** Wishes of other servers, which are left alone. */
  readonly [name: string]: unknown
}

export interface AnswerBounds extends DocumentBounds {
  readonly roots: number
  /** Rows that the limits of an operation may lead to. */
  readonly rows: number
  /** True if one mutation is one transaction. */
  readonly atomic: boolean
  /** True if a mutation is refused, because of the way by which it came. */
  readonly isReadOnly: boolean
  /** Fields that the host computes. */
  readonly extensions: Extensions
}

export interface AnswerRequest {
  readonly engine: EngineInternals
  readonly operation: OperationDefinitionNode
  readonly type: GraphQLObjectType
  /** Fields at its root. */
  readonly fields: Fields
  /** Variables as the client gave them. */
  readonly input: Readonly<Record<string, unknown>>
  readonly collecting: Collecting
  /** Counter of what its questions about the schema list. */
  readonly listing: () => SchemaListing
  readonly options: Options
  readonly reportsTruncated: boolean
  readonly reporting: Reporting
  readonly extensions: Extensions
}
