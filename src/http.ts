export type { CollectionDescription, FieldDescription } from './engine/describe-schema.ts'
export type { CorsOptions } from './http/cors.ts'
export { createHandler, type Handler } from './http/handler.ts'
export type { HandlerLife, StopOptions } from './http/handler-life.ts'
export type { HandlerOptions } from './http/handler-options.ts'
export type { Outgoing } from './http/messages.ts'
export type {
  Mount,
  MountFactory,
  MountFunction,
  MountRequest,
  MountRoute,
  OpenRequest,
} from './http/mounts/mount.ts'
export { type NodeHandler, toNode } from './http/node/node.ts'
export { type DescribeOptions, describeApi } from './http/openapi/describe-api.ts'
export type {
  OpenApiComponents,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiPath,
  OpenApiServer,
} from './http/openapi/document.ts'
export type { ApiDescription } from './http/overview/schema.ts'
export type { SignedOptions } from './http/signed/signed-options.ts'
export type { JsonSchema } from './types/family-row.ts'
