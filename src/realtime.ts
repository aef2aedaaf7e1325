export {
  type ChangeLogSourceOptions,
  changeLogSource,
} from './realtime/change-log/change-log-source.ts'
export { type BrokenLog, type ChangeLogStatus, checkChangeLog } from './realtime/change-log/check.ts'
export {
  type ChangeLogKeep,
  type ChangeLogOptions,
  type ChangeLogRemoval,
  type ChangeLogReport,
  installChangeLog,
  removeChangeLog,
} from './realtime/change-log/install.ts'
export {
  createFeed,
  type Feed,
  type FeedCaller,
  type FeedStopOptions,
} from './realtime/create-feed.ts'
export { realtime } from './realtime/events/realtime-mount.ts'
export type { FeedLimits, FeedOptions } from './realtime/feed/feed-options.ts'
export type { FeedStatus } from './realtime/feed/feed-status.ts'
export { localSource } from './realtime/feed/local-source.ts'
export type {
  BlindCollection,
  Source,
  SourceBatch,
  SourceChange,
  SourceContext,
  SourcePosition,
  WriteOperation,
} from './realtime/feed/source.ts'
export type {
  ChangesMessage,
  FeedMessage,
  ResetMessage,
  ResetReason,
  SnapshotMessage,
} from './realtime/messages.ts'
export type {
  OpenSocket,
  SocketConnection,
  SocketCredentials,
  SocketHandler,
  SocketLimits,
  SocketMode,
  SocketOptions,
  SocketStatus,
  SocketTokens,
} from './realtime/socket/socket-handler.ts'
export { createSocketHandler } from './realtime/socket/socket-session.ts'
export { toWs, type WsOptions, type WsSockets } from './realtime/socket/to-ws.ts'
export type { UpgradingServer } from './realtime/socket/upgrades.ts'
export { type WatchedItems, type WatchOptions, watchItems } from './realtime/watch-items.ts'
