// The surroundings of an operation over a socket.

import type { FeedCore } from '../../realtime/feed/feed.ts'
import type { Rights } from '../../realtime/feed/feed-caller.ts'
import type { FrameConditions } from '../../realtime/socket/outbox.ts'
import type { SocketCaller } from '../../realtime/socket/socket-caller.ts'
import type { AnswerInput } from '../answer/answer-graphql.ts'
import type { AnswerRequest } from '../answer/answer-request.ts'
import type { ResultError } from '../answer/result-error.ts'
import type { EventTexts } from './event-texts.ts'

export interface OperationContext {
  readonly id: string
  readonly answering: AnswerInput
  readonly texts: EventTexts
  readonly core: FeedCore
  readonly caller: SocketCaller
  /** Resolves with true when a message was handed over, with false if it was left out. */
  readonly send: (text: string, conditions: FrameConditions) => Promise<boolean>
  /** False for a text that would be too much beside what is on its way. `charged`: bytes of it that are charged already. */
  readonly hasRoom: (text: string, charged?: number) => boolean
  readonly onError: (error: unknown) => void
  /** Makes answers a few at a time: each is in memory until the socket takes it. */
  readonly inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** Checks whether the caller of the socket is still authenticated; false if it is closed. */
  readonly look: () => Promise<boolean>
}

export interface ReadOperation extends AnswerRequest {
  readonly rights: Rights
  /** Rows that its limits may lead to. */
  readonly maxRows: number
}

export interface RefusedOperation {
  readonly problems: readonly ResultError[]
}
