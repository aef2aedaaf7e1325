// A socket: takes its messages one after another, and answers them.
import { fault } from '../../errors/errors.ts'
import type { Schema } from '../../schema/model.ts'
import { tooMuchUnsent } from '../bytes/unsent-bytes.ts'
import { anyFeed, coreOf, type Feed } from '../create-feed.ts'
import { mayReply, outlived } from '../wire/message-rights.ts'
import { itemsReply } from './answer-items.ts'
import { errorFrame, frame, frameError, handshakeFailed, isUnexpected, tokenExpired } from './frames.ts'
import { handleSockets, openParts, type Session, type SocketRoom } from './handle-sockets.ts'
import type { Outbox } from './outbox.ts'
import {
  binaryRefused,
  type MessageBucket,
  type MessageType,
  type ReadMessage,
  readMessage,
  type SocketMessage,
} from './read-message.ts'
import { SharedReads } from './shared-reads.ts'
import type { SocketCaller } from './socket-caller.ts'
import type { SocketConnection, SocketHandler, SocketOptions } from './socket-handler.ts'
import { SocketName } from './socket-name.ts'
import { socketSettings } from './socket-settings.ts'
import { SocketSubscriptions } from './socket-subscriptions.ts'

class SocketSession implements Session {
  readonly #room: SocketRoom
  readonly #connection: SocketConnection
  readonly #caller: SocketCaller
  readonly #name: SocketName
  readonly #subscriptions: SocketSubscriptions
  readonly #outbox: Outbox
  readonly #bucket: MessageBucket
  /** Messages that wait for their turn, and their bytes. */
  readonly #waiting: WaitingMessage[] = []
  #waitingBytes = 0
  #isReplying = false
  /** True once nothing is taken any more. */
  #isOver = false

  constructor(room: SocketRoom, reads: SharedReads, connection: SocketConnection) {
    const { settings, feed } = room
    this.#room = room
    this.#connection = connection
    const { caller, outbox, bucket } = openParts(room, connection, (...why) => this.close(...why))
    this.#caller = caller
    this.#outbox = outbox
    this.#bucket = bucket
    this.#name = new SocketName(settings, caller, {
      send: (text) => void this.#outbox.send(text),
      closeAfter: (text, code, reason) => this.#closeAfter(text, code, reason),
      onNamed: () => {
        room.onNamed(this)
        this.#subscriptions.resume()
      },
    })
    this.#subscriptions = new SocketSubscriptions({
      core: coreOf(feed),
      caller,
      max: settings.limits.subscriptions,
      reads,
      send: (text, conditions) => outbox.send(text, conditions),
      onError: settings.onError,
      lookAtName: () => this.#name.look(),
      isNamed: () => this.#name.state === 'named',
    })
  }

  /** Begins: waits for the message that says who it is, or asks by the request. */
  begin(): void {
    this.#name.begin(this.#room.admissions.admitLate(this.#connection.request))
  }

  readonly message = (data: string | Uint8Array): void => {
    if (this.#isOver) return
    const { messageBytes } = this.#room.settings.limits
    const size = typeof data === 'string' ? Buffer.byteLength(data) : data.byteLength
    if (size > messageBytes) this.close(1009, `A message has at most ${messageBytes} bytes.`)
    else this.#take({ text: typeof data === 'string' ? data : undefined, size })
  }

  readonly pinged = (): void => {
    if (!this.#isOver && !this.#bucket.take() && this.#bucket.isFlooded)
      this.close(1008, 'This socket sends too much.')
  }

  readonly drained = (): void => this.#outbox.drained()

  readonly closed = (): void => {
    if (!this.#isOver) this.#end()
    this.#outbox.end()
  }

  close(code: number, reason: string): void {
    this.closed()
    this.#connection.close(code, reason)
  }

  #closeAfter(text: string, code: number, reason: string): void {
    this.#end()
    void this.#outbox.send(text).then(() => this.close(code, reason))
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#waiting.length = 0
    this.#name.end()
    this.#subscriptions.close()
    this.#room.onClosed(this)
  }

  #take(message: WaitingMessage): void {
    const max = this.#name.state === 'named' ? maxWaitingBytes : maxUnnamedBytes
    if (!this.#bucket.take() || this.#waitingBytes + message.size > max) {
      this.#refuseFlood(message)
      return
    }
    this.#waiting.push(message)
    this.#waitingBytes += message.size
    void this.#replyToAll()
  }

  #refuseFlood(message: WaitingMessage): void {
    if (this.#bucket.isFlooded) this.close(1008, 'This socket sends too much.')
    // A socket that reads nothing gets no refusals.
    if (this.#isOver || this.#outbox.isBlocked) return
    const read = readWaiting(message)
    const type = 'refusal' in read ? 'server' : read.message.type
    void this.#outbox.send(errorFrame(type, frameError(tooMany()), uidOf(read)))
  }

  async #replyToAll(): Promise<void> {
    if (this.#isReplying) return
    this.#isReplying = true
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      await this.#replyToNext(next)
      this.#waitingBytes -= next.size
    }
    this.#isReplying = false
  }

  async #replyToNext(next: WaitingMessage): Promise<void> {
    await this.#name.known
    if (this.#isOver) return
    const read = readWaiting(next)
    const isUnnamed = this.#name.state === 'unnamed' && this.#room.settings.mode === 'handshake'
    if (isUnnamed && !isAuth(read)) this.#name.failHandshake(uidOf(read))
    else if ('refusal' in read) await this.#outbox.send(read.refusal)
    else await this.#answer(read.message)
  }

  async #answer(message: SocketMessage): Promise<void> {
    const { type, uid } = message
    try {
      const isRefused = this.#name.state !== 'named' && needsName.has(type)
      const answer = isRefused ? this.#notNamed(message) : await this.#byType[type](message)
      if (answer !== undefined && !this.#isOver) await this.#outbox.send(answer)
    } catch (error) {
      if (isUnexpected(error)) this.#room.settings.onError(error)
      // A caller without rights any more, or whose rights cannot be asked for, gets that error first.
      if (needsName.has(type) && !this.#caller.rights.isCertain) await this.#name.look()
      if (!this.#isOver) await this.#outbox.send(errorFrame(type, frameError(error), uid))
    }
  }

  /** Refuses what only authenticated sockets may request. */
  #notNamed({ type, uid }: SocketMessage): string {
    return errorFrame(type, this.#name.state === 'expired' ? tokenExpired : handshakeFailed, uid)
  }

  /** Answers for items by the rights of now, as a request would. They are compared with those of its turn to be sent. */
  async #itemsReply(message: SocketMessage): Promise<string | undefined> {
    if (!(await this.#name.look())) return this.#notNamed(message)
    const { rights: caller } = this.#caller
    const feed = coreOf(this.#room.feed)
    const { rechecks } = feed
    const rights = await caller.fresh(feed.recheckMs)
    const answer = await itemsReply(message, rights)
    if (!this.#outbox.hasRoom(answer)) throw tooMuchUnsent(message.members.action !== 'read')
    const mayStill = mayReply(feed, caller, rights, rechecks)
    const maySend = (isLate: boolean) => !this.#isOver && mayStill(isLate)
    if ((await this.#outbox.send(answer, { maySend })) || this.#isOver) return undefined
    throw outlived(message.members.action !== 'read')
  }

  /** Answers by types of messages. Errors that they throw are sent. */
  readonly #byType: Readonly<Record<MessageType, Answer>> = {
    auth: (message) => this.#name.authenticate(message),
    subscribe: (message) => this.#subscriptions.subscribe(message),
    unsubscribe: ({ uid }) => {
      this.#subscriptions.unsubscribe(uid)
      return frame({ type: 'subscription', event: 'unsubscribe', uid })
    },
    items: (message) => this.#itemsReply(message),
    ping: ({ uid }) => frame({ type: 'pong', uid }),
    pong: () => undefined,
  }
}

/** A message that waits for its turn. It is kept as text, for what it means takes many times as much memory. */
interface WaitingMessage {
  /** Undefined for bytes. */
  readonly text: string | undefined
  readonly size: number
}

const readWaiting = ({ text }: WaitingMessage): ReadMessage =>
  text === undefined ? binaryRefused : readMessage(text)

type Answer = (message: SocketMessage) => Promise<string | undefined> | string | undefined

/** Types of messages that need an authenticated socket. */
const needsName: ReadonlySet<MessageType> = new Set(['subscribe', 'items'])

const isAuth = (read: ReadMessage): boolean => 'message' in read && read.message.type === 'auth'

const uidOf = (read: ReadMessage) => ('refusal' in read ? read.uid : read.message.uid)

const tooMany = () =>
  fault('TOO_MANY_REQUESTS', 'This socket sends more messages than it may.', { hint: 'Wait a second.' })

/** Bytes of messages that wait for their turn, and of that which is being answered. */
const maxWaitingBytes = 1_048_576
/** The same for sockets that are not authenticated yet. */
const maxUnnamedBytes = 65_536

/** Answers sockets over a feed, in the protocol of the installed base. It knows no library of sockets: `toWs` is for `ws`.
 *  @example const feed = createFeed(engine, { source: localSource() })
 *  const sockets = createSocketHandler(feed, { authenticate: (token) => (token === 'secret' ? { admin: true } : null) })
 *  sockets.status() // → { sockets: 0, unnamed: 0 }
 *  await feed.stop() */
export function createSocketHandler<S extends Schema>(
  feed: Feed<S>,
  options: SocketOptions<S>,
): SocketHandler {
  const core = coreOf(anyFeed(feed))
  // Options of a host are described by its own types.
  const settings = socketSettings(options as unknown as SocketOptions, core.onError)
  const reads = new SharedReads()
  return handleSockets(anyFeed(feed), settings, {
    sessionOf: (room, connection) => new SocketSession(room, reads, connection),
  })
}
