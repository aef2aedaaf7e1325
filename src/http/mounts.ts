// Mounts: parts of an API beside the routes of REST, such as GraphQL. This folder knows nothing of what they answer.
import type { Engine } from '../engine/engine.ts'
import { fault, quote } from '../errors/errors.ts'
import type { Incoming, Outgoing, RouteFunction } from './messages.ts'
import { isRestPath, type MatchedRoute } from './routes.ts'

/** A part of an API beside the routes of REST. `graphql` of `quernel/graphql` makes one. */
export interface Mount {
  /** Returns the routes over an engine. It is called once, when the handler is created, and refuses there what does not fit the engine. */
  readonly routes: (engine: Engine) => readonly MountRoute[]
}

/** A path of a mount. */
export interface MountRoute {
  /** Path below the prefix of the handler, such as `/graphql`. */
  readonly path: string
  /** Functions by method. HEAD is GET without its body. */
  readonly methods: Readonly<Record<string, MountFunction>>
  /** Answers what holds no data, such as a page, without asking who the caller is. Undefined leaves the request to `methods`. */
  readonly open?: ((request: OpenRequest) => Promise<Outgoing | undefined>) | undefined
}

/** A request of anybody. */
export type OpenRequest = Pick<MountRequest, 'method' | 'path' | 'queryString' | 'header'>

/** Answers a request of a caller who is authenticated. `engine` is narrowed to the caller. */
export type MountFunction = (engine: Engine, request: MountRequest) => Promise<Outgoing>

/** A request to a mount. */
export interface MountRequest
  extends Pick<Incoming, 'method' | 'queryString' | 'header' | 'body' | 'report'> {
  /** Path below the prefix of the handler. */
  readonly path: string
  /** It is aborted when the client disconnects. */
  readonly signal: AbortSignal
}

/** Finds the route of a mount by the segments of a path. */
export type FindMounted = (segments: readonly string[]) => MountedRoute | undefined

/** A route of a mount, as the handler sees it. */
export interface MountedRoute extends MatchedRoute {
  readonly open: ((request: Omit<OpenRequest, 'path'>) => Promise<Outgoing | undefined>) | undefined
}

/** Checks mounts, and returns what finds their routes. A path has one owner: REST or one mount. */
export function mountsOver(engine: Engine, mounts: readonly Mount[]): FindMounted {
  const known = new Map<string, MountedRoute>()
  for (const [index, mount] of mounts.entries())
    for (const { path, methods, open } of routesOf(mount, engine, index)) {
      const segments = path.split('/').filter(Boolean)
      const name = nameOf(segments)
      if (isRestPath(segments) || known.has(name))
        throw fault('INVALID_OPTIONS', `The path ${quote(path)} of a mount is taken.`, {
          path: ['mounts', index],
          hint: 'Give the mount another path.',
        })
      known.set(name, mounted(`/${segments.join('/')}`, { methods, open }))
    }
  return (segments) => (known.size === 0 ? undefined : known.get(nameOf(segments)))
}

function routesOf(mount: unknown, engine: Engine, index: number): readonly MountRoute[] {
  const routes: unknown = Reflect.get(Object(mount), 'routes')
  if (typeof routes !== 'function')
    throw fault('INVALID_OPTIONS', `A mount has "routes", a function, not ${quote(routes)}.`, {
      path: ['mounts', index],
      hint: 'mounts: [graphql()]',
    })
  // A mount is code of the host, whose types are checked where it is written.
  return (mount as Mount).routes(engine)
}

/** A segment may hold a slash that was escaped, which parts nothing. */
const nameOf = (segments: readonly string[]): string => segments.map(encodeURIComponent).join('/')

const mounted = (path: string, { methods, open }: Pick<MountRoute, 'methods' | 'open'>): MountedRoute => ({
  open: open && ((request) => open({ ...request, path })),
  methods: Object.fromEntries(
    Object.entries(methods).map(([method, answer]) => [method, asRoute(path, answer)]),
  ),
  collection: '',
  key: '',
  id: '',
  filename: '',
})

const asRoute =
  (path: string, answer: MountFunction): RouteFunction =>
  (engine, { method, queryString, header, body, report, options: { signal } }) =>
    answer(engine, { path, method, queryString, header, body, report, signal })
