// A request and a response as the routes see them, whatever carries them.
import type { Options } from '../execution/database.ts'

export interface Incoming {
  readonly method: string
  /** The path below the prefix, in parts that were decoded once. */
  readonly segments: readonly string[]
  /** The query string, with or without its question mark. */
  readonly search: string
  readonly header: (name: string) => string | undefined
  /** The body as JSON; undefined when there is none. */
  readonly body: () => Promise<unknown>
  /** The body as bytes, as they come. */
  readonly bytes: () => AsyncIterable<Uint8Array>
  /** How long the bytes of files may be kept, and by whom. */
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

/** An item, or nothing where it may not be read. */
export const dataOrEmpty = (data: unknown): Outgoing =>
  data === null || data === undefined ? empty() : json(JSON.stringify({ data }))
