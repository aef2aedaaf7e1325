// A socket that speaks GraphQL: who it is, and what it asks for.

import { coreOf } from '../../realtime/create-feed.ts'
import { isExpired } from '../../realtime/feed/feed-caller.ts'
import { openParts, type Session, type SocketRoom } from '../../realtime/socket/handle-sockets.ts'
import type { Outbox } from '../../realtime/socket/outbox.ts'
import type { MessageBucket } from '../../realtime/socket/read-message.ts'
import { atEnd, maxUnnamedMs, namedBy, type SocketCaller } from '../../realtime/socket/socket-caller.ts'
import { type Credentials, tokenIn } from '../../realtime/socket/socket-credentials.ts'
import type { SocketConnection } from '../../realtime/socket/socket-handler.ts'
import { later } from '../../realtime/timers.ts'
import type { AnswerInput } from '../answer/answer-graphql.ts'
import { atMost } from '../answer/roots/run-roots.ts'
import type { EventTexts } from './event-texts.ts'
import { GraphQLOperation, shownErrors, tooMuch } from './graphql-operation.ts'
import {
  asksForProtocol,
  type ClientMessage,
  type Closing,
  closings,
  readClientMessage,
  type SubscribeMessage,
} from './operation-message.ts'

/** The parts of a handler that its sockets share. */
interface GraphQLSockets {
  readonly answering: AnswerInput
  readonly texts: EventTexts
}

export class GraphQLSession implements Session {
  readonly #room: SocketRoom
  readonly #sockets: GraphQLSockets
  readonly #connection: SocketConnection
  readonly #caller: SocketCaller
  readonly #outbox: Outbox
  readonly #bucket: MessageBucket
  readonly #operations = new Map<string, GraphQLOperation>()
  readonly #inTurn = atMost(maxRunning)
  /** Bytes of pongs that are not sent yet. */
  #pongs = 0
  /** Bytes of the operations that are answered. */
  #bytes = 0
  #state: 'new' | 'asking' | 'named' | 'over' = 'new'
  /** The response that refuses the upgrade, unless it has been requested already. */
  #admission: Promise<Response | undefined> | undefined
  #stopTimer: (() => void) | undefined

  constructor(room: SocketRoom, sockets: GraphQLSockets, connection: SocketConnection) {
    this.#room = room
    this.#sockets = sockets
    this.#connection = connection
    const { caller, outbox, bucket } = openParts(room, connection, (...why) => this.close(...why))
    this.#caller = caller
    this.#outbox = outbox
    this.#bucket = bucket
  }

  begin(): void {
    const { request } = this.#connection
    if (!asksForProtocol(request)) {
      this.#closeFor('otherProtocol')
      return
    }
    this.#stopTimer = later(maxUnnamedMs, () => this.#closeFor('initTimeout'))
    this.#admission = this.#room.admissions.admitLate(request)
  }

  readonly message = (data: string | Uint8Array): void => {
    if (this.#state === 'over') return
    const { messageBytes } = this.#room.settings.limits
    const size = typeof data === 'string' ? Buffer.byteLength(data) : data.byteLength
    const message = typeof data === 'string' ? readClientMessage(data) : undefined
    if (size > messageBytes) this.close(1009, `A message has at most ${messageBytes} bytes.`)
    else if (!message) this.#closeFor('invalid')
    else if (this.#bucket.take()) this.#take(message, size)
    else if (this.#bucket.isFlooded) this.#closeFor('flood')
    else this.#refuse(message, size)
  }

  readonly pinged = (): void => {
    if (this.#state !== 'over' && !this.#bucket.take() && this.#bucket.isFlooded) this.#closeFor('flood')
  }

  readonly drained = (): void => this.#outbox.drained()

  readonly closed = (): void => {
    if (this.#state !== 'over') {
      this.#state = 'over'
      this.#stopTimer?.()
      for (const operation of [...this.#operations.values()]) operation.end()
      this.#room.onClosed(this)
    }
    this.#outbox.end()
  }

  close(code: number, reason: string): void {
    if (this.#state === 'over') return
    this.closed()
    this.#connection.close(code, reason)
  }

  #closeFor(closing: Closing): void {
    const { code, reason } = closings[closing]
    this.close(code, reason)
  }

  #take(message: ClientMessage, size: number): void {
    if (message.type === 'connection_init') this.#init(message.credentials)
    else if (message.type === 'ping') void this.#pong(message.answer, size)
    else if (message.type === 'complete') this.#complete(message.id)
    else if (message.type === 'subscribe') this.#subscribe(message, size)
  }

  /** Answers a ping, unless the client reads none of the answers. */
  async #pong(pong: string, size: number): Promise<void> {
    if (this.#pongs > maxPongs) return
    this.#pongs += size
    await this.#outbox.send(pong)
    this.#pongs -= size
  }

  #init(credentials: Credentials): void {
    if (this.#state === 'new') void this.#name(credentials)
    else this.#closeFor('tooManyInits')
  }

  #complete(id: string): void {
    this.#operations.get(id)?.end()
    // Its id may be given to another at once.
    this.#operations.delete(id)
  }

  #subscribe(message: SubscribeMessage, size: number): void {
    const { subscriptions } = this.#room.settings.limits
    const isTooMuch = this.#operations.size >= subscriptions || this.#bytes + size > maxBytes
    if (isTooMuch) this.#refuse(message, size)
    else if (this.#isInPlace(message)) this.#operate(message, size)
  }

  /** Closes the socket for an operation that may not be asked for now, even if there is room for it. */
  #isInPlace({ id }: SubscribeMessage): boolean {
    if (this.#state !== 'named') this.#closeFor('unauthorized')
    else if (this.#operations.has(id)) this.#closeFor('subscriberExists')
    else return true
    return false
  }

  #operate({ id, payload }: SubscribeMessage, size: number): void {
    const operation = new GraphQLOperation({
      ...this.#sockets,
      id,
      core: coreOf(this.#room.feed),
      caller: this.#caller,
      send: (text, conditions) => this.#outbox.send(text, conditions),
      hasRoom: (text, charged) => this.#outbox.hasRoom(text, charged),
      onError: this.#room.settings.onError,
      inTurn: this.#inTurn,
      look: () => this.#look(),
    })
    this.#operations.set(id, operation)
    this.#bytes += size
    void operation.run(payload).finally(() => {
      this.#bytes -= size
      if (this.#operations.get(id) === operation) this.#operations.delete(id)
    })
  }

  /** Says of an operation that was one too many that it was not taken. What costs nothing is taken: else what has ended would go on. */
  #refuse(message: ClientMessage, size: number): void {
    if (message.type === 'complete' || message.type === 'connection_init') this.#take(message, size)
    else if (message.type === 'subscribe' && this.#isInPlace(message))
      this.#send({ id: message.id, type: 'error', payload: shownErrors(tooMuch()) })
  }

  #send(message: object): void {
    void this.#outbox.send(JSON.stringify(message))
  }

  /** Finds out who it is: by the token of its first message, or by its request. */
  async #name(credentials: Credentials): Promise<void> {
    const { settings, onNamed } = this.#room
    this.#state = 'asking'
    try {
      if (await this.#admission) return this.#closeFor('forbidden')
      const found = await tokenIn(credentials, settings, this.#caller.request)
      const named = await this.#named(found?.token)
      if (this.#state !== 'asking') return
      if (named !== 'authenticated') return this.#closeFor(named === 'expired' ? 'expired' : 'forbidden')
      this.#state = 'named'
      onNamed(this)
      this.#planEnd()
      this.#send({ type: 'connection_ack' })
    } catch (error) {
      this.#fail(error)
    }
  }

  async #named(token: string | undefined): Promise<'authenticated' | 'refused' | 'expired'> {
    if (token !== undefined) return this.#caller.become(token)
    if (this.#room.settings.mode === 'handshake') return 'refused'
    const found = await namedBy(this.#caller.rights)
    return typeof found === 'string' ? found : 'authenticated'
  }

  /** Checks whether the caller is still authenticated. If not, the socket is closed, and the client may connect again with another token. */
  async #look(): Promise<boolean> {
    try {
      const found = await namedBy(this.#caller.rights)
      if (this.#state !== 'named') return false
      if (typeof found === 'string') {
        this.#closeFor(found === 'expired' ? 'expired' : 'forbidden')
        return false
      }
      this.#planEnd()
      return true
    } catch (error) {
      this.#fail(error)
      return false
    }
  }

  /** Closes the socket, because its caller could not be authenticated. A feed that stops authenticates no callers, which is no error. */
  #fail(error: unknown): void {
    if (isExpired(error)) {
      this.#closeFor('expired')
      return
    }
    if (!this.#caller.stopping.aborted) this.#room.settings.onError(error)
    this.#closeFor('unavailable')
  }

  /** Looks again when the access ends. */
  #planEnd(): void {
    this.#stopTimer?.()
    this.#stopTimer = atEnd(this.#caller.rights, () => void this.#look())
  }
}

/** Bytes of the operations that are answered at a time. In memory a document takes many times as much. */
const maxBytes = 262_144

const maxPongs = 65_536

/** Answers that are made at a time. */
const maxRunning = 3
