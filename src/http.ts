export { createHandler, type Handler } from './http/handler.ts'
export type { HandlerOptions } from './http/handler-options.ts'
export { type NodeHandler, toNode } from './http/node.ts'
export { type DescribeOptions, describeApi } from './http/openapi/describe-api.ts'
export type {
  OpenApiComponents,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiPath,
  OpenApiServer,
} from './http/openapi/document.ts'
export type { JsonSchema } from './types/family-row.ts'
