// The entry `quernel/client`: the verbs, over HTTP. It runs in browsers, and loads nothing of the engine.
export { type Client, type ClientOptions, connect } from './client/connect.ts'
export { getItem, getSingleton, listItems } from './client/reads.ts'
export type { RequestOptions } from './client/request-options.ts'
export { streamItems } from './client/stream.ts'
export type { TokenOption } from './client/token.ts'
export { EngineError, type ErrorCode, isEngineError, type Path } from './errors/errors.ts'
