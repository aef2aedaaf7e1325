// The connection that verbs of the client take in the place of an engine: the address of an API, and how requests are sent to it.

import type { Schema } from '../schema/model.ts'
import type { LiveSocket, SharedList } from './live-types.ts'
import { positive, refuseOptions, wrongOption } from './request-options.ts'
import { type TokenOption, type TokenSource, tokenSource } from './token.ts'

/** Options of `connect`. */
export interface ClientOptions {
  /** Token of the caller, or a function that returns it; null for none. A function is called before the first request, and again when the
   *  server no longer takes what it returned. */
  readonly token?: TokenOption | undefined
  /** Function that sends the requests, in place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Milliseconds that a call may take with all its repeats, and a stream with its next part. By default 60,000. */
  readonly timeoutMs?: number | undefined
  /** Number of times that a read is sent again where the server was not reached, or is overloaded: from 0 to 3. By default 3. */
  readonly retry?: number | undefined
  /** True to watch lists over one socket, at `/websocket` below the address, and false for none. By default it is opened for the fifth list, if the
   *  server has one. A class like `WebSocket` of browsers is true with this class. */
  readonly socket?: boolean | (new (url: string) => object) | undefined
}

/** The key under which a client holds what only Quernel uses. A copy of the package in another module format finds it, too. */
export const connection: unique symbol = Symbol.for('quernel.connection')

/** An API elsewhere, which the verbs of the client take in the place of an engine. */
export interface Client<S extends Schema = Schema, Whose = unknown> {
  /** The address of the API, without a slash at its end. */
  readonly url: string
  readonly [connection]: ApiConnection & {
    /** For the compiler only. */
    readonly typed?: { readonly schema: S; readonly whose: Whose }
  }
}

/** How requests are sent. */
export interface ApiConnection {
  readonly fetch: typeof globalThis.fetch
  readonly token: TokenSource
  readonly timeoutMs: number
  readonly retry: number
  readonly socket: ClientOptions['socket']
  /** Lists that are watched, by what they are of, once there are any. */
  lists?: Map<string, SharedList>
  /** Number of event streams that are open. */
  streams?: number
  /** The socket of the lists, once one was needed. */
  opened?: Promise<LiveSocket | undefined> | undefined
}

/** Returns an API elsewhere, for the verbs of the client. `'narrowed'` as the second type says that rules may hide from the caller what was
 *  just written. Nothing is sent yet.
 *  @example const there = connect<typeof schema>('https://example.org/api/', { token: 'secret' })
 *  there.url // → 'https://example.org/api' */
export function connect<S extends Schema = Schema, Whose extends 'narrowed' | undefined = undefined>(
  url: string | URL,
  options: ClientOptions = {},
): Client<S, Whose> {
  const { socket, token, fetch: send, timeoutMs = 60_000, retry = 3, ...others } = options
  refuseOptions(others)
  if (![0, 1, 2, 3].includes(retry)) throw wrongOption('retry', '"retry" is 0, 1, 2 or 3.')
  return {
    url: addressOf(url),
    [connection]: {
      // The global one is looked up late, as tools replace it, and called without an object, as browsers want it.
      fetch: (input, init) => (send ?? fetch)(input, init),
      socket,
      token: tokenSource(token),
      timeoutMs: positive(timeoutMs),
      retry,
    },
  }
}

/** Returns the address of an API without a slash at its end. In a browser, one without a host is of the page's own. */
function addressOf(input: string | URL): string {
  const { location } = globalThis as { readonly location?: { readonly href: string } }
  try {
    const { href } = new URL(input, location?.href)
    // There is no query, no fragment, and no password in it.
    if (/^https?:\/\/[^@/]+\/[^?#]*$/.test(href)) return href.replace(/\/+$/, '')
  } catch {
    // Refused below.
  }
  throw wrongOption('url', 'An address is like https://example.org/api, without a query.')
}
