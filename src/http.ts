export { createHandler, type Handler, type HandlerOptions } from './http/handler.ts'
export { type NodeHandler, toNode } from './http/node.ts'
