// Types of an OpenAPI 3.1 document, limited to the parts that are generated here.

import type { JsonSchema } from '../../types/family-row.ts'

/** A document of OpenAPI 3.1. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly OpenApiServer[]
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly tags: readonly { readonly name: string; readonly description?: string }[]
  readonly paths: Readonly<Record<string, OpenApiPath>>
  readonly components: OpenApiComponents
}

/** Server of an API. */
export interface OpenApiServer {
  /** Address of the server, absolute or relative to the document. */
  readonly url: string
  /** What the server is for. */
  readonly description?: string
}

type OpenApiMethod = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** A path, with its methods. */
export type OpenApiPath = { readonly [Method in OpenApiMethod]?: OpenApiOperation } & {
  readonly parameters?: readonly OpenApiReference[]
}

/** One method of a path. */
export interface OpenApiOperation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly parameters: readonly OpenApiReference[]
  readonly requestBody?: OpenApiBody
  /** Empty for operations without authentication. */
  readonly security?: OpenApiDocument['security']
  /** Responses by status, and `default`. */
  readonly responses: Readonly<Record<string, OpenApiResponse | OpenApiReference>>
}

export interface OpenApiReference {
  readonly $ref: string
}

export type OpenApiContent = Readonly<Record<string, { readonly schema: JsonSchema }>>

export interface OpenApiBody {
  readonly required: boolean
  readonly content: OpenApiContent
}

export interface OpenApiResponse {
  readonly description: string
  readonly headers?: Readonly<Record<string, OpenApiReference>>
  readonly content?: OpenApiContent
}

export interface OpenApiParameter {
  readonly name: string
  readonly in: 'query' | 'path' | 'header'
  readonly description?: string
  readonly required?: boolean
  readonly style?: 'form' | 'simple'
  readonly explode?: boolean
  readonly schema?: JsonSchema
  /** Content of a parameter that is JSON text. */
  readonly content?: OpenApiContent
}

export interface OpenApiHeader {
  readonly description: string
  readonly schema: JsonSchema
}

/** Components of a document, by name. */
export interface OpenApiComponents {
  readonly schemas: Readonly<Record<string, JsonSchema>>
  readonly responses: Readonly<Record<string, OpenApiResponse>>
  readonly parameters: Readonly<Record<string, OpenApiParameter>>
  readonly headers: Readonly<Record<string, OpenApiHeader>>
  readonly securitySchemes: Readonly<Record<string, JsonSchema>>
}
