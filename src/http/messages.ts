// Request and response as the routes see them, independent of the transport.
import type { Options } from '../execution/database.ts'

export interface Incoming {
  readonly method: string
  /** Segments of the path below the prefix, each decoded once. */
  readonly segments: readonly string[]
  /** Query string, with or without its question mark. */
  readonly search: string
  readonly header: (name: string) => string | undefined
  /** Returns the body as JSON; undefined if there is none. */
  readonly body: () => Promise<unknown>
  /** Returns the body as a stream of bytes. */
  readonly bytes: () => AsyncIterable<Uint8Array>
  /** `Cache-Control` header for the bytes of files. */
  readonly cacheControl: string
  readonly options: Options
}

export interface Outgoing {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | ReadableStream<Uint8Array> | undefined
}

export const jsonType = 'application/json; charset=utf-8'

export const json = (text: string, status = 200, headers: Outgoing['headers'] = {}): Outgoing => ({
  status,
  headers: { 'content-type': jsonType, ...headers },
  body: text,
})

export const empty = (headers: Outgoing['headers'] = {}): Outgoing => ({ status: 204, headers })

/** Returns a response with an item, or an empty one if it may not be read. */
export const dataOrEmpty = (data: unknown): Outgoing =>
  data === null || data === undefined ? empty() : json(JSON.stringify({ data }))
