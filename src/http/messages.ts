// Request and response as the routes see them, independent of the transport.
import type { Engine } from '../engine/engine.ts'
import { plainFault } from '../errors/code-texts.ts'
import type { Options } from '../execution/database.ts'
import type { OutgoingChunks } from '../storage/outgoing-bytes.ts'

/** A request as it comes from a transport, with its body if a middleware has parsed it already. */
export interface TransportRequest {
  /** Returns the Web Request, always the same. */
  readonly request: () => Request
  /** The part that the handler reads, if it is known without a Web Request. */
  readonly head?: RequestHead | undefined
  readonly parsed?: { readonly body: unknown } | undefined
  /** Bytes of the body, if they are not in the request. */
  readonly bytes?: AsyncIterable<Uint8Array> | undefined
  /** Returns these bytes where all of them have come; undefined otherwise. */
  readonly whole?: (() => Uint8Array | undefined) | undefined
}

export interface RequestWithHead extends TransportRequest {
  readonly head: RequestHead
}

/** Method, URL and headers of a request, with the signal that it is given up. */
export interface RequestHead {
  readonly method: string
  readonly url: string
  /** Returns a header by its name in small letters. */
  readonly header: (name: string) => string | null
  readonly signal: AbortSignal
}

export interface Incoming {
  readonly method: string
  /** Collection that the path names; empty if it names none. */
  readonly collection: string
  /** Key that the path names, in its parts if it has several; empty if it names none. */
  readonly key: string | readonly string[]
  /** Id of a file or version that the path names; empty if it names none. */
  readonly id: string
  /** Name in the path of a file, which its response repeats. */
  readonly filename: string
  /** Path, as the client knows it. */
  readonly path: string
  /** Query string, with or without its question mark. */
  readonly queryString: string
  readonly header: (name: string) => string | undefined
  /** Returns the body as JSON; undefined if there is none. */
  readonly body: () => Promise<unknown>
  /** Returns the body as a stream of bytes. */
  readonly bytes: () => AsyncIterable<Uint8Array>
  /** `Cache-Control` header for the bytes of files. */
  readonly cacheControl: string
  readonly options: Options & { readonly signal: AbortSignal }
  /** Paths of the parts that mounts add to the API, by their names. */
  readonly installed: Readonly<Record<string, string>>
  /** Reports an error that is not the caller's and does not end the answer. */
  readonly report: (error: unknown) => void
}

/** A response, before it is sent. */
export interface Outgoing {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | ReadableStream<Uint8Array> | undefined
}

/** A response whose bytes may come from a storage without a stream, which takes longer to make than a small file to read. */
export interface Reply extends Omit<Outgoing, 'body'> {
  readonly body?: Outgoing['body'] | OutgoingChunks
}

/** A response whose bytes come in chunks. */
export interface ChunkedReply extends Omit<Reply, 'body'> {
  readonly body?: string | OutgoingChunks | undefined
}

/** Function of a route: calls the library for a caller, and returns the response. */
export type RouteFunction = (engine: Engine, incoming: Incoming) => Promise<Reply>

export const jsonType = 'application/json; charset=utf-8'

export const json = (text: string, status = 200, headers: Outgoing['headers'] = {}): Outgoing => ({
  status,
  headers: { 'content-type': jsonType, ...headers },
  body: text,
})

export const empty = (headers: Outgoing['headers'] = {}): Outgoing => ({ status: 204, headers })

/** Returns the `Allow` header for the methods of a path. HEAD is GET without its body. */
export const allowedMethods = (methods: readonly string[]): string =>
  [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')

/** Returns the answer to OPTIONS: the methods of a path. */
export const optionsOf = (methods: object): Outgoing => empty({ allow: allowedMethods(Object.keys(methods)) })

export function functionFor<Answer>(method: string, methods: Readonly<Record<string, Answer>>): Answer {
  const name = method === 'HEAD' ? 'GET' : method
  const found = Object.hasOwn(methods, name) ? methods[name] : undefined
  if (found) return found
  throw plainFault('METHOD_NOT_ALLOWED', {
    extensions: { allowed: allowedMethods(Object.keys(methods)) },
  })
}

/** Returns a lookup of headers as the routes use it: by names of any case. */
export const headerOf =
  ({ header }: RequestHead): Incoming['header'] =>
  (name) =>
    header(name.toLowerCase()) ?? undefined

/** Returns a response with an item, or an empty one if it may not be read. */
export const dataOrEmpty = (data: unknown): Outgoing =>
  data === null || data === undefined ? empty() : json(JSON.stringify({ data }))

/** Returns a response with items, without those that may not be read. */
export const dataList = (data: readonly unknown[]): Outgoing =>
  json(JSON.stringify({ data: data.filter((item) => item !== null) }))

/** Returns a response with items, or an empty one if there are some and none may be read. */
export const dataListOrEmpty = (data: readonly unknown[]): Outgoing =>
  data.length > 0 && data.every((item) => item === null) ? empty() : dataList(data)
