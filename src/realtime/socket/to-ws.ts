// Sockets of `ws`, beside a server of Node.

import type { RawData, WebSocket, WebSocketServer } from 'ws'
import { checkOptions, optionNames, text } from '../../errors/check-options.ts'
import { fault, quote } from '../../errors/errors.ts'
import { later } from '../timers.ts'
import { isUnexpected } from './frames.ts'
import { Heartbeats } from './heartbeats.ts'
import type { OpenSocket, SocketHandler } from './socket-handler.ts'
import { refuseUpgrade, toResponse, type UpgradingServer, upgradesOf, webRequest } from './upgrades.ts'

/** Options of `toWs`. */
export interface WsOptions {
  /** Path of the sockets. By default `/websocket`. */
  readonly path?: string
}

/** Sockets of a path of a server. */
export interface WsSockets {
  /** Takes no more sockets. Those that are open end with the feed. */
  readonly close: () => void
}

const wsOptions = optionNames<WsOptions>({ path: text })

/** Answers the upgrades of a path of a server by sockets of the package `ws`. Other paths are left to other listeners.
 *  @example const feed = createFeed(engine, { source: localSource() })
 *  const sockets = createSocketHandler(feed, { authenticate: () => ({ admin: true }) })
 *  const { createServer } = await import('node:http')
 *  const { close } = await toWs(sockets, createServer(), { path: '/websocket' })
 *  close()
 *  await feed.stop() */
export async function toWs(
  sockets: SocketHandler,
  server: UpgradingServer,
  options: WsOptions = {},
): Promise<WsSockets> {
  checkOptions(options, wsOptions)
  const { path = '/websocket' } = options
  if (typeof Reflect.get(Object(sockets), 'open') !== 'function') throw noSockets(sockets)
  const upgrading = loadWs().then((library) => serverOf(library, sockets))
  const close = upgradesOf(server).add(path, async (message, stream, head) => {
    try {
      const request = webRequest(message)
      const refusal = await sockets.admit(request)
      if (refusal) return refuseUpgrade(stream, refusal)
      const upgrade = await upgrading
      if (!stream.destroyed)
        upgrade.handleUpgrade(message, stream, head, (socket) => attach(socket, sockets, request))
    } catch (error) {
      if (isUnexpected(error)) sockets.onError(error)
      refuseUpgrade(stream, toResponse(error))
    }
  })
  try {
    await upgrading
  } catch (error) {
    close()
    throw error
  }
  return { close }
}

type WsLibrary = typeof import('ws')

async function loadWs(): Promise<WsLibrary> {
  try {
    return await import('ws')
  } catch (cause) {
    throw fault('INVALID_OPTIONS', 'Sockets are made by the package "ws", which cannot be loaded.', {
      hint: 'Install it: npm install ws',
      cause,
    })
  }
}

/** Returns the server that makes sockets. Frames are not compressed: that takes memory, and time, for each socket. */
const serverOf = (
  { WebSocketServer }: WsLibrary,
  { messageBytes, protocol }: SocketHandler,
): WebSocketServer =>
  new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: messageBytes,
    ...(protocol !== undefined && { handleProtocols: (named) => chosenOf(named, protocol) }),
  })

/** A client that names other protocols alone learns why it is closed by a code, which it receives if one of its own was chosen. */
function chosenOf(named: ReadonlySet<string>, protocol: string): string | false {
  const [first = false] = named
  return named.has(protocol) ? protocol : first
}

const heartbeats = new Heartbeats()

/** Milliseconds in which a client closes its side. */
const maxClosingMs = 5_000

function attach(socket: WebSocket, sockets: SocketHandler, request: Request): void {
  let opened: OpenSocket | undefined
  let stopClosing: (() => void) | undefined
  const sent = (): void => {
    if (socket.bufferedAmount === 0) opened?.drained()
  }
  // A frame that breaks the protocol closes the socket, with the code for it.
  socket.on('error', () => undefined)
  opened = sockets.open({
    request,
    send: (frame) => socket.send(frame, sent),
    close: (code, reason) => {
      socket.close(code, reason)
      // A client that does not close its side would keep a server that stops.
      if (socket.readyState !== socket.CLOSED) stopClosing ??= later(maxClosingMs, () => socket.terminate())
    },
    terminate: () => socket.terminate(),
    buffered: () => socket.bufferedAmount,
  })
  const { message, pinged, closed } = opened
  const beat = heartbeats.add(socket)
  socket.on('message', (data, isBinary) => {
    beat.hear()
    message(isBinary ? bytesOf(data) : String(data))
  })
  socket.on('ping', pinged)
  socket.on('pong', beat.hear)
  socket.on('close', () => {
    stopClosing?.()
    beat.end()
    closed()
  })
}

/** A message may come in several parts. */
function bytesOf(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data)
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data
}

const noSockets = (sockets: unknown) =>
  fault('INVALID_OPTIONS', `Sockets are made by createSocketHandler, and are not ${quote(sockets)}.`)
