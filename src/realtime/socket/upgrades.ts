// Upgrades of a server of Node: each path has one owner, and a path without an owner is refused, unless there is another listener.

import type { EventEmitter } from 'node:events'
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { fault, quote } from '../../errors/errors.ts'
import { errorResponse } from '../../http/error-response.ts'
import { memoFor } from '../../values/memo.ts'
import { later } from '../timers.ts'

/** A server of Node that upgrades connections: over HTTP, HTTPS or HTTP/2. */
export type UpgradingServer = Pick<EventEmitter, 'on' | 'off' | 'emit' | 'listenerCount'>

/** Answers an upgrade, and never rejects. */
type Upgrade = (message: IncomingMessage, stream: Duplex, head: Buffer) => Promise<void>

const known = new WeakMap<UpgradingServer, Upgrades>()

export const upgradesOf = (server: UpgradingServer): Upgrades =>
  memoFor(known, server, () => new Upgrades(server))

export class Upgrades {
  readonly #server: UpgradingServer
  readonly #paths = new Map<string, Upgrade>()
  #takeAll: () => void = () => undefined

  constructor(server: UpgradingServer) {
    this.#server = server
  }

  /** Adds the owner of a path, which answers its upgrades. Returns a function that removes it. */
  add(path: string, upgrade: Upgrade): () => void {
    if (!path.startsWith('/')) throw noPath(path)
    if (this.#paths.has(path)) throw isTaken(path)
    if (this.#paths.size === 0) this.#listen()
    this.#paths.set(path, upgrade)
    return () => {
      if (this.#paths.get(path) !== upgrade) return
      this.#paths.delete(path)
      if (this.#paths.size > 0) return
      this.#server.off('upgrade', this.#answerUpgrade)
      this.#server.off('connect', this.#answerHttp2)
      this.#takeAll()
    }
  }

  #listen(): void {
    this.#server.on('upgrade', this.#answerUpgrade)
    this.#takeAll = takeSockets(this.#server)
    if (typeof Reflect.get(this.#server, 'updateSettings') === 'function')
      this.#server.on('connect', this.#answerHttp2)
  }

  #at({ url = '' }: Pick<IncomingMessage, 'url'>): Upgrade | undefined {
    const [path = ''] = url.split('?')
    return this.#paths.get(path)
  }

  readonly #answerUpgrade = (message: IncomingMessage, stream: Duplex, head: Buffer): void => {
    const isAlone = this.#server.listenerCount('upgrade') === 1
    if (isAlone && !asksForSocket(message)) {
      answerPlainly(this.#server, message, { stream, head })
      return
    }
    const upgrade = this.#at(message)
    if (!upgrade && !isAlone) {
      refuseUnanswered(message, stream)
      return
    }
    // A client that leaves early cannot be answered. Node no longer listens to the stream.
    stream.on('error', () => stream.destroy())
    if (!upgrade) refuseUpgrade(stream, toResponse(noSuchPath()))
    else if (hasBody(message)) refuseUpgrade(stream, toResponse(withBody()))
    else void upgrade(message, stream, head)
  }

  /** Sockets over HTTP/2 are streams of another kind. */
  readonly #answerHttp2 = (message: Pick<IncomingMessage, 'url'>, response: Http2Response): void => {
    if (!this.#at(message) && this.#server.listenerCount('connect') > 1) return
    const { status, headers, body } = errorResponse(noHttp2())
    response.writeHead(status, headers)
    response.end(body)
  }
}

/** False for an upgrade to something else, such as `h2c`: a server that does not speak it answers the request as if it did not ask. */
const asksForSocket = ({ headers: { upgrade = '' } }: IncomingMessage): boolean =>
  upgrade.split(',').some((name) => name.trim().toLowerCase() === 'websocket')

/** Leaves requests that ask for something else than sockets to the server, where Node can (since 24.9). Returns the function that ends it. */
function takeSockets(server: UpgradingServer): () => void {
  const before: unknown = Reflect.get(server, upgrades)
  if (typeof before !== 'function') return () => undefined
  const takes = (message: IncomingMessage): unknown =>
    (server.listenerCount('upgrade') > 1 || asksForSocket(message)) &&
    Reflect.apply(before, server, [message])
  Reflect.set(server, upgrades, takes)
  return () => {
    if (Reflect.get(server, upgrades) === takes) Reflect.set(server, upgrades, before)
  }
}

/** Name by which a server of Node decides which upgrades it takes. */
const upgrades = 'shouldUpgradeCallback'

/** Lets the server read a request again, without its wish for an upgrade. Older Node has no way back from one. */
function answerPlainly(
  server: UpgradingServer,
  { method = 'GET', url = '/', httpVersion, rawHeaders, socket }: IncomingMessage,
  { stream, head }: { readonly stream: Duplex; readonly head: Buffer },
): void {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
    const left =
      name.toLowerCase() === 'connection' ? value.split(',').filter((one) => !isOfUpgrade(one)) : [value]
    if (!isOfUpgrade(name) && left.length > 0) lines.push(`${name}: ${left.join(',')}`)
  }
  stream.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
  server.emit(Reflect.get(socket, 'encrypted') === true ? 'secureConnection' : 'connection', stream)
}

const isOfUpgrade = (name: string): boolean => /^\s*(?:upgrade|http2-settings)\s*$/i.test(name)

interface Http2Response {
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown
  end(body: string): unknown
}

export function webRequest({ url = '/', headers, rawHeaders, socket }: IncomingMessage): Request {
  const scheme = Reflect.get(socket, 'encrypted') === true ? 'https' : 'http'
  try {
    const copy = new Headers()
    for (let at = 0; at + 1 < rawHeaders.length; at += 2)
      copy.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
    return new Request(`${scheme}://${headers.host ?? 'localhost'}${url}`, { headers: copy })
  } catch (cause) {
    throw fault('INVALID_PAYLOAD', 'This is no request for a socket.', { cause })
  }
}

/** Answers an upgrade that is refused, and closes the connection: a client that does not could hold it for ever. */
export function refuseUpgrade(stream: Duplex, response: Response): void {
  void response.text().then((body) => {
    const { status } = response
    const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`]
    for (const [name, value] of response.headers) lines.push(`${name}: ${value}`)
    lines.push('connection: close', `content-length: ${Buffer.byteLength(body)}`, '', body)
    stream.once('finish', () => stream.destroy())
    stream.end(lines.join('\r\n'))
  })
}

/** Answers an upgrade that others have left alone, too: a client could hold it for ever. */
function refuseUnanswered({ socket }: IncomingMessage, stream: Duplex): void {
  const bytes = socket.bytesWritten
  const stop = later(unansweredMs, () => {
    if (stream.destroyed || socket.bytesWritten !== bytes) return
    stream.on('error', () => stream.destroy())
    refuseUpgrade(stream, toResponse(noSuchPath()))
  })
  stream.once('close', stop)
}

/** Milliseconds in which an upgrade has to be answered. */
const unansweredMs = 10_000

export function toResponse(error: unknown): Response {
  const { status, headers, body } = errorResponse(error)
  return new Response(body, { status, headers })
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const noPath = (path: string) =>
  fault('INVALID_OPTIONS', `The path of sockets begins with a slash, unlike ${quote(path)}.`, {
    path: ['path'],
  })

const isTaken = (path: string) =>
  fault('INVALID_OPTIONS', `The path ${quote(path)} has sockets already.`, { path: ['path'] })

const noSuchPath = () => fault('NOT_FOUND', 'There are no sockets at this path.')

const withBody = () => fault('INVALID_PAYLOAD', 'A request for a socket has no body.')

const noHttp2 = () =>
  fault('NOT_FOUND', 'There are no sockets over HTTP/2.', {
    hint: 'Watch lists as server-sent events, at /live/:collection, or open the socket over HTTP/1.1.',
  })
