// Options of an HTTP handler: authentication, limits and headers.
import type { Access } from '../access/access.ts'
import {
  anything,
  callback,
  checkOptions,
  list,
  type OptionKind,
  optionNames,
  text,
} from '../errors/check-options.ts'
import { fault } from '../errors/errors.ts'
import type { Schema } from '../schema/model.ts'
import { checkMaxRequests } from './admission.ts'
import { type CorsOptions, checkCors } from './cors.ts'
import type { Mount, MountFactory } from './mounts/mount.ts'
import { checkSigned, type SignedOptions } from './signed/signed-options.ts'

/** Options of an HTTP handler: authentication, limits and headers. */
export interface HandlerOptions<S extends Schema = Schema> {
  /** Authenticates a request. Called with its token, or null if there is none; returns the access of the caller, or null for status 401. */
  readonly authenticate: (
    token: string | null,
    request: Request,
  ) => Promise<Access<S> | null> | Access<S> | null
  /** Path prefix of the routes. By default `/`. */
  readonly prefix?: string
  /** Returns the token of a request, for sources besides `Authorization: Bearer …`. */
  readonly token?: (request: Request) => string | null | undefined
  /** Headers that identify a caller, besides `Authorization` and `Cookie`. They become part of `Vary`, so that a cache returns a response
   *  only to requests with the same values. */
  readonly vary?: readonly string[]
  /** Origins whose pages may send forms with a user's credentials, such as cookies, besides the handler's own; `*` for any. */
  readonly trustedOrigins?: readonly string[]
  /** Other origins whose pages may read the responses in a browser. By default none. */
  readonly cors?: CorsOptions | undefined
  /** Maximum size of a body in bytes. By default 1 MiB. */
  readonly bodyLimit?: number
  /** Maximum size of a form with files in bytes. By default one file of the engine's greatest size and 1 MiB. */
  readonly uploadLimit?: number
  /** `Cache-Control` header of files. By default `private, no-cache`, so that a client checks each time whether it still may see them. */
  readonly cacheControl?: string
  /** Maximum number of requests at work at once, by default 500. One beyond that gets status 503 with `Retry-After` at once; exports, groups,
   *  searches and counts are refused first, those for one item by its key last, and bodies that are being read or written do not count. */
  readonly maxRequests?: number
  /** Routes that are answered beside REST, such as `graphql()` of `quernel/graphql`, with the same authentication, below the same
   *  prefix. A function makes the mount for an engine. */
  readonly mounts?: readonly (Mount | MountFactory)[]
  /** Allows `POST /explain`: to all, or to those for whom a function returns true. An explanation discloses the SQL of a query, and the rules of its
   *  caller. By default there is none. */
  readonly explain?: true | ((access: Access<S>, request: Request) => Promise<boolean> | boolean) | undefined
  /** Allows `POST /sign`, which signs addresses of files, assets and lists for what sends no token, such as pictures and downloads. */
  readonly signed?: SignedOptions<S> | undefined
  /** Callback for errors that are not the caller's mistake, and for responses that break off. Without it, they are printed to the
   *  console, once per request. */
  readonly onError?: (error: unknown, request: Request) => void
}

const leave: OptionKind = {
  says: 'is true or a function',
  holds: (input) => input === true || typeof input === 'function',
}

const handlerOptions = optionNames<HandlerOptions>({
  authenticate: callback,
  prefix: text,
  token: callback,
  vary: list,
  trustedOrigins: list,
  cors: anything,
  bodyLimit: anything,
  uploadLimit: anything,
  cacheControl: text,
  maxRequests: anything,
  mounts: list,
  explain: leave,
  signed: anything,
  onError: callback,
})

export function checkHandlerOptions(options: unknown): void {
  checkOptions(options ?? {}, handlerOptions)
  checkCors(Reflect.get(Object(options), 'cors'))
  checkSigned(Reflect.get(Object(options), 'signed'))
  checkMaxRequests(Reflect.get(Object(options), 'maxRequests'))
  requireAuthenticate(options)
}

/** Refuses options without `authenticate`: the caller of a request would be unknown. */
export function requireAuthenticate(options: unknown): void {
  if (Reflect.get(Object(options), 'authenticate') === undefined)
    throw fault('INVALID_OPTIONS', 'A handler needs "authenticate", which identifies the caller.', {
      path: ['authenticate'],
      hint: 'Pass { authenticate: (token) => … } as second argument: it returns an access, such as { admin: true }, or null for status 401.',
    })
}
