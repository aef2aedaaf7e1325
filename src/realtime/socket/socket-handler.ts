// Sockets as hosts use them, whatever library they are of.

import type { HandlerOptions } from '../../http/handler-options.ts'
import type { Schema } from '../../schema/model.ts'

/** A connection of a library of sockets. */
export interface SocketConnection {
  /** The request of the upgrade: its URL and its headers. */
  readonly request: Request
  readonly send: (text: string) => void
  readonly close: (code: number, reason: string) => void
  /** Ends it at once, with what is not sent yet. Without it a connection whose memory is needed is closed. */
  readonly terminate?: () => void
  /** Returns how many bytes are not sent yet. */
  readonly buffered: () => number
}

/** A connection as its library presents it. */
export interface OpenSocket {
  /** A message has come: a text, or bytes. */
  readonly message: (data: string | Uint8Array) => void
  /** A ping of the protocol has come, which the library answers: it counts as a message. */
  readonly pinged: () => void
  /** Called when unsent bytes were sent. A library without such an event is polled. */
  readonly drained: () => void
  /** The connection is closed. */
  readonly closed: () => void
}

/** Answers sockets. */
export interface SocketHandler {
  /** Returns the response that refuses an upgrade; undefined if it may go on. */
  readonly admit: (request: Request) => Promise<Response | undefined>
  /** Answers a connection. One whose request was not admitted is asked the same questions. */
  readonly open: (connection: SocketConnection) => OpenSocket
  /** Maximum number of bytes of a message. */
  readonly messageBytes: number
  /** The subprotocol that sockets speak. Absent = they need none. */
  readonly protocol?: string
  /** Receives errors of an upgrade that are not the client's mistake. */
  readonly onError: (error: unknown) => void
  /** Returns the numbers of sockets. */
  readonly status: () => SocketStatus
}

/** Numbers of sockets. */
export interface SocketStatus {
  readonly sockets: number
  /** Sockets that have not said yet who they are. */
  readonly unnamed: number
}

/** Credentials of a message `auth`, besides a token. */
export type SocketCredentials =
  | { readonly email: string; readonly password: string }
  | { readonly refresh_token: string }

/** Tokens that a login has brought. */
export interface SocketTokens {
  readonly access_token: string
  readonly refresh_token?: string | undefined
}

/** When a socket says who it is: in its first message; or at the upgrade, where a caller without a token has an access, or is refused. */
export type SocketMode = 'handshake' | 'public' | 'strict'

/** Options of `createSocketHandler`. */
export interface SocketOptions<S extends Schema = Schema> extends Pick<HandlerOptions<S>, 'authenticate'> {
  /** When a socket says who it is. By default `handshake`. */
  readonly mode?: SocketMode
  /** Origins whose pages may open sockets, besides the one that they are on; `*` for any. Browsers do not check origins of sockets themselves. */
  readonly origins?: readonly string[]
  /** True if a proxy sets `X-Forwarded-Proto`, and clients cannot get around it: then an origin has to be of that scheme. By default false. */
  readonly trustProxy?: boolean
  /** True if a token may stand in the URL, as `access_token`. It is taken out of the URL before anything sees it. By default false. */
  readonly urlTokens?: boolean
  /** Returns the tokens for an email and a password, or for a refresh token; null for unknown ones. Without it, sockets take tokens
   *  alone. */
  readonly login?: (
    credentials: SocketCredentials,
    request: Request,
  ) => Promise<SocketTokens | null> | SocketTokens | null
  readonly limits?: SocketLimits
  /** Called with errors that are not the caller's mistake. By default that of the feed. */
  readonly onError?: (error: unknown) => unknown
}

/** Limits of sockets. */
export interface SocketLimits {
  /** Sockets at a time. By default 20,000. */
  readonly sockets?: number
  /** Sockets that have not said yet who they are. By default 10,000. */
  readonly unnamed?: number
  /** Subscriptions of a socket. By default 100. */
  readonly subscriptions?: number
  /** Bytes of a message. By default 65,536. */
  readonly messageBytes?: number
  /** Messages that a socket may send at once. By default 500. */
  readonly messages?: number
  /** Messages that it may send more in each second. By default 50. */
  readonly messagesPerSecond?: number
}
