// Paths beside items that the host allows by its options, and the overview that all have.
import { actions } from '../../access/access.ts'
import { visibleActions } from '../../access/visible-actions.ts'
import { actionContext } from '../../engine/action-context.ts'
import { type Engine, internalsOf } from '../../engine/engine.ts'
import type { HandlerOptions } from '../handler-options.ts'
import { type Incoming, json, type RouteFunction } from '../messages.ts'
import { withoutParameters } from '../request-input.ts'
import { type MatchedRoute, type Methods, matchRoute } from '../routes.ts'
import { signing } from '../signed/signed-address.ts'
import { explaining } from './explain.ts'
import { describe } from './schema.ts'

export interface RouteRequest {
  readonly scoped: Engine
  readonly request: () => Request
  readonly isMounted: (segments: readonly string[]) => boolean
}

export function findRoute(
  segments: readonly string[],
  by: RouteRequest,
  options: Allowing,
  prefix: readonly string[],
): MatchedRoute | undefined {
  const route = matchRoute(segments, by.scoped) ?? matchOverview(segments)
  const [name = ''] = segments
  if (route || segments.length !== 1 || !Object.hasOwn(byOption, name)) return route
  // It is one of the names.
  const allowed = byOption[name as HostPath](options, by, prefix)
  return allowed && beside({ POST: withoutParameters(allowed) })
}

/** Paths that an option of the host allows. */
const byOption = {
  explain: ({ explain }, { request }) => explain && explaining(explain, request),
  sign: ({ signed }, { scoped, request, isMounted }, prefix) => {
    const isSignable = (path: readonly string[]) =>
      !isMounted(path) && matchRoute(path, scoped)?.methods.GET !== undefined
    return signed && signing({ options: signed, prefix }, isSignable, request)
  },
} as const satisfies Readonly<Record<string, FindAllowed>>

export type HostPath = keyof typeof byOption

type Allowing = Pick<HandlerOptions, 'explain' | 'signed'>

type FindAllowed = (
  options: Allowing,
  by: RouteRequest,
  prefix: readonly string[],
) => RouteFunction | undefined

export const beside = (methods: Methods): MatchedRoute => ({
  methods,
  collection: '',
  key: '',
  id: '',
  filename: '',
})

/** Returns the route of a path that lists others; undefined for any other path. */
function matchOverview(segments: readonly string[]): MatchedRoute | undefined {
  const [first] = segments
  const isRoot = segments.length === 0 || (segments.length === 1 && first === '')
  const listing = isRoot ? parts : segments.length === 1 ? listings.get(first ?? '') : undefined
  return listing && beside({ GET: listing })
}

const parts = withoutParameters(async (engine, incoming) => {
  const { files, schema } = internalsOf(engine)
  const isVersioned = [...schema.collections.values()].some((collection) => collection.isVersioned)
  const names = ['items', ...(isVersioned ? ['versions'] : []), ...(files ? ['files'] : [])]
  return linking(incoming, (base) => Object.fromEntries(names.map((name) => [name, `${base}/${name}`])))
})

const collections = withoutParameters(async (engine, incoming) =>
  linking(incoming, (base) =>
    visibleTo(engine).map((one) => ({ ...one, href: `${base}/${encodeURIComponent(one.collection)}` })),
  ),
)

/** Returns the collections of a caller, with what they may do there. */
function visibleTo(engine: Engine) {
  const all = [...visibleActions(actionContext(internalsOf(engine))).values()]
  return all.map(({ name, whole, seen, may }) => ({
    collection: name,
    ...(whole.isSingleton && { singleton: true }),
    ...(seen?.note !== undefined && { note: seen.note }),
    actions: actions.filter(may),
  }))
}

const listings: ReadonlyMap<string, RouteFunction> = new Map([
  ['items', collections],
  ['schema', describe],
])

const linking = ({ path }: Incoming, dataOf: (base: string) => unknown) =>
  json(JSON.stringify({ data: dataOf(path.replace(/\/$/, '')) }))
