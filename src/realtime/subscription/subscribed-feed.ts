import type { UnsentBytes } from '../bytes/unsent-bytes.ts'
import type { CallerRights, Rights } from '../feed/feed-caller.ts'
import type { Waiting, WatchedGroup } from '../group/group.ts'
import type { Turns } from '../timers.ts'
import type { WatchedQuery } from '../watched-query.ts'

/** A subscription of a caller. */
export interface OfCaller extends Waiting {
  readonly caller: CallerRights
  end(): void
}

/** The feed as its subscriptions need it. */
export interface SubscribedFeed {
  readonly recheckMs: number
  readonly maxPending: number
  /** Secret under which tokens are signed, and ids of hidden keys are made. */
  readonly secret: string
  /** Resolves when all groups know what was committed by now, if the source has reported it. */
  readonly caughtUp: () => Promise<void>
  readonly groupFor: (watched: WatchedQuery, rights: Rights) => WatchedGroup
  /** Adds a subscription to a group, or notes that another caller has it. */
  readonly join: (group: WatchedGroup, subscription: Waiting, rights: Rights) => void
  /** Resolves when the group was read by a read that begins from now on. */
  readonly listed: (group: WatchedGroup, isSoon: boolean) => Promise<void>
  /** Counts what is on its way. */
  readonly unsent: UnsentBytes
  /** Lets some subscriptions go on at a time. */
  readonly turns: Turns
  readonly leave: (group: WatchedGroup, subscription: Waiting) => void
  readonly onEnd: (subscription: OfCaller) => void
  readonly onError: (error: unknown) => unknown
}
