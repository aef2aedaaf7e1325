// The entry `quernel/client`: the verbs, over HTTP. It runs in browsers, and loads nothing of the engine.
export {
  type BulkRequest,
  deleteByQuery,
  deleteItem,
  deleteItems,
  updateByQuery,
} from './client/by-query.ts'
export { type Client, type ClientOptions, connect } from './client/connect.ts'
export { createItem, createItems, type UpsertRequest, upsertItem, upsertItems } from './client/create.ts'
export { type ExplainRequest, explainAccess, explainItems } from './client/explain.ts'
export { assetUrl, deleteFile, getFile, listFiles, updateFile } from './client/files.ts'
export { liveList, watchItems } from './client/live.ts'
export type { LiveItems, LiveList } from './client/live-types.ts'
export { pages } from './client/pages.ts'
export { getItem, getSingleton, listItems } from './client/reads.ts'
export type { RequestOptions } from './client/request-options.ts'
export { streamItems } from './client/stream.ts'
export type { TokenOption } from './client/token.ts'
export { updateEach, updateItem, updateItems, updateSingleton } from './client/update.ts'
export {
  compareVersion,
  createVersion,
  deleteVersion,
  listVersions,
  promoteVersion,
  saveVersion,
  updateVersion,
} from './client/versions.ts'
export { type EngineError, type ErrorCode, isEngineError, type Path } from './errors/errors.ts'
export type {
  ChangesMessage,
  FeedMessage,
  ResetMessage,
  ResetReason,
  SnapshotMessage,
} from './realtime/messages.ts'
export type { WatchedItems, WatchOptions } from './realtime/watch-items.ts'
