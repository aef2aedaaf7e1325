// Mounts as a host writes them: parts of an API beside the routes of REST, such as GraphQL.
import type { Engine } from '../../engine/engine.ts'
import type { Incoming, Outgoing } from '../messages.ts'
import type { OpenApiBody, OpenApiOperation, OpenApiParameter, OpenApiResponse } from '../openapi/document.ts'

/** A part of an API beside the routes of REST. `graphql` of `quernel/graphql` makes one. */
export interface Mount {
  /** Returns the routes over an engine. It is called once for an engine, when a handler over it is created or it is described, and refuses there
   *  what does not fit the engine. */
  readonly routes: (engine: Engine) => readonly MountRoute[]
  /** Engine of a mount that is made for one. A handler over another engine refuses the mount. */
  readonly engine?: Engine | undefined
  /** Begins what the mount does beside requests, such as listening to a queue. `handler.start()` calls it, and rejects with what it throws. */
  readonly start?: ((engine: Engine) => Promise<void> | void) | undefined
  /** Ends what the mount does beside requests. `handler.stop()` calls it when answers are written and streams ended; not before `start`, if
   *  there is one. */
  readonly stop?: ((engine: Engine) => Promise<void> | void) | undefined
}

/** Makes a mount for an engine, once for each. */
export type MountFactory = (engine: Engine) => Mount

/** A path of a mount. */
export interface MountRoute {
  /** Path below the prefix of the handler, such as `/graphql` or `/flows/trigger/:name`. A segment `:name` is any one segment, which the
   *  request has in `parameters`. `/explorer/*` is that path and all below it; `parameters['*']` is the rest, such as `a/b.js`, with each segment
   *  encoded. */
  readonly path: string
  /** Functions by method. HEAD is GET without its body. */
  readonly methods: Readonly<Record<string, MountFunction>>
  /** The name under which `GET /schema` lists the path, for clients that look for it. */
  readonly part?: string | undefined
  /** Answers without asking who the caller is, such as a page without data, or a webhook that is signed. Undefined leaves the request to
   *  `methods`. */
  readonly open?: ((request: OpenRequest) => Promise<Outgoing | undefined>) | undefined
  /** Descriptions by method, for the OpenAPI document. What is not described is not listed there. */
  readonly operations?: Readonly<Record<string, MountOperation>> | undefined
}

/** Description of a method of a mount. Parameters of the path and error responses are added. */
export interface MountOperation extends Pick<OpenApiOperation, 'summary' | 'description'> {
  /** By default the method and the path: `get_live_by_collection`. */
  readonly operationId?: string
  readonly tags?: readonly string[]
  /** Parameters of the query string, and headers. */
  readonly parameters?: readonly OpenApiParameter[]
  readonly requestBody?: OpenApiBody
  /** Responses by status. By default 200 alone. */
  readonly responses?: Readonly<Record<string, OpenApiResponse>>
}

/** Answers a request of a caller who is authenticated. `engine` is narrowed to the caller. */
export type MountFunction = (engine: Engine, request: MountRequest) => Promise<Outgoing>

/** A request to a mount. */
export interface MountRequest extends Pick<Incoming, 'method' | 'queryString' | 'header' | 'report'> {
  /** Path below the prefix of the handler. */
  readonly path: string
  /** Prefix of the handler, such as `/api`; empty if there is none. With a path behind it, it is an address. */
  readonly prefix: string
  /** True if a page of another origin may have sent it with the cookies of its user: what is done then, that user need not want. Forms are refused
   *  before, so this is for what a GET does. */
  readonly isForeign: () => boolean
  /** Segments of the path by the names of its route, each decoded once: `/flows/%2F` of `/flows/:id` has the id `/`. */
  readonly parameters: Readonly<Record<string, string>>
  /** It is aborted when the client disconnects. */
  readonly signal: AbortSignal
  /** Returns the body as JSON; undefined if there is none. It may be called again. */
  readonly body: () => Promise<unknown>
  /** Returns the bytes of the body, such as those that a signature is made of. It may be called before `body`, after it, and again. */
  readonly bytes: () => Promise<Uint8Array>
  /** Asks `authenticate` of the handler again: returns the engine of the caller, or null if there is none by now. */
  readonly authenticate: () => Promise<Engine | null>
}

/** A request that is not authenticated. */
export interface OpenRequest extends MountRequest {
  /** Engine of the host, which no rule narrows. */
  readonly engine: Engine
}
