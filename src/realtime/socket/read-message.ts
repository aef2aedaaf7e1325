import { isRecord, parseJson } from '../../values/guards.ts'
import { errorFrame, type FrameError, type Uid } from './frames.ts'
import { credentialTexts } from './socket-credentials.ts'

const types = ['auth', 'subscribe', 'unsubscribe', 'items', 'ping', 'pong'] as const
export type MessageType = (typeof types)[number]

export interface SocketMessage {
  readonly type: MessageType
  readonly uid: Uid | undefined
  /** The members of the message, not checked yet. */
  readonly members: Readonly<Record<string, unknown>>
}

/** A message, or the frame that says why it is none. */
export type ReadMessage =
  | { readonly message: SocketMessage }
  | { readonly refusal: string; readonly uid: Uid | undefined }

export function readMessage(text: string): ReadMessage {
  const members = parseJson(text)
  if (!isRecord(members)) return refused('A message is a JSON object with a "type".')
  const { type, uid } = members
  if (!isUid(uid)) return refused('"uid" is a text or a number.')
  const known = types.find((name) => name === type)
  if (known)
    return { message: { type: known, uid, members: known === 'auth' ? credentialTexts(members) : members } }
  return refused(`"type" is one of ${types.join(', ')}.`, uid)
}

function refused(message: string, uid?: Uid): ReadMessage {
  const error: FrameError = { code: 'INVALID_PAYLOAD', message }
  return { refusal: errorFrame('server', error, uid), uid }
}

/** The refusal of what is no text. */
export const binaryRefused = refused('A message is text: JSON.')

const isUid = (input: unknown): input is Uid | undefined =>
  input === undefined || typeof input === 'string' || typeof input === 'number'

/** The messages that a socket may send: many at once, and then so many in a second. */
export class MessageBucket {
  readonly #max: number
  readonly #perSecond: number
  #left: number
  #filledAt = performance.now()
  #refused = 0

  constructor(max: number, perSecond: number) {
    this.#max = max
    this.#perSecond = perSecond
    this.#left = max
  }

  /** True if one more message is taken. */
  take(): boolean {
    const now = performance.now()
    this.#left = Math.min(this.#max, this.#left + ((now - this.#filledAt) / 1_000) * this.#perSecond)
    this.#filledAt = now
    if (this.#left < 1) {
      this.#refused += 1
      return false
    }
    this.#left -= 1
    this.#refused = Math.max(0, this.#refused - 1)
    return true
  }

  /** True once as many more were refused than taken as could be sent at once. */
  get isFlooded(): boolean {
    return this.#refused > this.#max
  }
}
