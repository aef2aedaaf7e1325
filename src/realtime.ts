export {
  createFeed,
  type Feed,
  type FeedCaller,
  type FeedStopOptions,
} from './realtime/create-feed.ts'
export { realtime } from './realtime/events/realtime-mount.ts'
export type { FeedLimits, FeedOptions } from './realtime/feed-options.ts'
export type { FeedStatus } from './realtime/feed-status.ts'
export { localSource } from './realtime/local-source.ts'
export type {
  ChangesMessage,
  FeedMessage,
  ResetMessage,
  ResetReason,
  SnapshotMessage,
} from './realtime/messages.ts'
export type { Source, SourceBatch, SourceChange, SourceContext, SourcePosition } from './realtime/source.ts'
export { type WatchedItems, type WatchOptions, watchItems } from './realtime/watch-items.ts'
