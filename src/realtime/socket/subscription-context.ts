// The socket as its subscriptions know it.

import type { FeedCore } from '../feed/feed.ts'
import type { FrameConditions } from './outbox.ts'
import type { SharedReads } from './shared-reads.ts'
import type { SocketCaller } from './socket-caller.ts'

/** The socket as its subscriptions know it. */
export interface SubscriptionContext {
  readonly core: FeedCore
  readonly caller: SocketCaller
  readonly reads: SharedReads
  /** Maximum number of subscriptions. */
  readonly max: number
  /** Resolves with true when a frame was handed over, with false if it was left out. */
  readonly send: (text: string, conditions?: FrameConditions) => Promise<boolean>
  readonly onError: (error: unknown) => void
  /** Checks whether the socket is still authenticated. */
  readonly lookAtName: () => Promise<boolean>
  /** True if it is authenticated, as was last known. */
  readonly isNamed: () => boolean
}
