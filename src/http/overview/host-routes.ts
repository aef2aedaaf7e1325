// Paths beside items that the host allows by its options, and the overview that all have.
import type { Engine } from '../../engine/engine.ts'
import type { HandlerOptions } from '../handler-options.ts'
import type { MatchedRoute, Methods } from '../routes.ts'
import { matchRoute } from '../routes.ts'
import { type SigningPlace, signing } from '../signed/signed-address.ts'
import { explaining } from './explain.ts'
import { matchOverview } from './overview.ts'

export interface RouteRequest {
  readonly scoped: Engine
  readonly request: () => Request
  readonly isMounted: (segments: readonly string[]) => boolean
}

export function findRoute(
  segments: readonly string[],
  { scoped, request, isMounted }: RouteRequest,
  { explain, signed }: Pick<HandlerOptions, 'explain' | 'signed'>,
  prefix: readonly string[],
): MatchedRoute | undefined {
  const route = matchRoute(segments, scoped) ?? matchOverview(segments)
  if (route || segments.length !== 1) return route
  if (segments[0] === 'explain' && explain) return beside({ POST: explaining(explain, request) })
  if (segments[0] !== 'sign' || !signed) return undefined
  const place: SigningPlace = { options: signed, prefix }
  const isSignable = (path: readonly string[]) =>
    !isMounted(path) && matchRoute(path, scoped)?.methods.GET !== undefined
  return beside({ POST: signing(place, isSignable, request) })
}

export const beside = (methods: Methods): MatchedRoute => ({
  methods,
  collection: '',
  key: '',
  id: '',
  filename: '',
})
