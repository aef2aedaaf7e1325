// Routes of mounts: found by the segments of a path, and asked for their answers. This folder knows nothing of what these are.
import type { Engine } from '../../engine/engine.ts'
import { fault, type Path, quote } from '../../errors/errors.ts'
import { splitUrl } from '../addresses.ts'
import { authenticated } from '../authenticate.ts'
import { withEntityTag } from '../conditional.ts'
import {
  functionFor,
  headerOf,
  type Incoming,
  type Outgoing,
  optionsOf,
  type Reply,
  type RequestWithHead,
} from '../messages.ts'
import { isForeign } from '../origins.ts'
import { isFailedCancel } from '../report-broken-body.ts'
import { keptBody } from '../request-body.ts'
import { isVariable, restPathAt } from '../routes.ts'
import type { MountRequest, MountRoute } from './mount.ts'

export type FindMounted = (segments: readonly string[]) => MountedRoute | undefined

interface MountedRoute
  extends Pick<MountRoute, 'methods' | 'open'>,
    Pick<MountRequest, 'path' | 'parameters'> {}

interface PatternRoute {
  readonly route: MountRoute
  readonly pattern: readonly string[]
  readonly at: Path
}

/** Checks mounts, and returns what finds their routes. A path has one owner: REST or one route of a mount. */
export function findIn(mounts: readonly { readonly routes: readonly MountRoute[] }[]): FindMounted {
  const known: PatternRoute[] = []
  for (const [index, { routes }] of mounts.entries())
    for (const route of routes) {
      const one = { route, pattern: route.path.split('/').filter(Boolean), at: ['mounts', index] }
      refuseTaken(one, known)
      known.push(one)
    }
  return finderOf(known)
}

function refuseTaken(one: PatternRoute, known: readonly PatternRoute[]): void {
  const { route, pattern, at } = one
  const names = pattern.filter(isVariable)
  const wrong = names.find((name, index) => !parameterName.test(name) || names.indexOf(name) < index)
  if (wrong !== undefined)
    throw fault('INVALID_OPTIONS', `${quote(wrong)} in the path ${quote(route.path)} names no parameter.`, {
      path: at,
      hint: 'A segment such as ":name" is a colon and a word, each word once in a path.',
    })
  const other = known.find((other) => isAmbiguous(pattern, other.pattern))?.route.path ?? restPathAt(pattern)
  if (other === undefined) return
  throw fault(
    'INVALID_OPTIONS',
    names.length > 0 || hasRest(pattern)
      ? `The path ${quote(route.path)} of a mount overlaps ${quote(other)}: some requests would match both.`
      : `The path ${quote(route.path)} of a mount is taken.`,
    { path: at, hint: 'Give the mount another path.' },
  )
}

const parameterName = /^:[a-z]\w*$/i

/** True for two patterns that match some path both, of which neither is the more exact one in each segment. */
function isAmbiguous(one: readonly string[], other: readonly string[]): boolean {
  let [isMoreExact, isLessExact] = [false, false]
  for (let index = 0; index < Math.max(one.length, other.length); index++) {
    const [first, second] = [partOf(one, index), partOf(other, index)]
    const [more, less] = [exactness(first), exactness(second)]
    if (first === undefined || second === undefined) {
      // A rest may be empty, and nothing else is.
      if ((first ?? second) !== rest) return false
      if (first === rest) isLessExact = true
      else isMoreExact = true
    } else if (more > less) isMoreExact = true
    else if (more < less) isLessExact = true
    else if (more === 2 && first !== second) return false
  }
  return isMoreExact === isLessExact
}

const rest = '*'

const hasRest = (pattern: readonly string[]): boolean => pattern.at(-1) === rest

const partOf = (pattern: readonly string[], index: number): string | undefined =>
  pattern[index] ?? (hasRest(pattern) ? rest : undefined)

const exactness = (part: string | undefined): number =>
  part === rest ? 0 : part !== undefined && isVariable(part) ? 1 : 2

/** Returns the finder of routes. Of those that match a path each is more exact than the next, so the one with the fewest names is taken; one with a rest is the
 *  less exact one, and among these the shorter. */
function finderOf(known: readonly PatternRoute[]): FindMounted {
  const literal = new Map<string, MountedRoute>()
  const open: PatternRoute[] = []
  for (const one of known) {
    const { route, pattern } = one
    if (pattern.some(isVariable) || hasRest(pattern)) open.push(one)
    else literal.set(nameOf(pattern), mounted(route, `/${pattern.join('/')}`, {}))
  }
  open.sort((one, other) => restsIn(one) - restsIn(other) || namesIn(one) - namesIn(other))
  return (segments) => {
    const found = literal.size > 0 ? literal.get(nameOf(segments)) : undefined
    if (found || open.length === 0) return found
    const matching = open.find(({ pattern }) => isMatch(pattern, segments))
    return matching && mountedAt(matching, segments)
  }
}

/** A segment may hold a slash that was escaped, which parts nothing. */
const nameOf = (segments: readonly string[]): string => segments.map(encodeURIComponent).join('/')

const namesIn = ({ pattern }: PatternRoute): number => pattern.filter(isVariable).length

/** Returns 0 without a rest, and else more for a rest that begins earlier: below 1. */
const restsIn = ({ pattern }: PatternRoute): number => (hasRest(pattern) ? 1 / pattern.length : 0)

function isMatch(pattern: readonly string[], segments: readonly string[]): boolean {
  const isLong = hasRest(pattern) ? segments.length >= pattern.length - 1 : segments.length === pattern.length
  return (
    isLong &&
    pattern.every((part, index) =>
      isVariable(part)
        ? segments[index] !== ''
        : part === segments[index] || (part === rest && hasRest(pattern)),
    )
  )
}

function mountedAt({ route, pattern }: PatternRoute, segments: readonly string[]): MountedRoute {
  const before = hasRest(pattern) ? pattern.length - 1 : pattern.length
  const at = segments.slice(0, before).map((value, index) => [pattern[index] ?? '', value] as const)
  const path = at.map(([part, value]) => (isVariable(part) ? encodeURIComponent(value) : value))
  const named = at.flatMap(([part, value]) => (isVariable(part) ? [[part.slice(1), value] as const] : []))
  const left = segments.slice(before).map(encodeURIComponent)
  const parameters = Object.fromEntries([
    ...named,
    ...(hasRest(pattern) ? [[rest, left.join('/')] as const] : []),
  ])
  return mounted(route, `/${[...path, ...left].join('/')}`, parameters)
}

const mounted = (
  { methods, open }: MountRoute,
  path: string,
  parameters: MountedRoute['parameters'],
): MountedRoute => ({ methods, open, path, parameters })

// Answers of routes.

interface MountCall extends Pick<Incoming, 'report'>, Pick<MountRequest, 'authenticate'> {
  readonly received: RequestWithHead
  readonly engine: Engine
  readonly bodyLimit: number
  /** Segments of the prefix of the handler. */
  readonly prefix: readonly string[]
  /** Origins whose pages may send forms. */
  readonly trusted: readonly string[]
}

/** Returns the public response of a mount if it has one, else its response to the caller. */
export async function replyOfMount(route: MountedRoute, call: MountCall): Promise<Reply> {
  const { engine, received, report } = call
  const request = mountRequest(route, call)
  const open = await route.open?.({ ...request, engine })
  if (open) return withEntityTag(request, sendable(open, report))
  const caller = authenticated(await request.authenticate())
  if (received.head.method === 'OPTIONS') return optionsOf(route.methods)
  const answer = functionFor(received.head.method, route.methods)
  return withEntityTag(request, sendable(await answer(caller, request), report))
}

/** Returns a response as transports send it, with header names in lower case. What no transport can send is an error of the mount; later it
 *  could no longer be reported. */
function sendable({ status, headers, body }: Outgoing, report: MountCall['report']): Outgoing {
  try {
    if (!Number.isInteger(status) || status < 200 || status > 599)
      throw fault(
        'INVALID_OPTIONS',
        `A mount has to respond with a status from 200 to 599, not ${quote(status)}.`,
      )
    return { status, headers: Object.fromEntries(Object.entries(headers).map(sendableHeader)), body }
  } catch (error) {
    // Its source has to end.
    if (typeof body === 'object')
      body.cancel(error).catch((failure: unknown) => {
        if (isFailedCancel(failure, error)) report(failure)
      })
    throw error
  }
}

function sendableHeader([name, value]: readonly [string, string]): [string, string] {
  if (headerName.test(name) && headerValue.test(value)) return [name.toLowerCase(), value]
  throw fault('INVALID_OPTIONS', `A mount responded with a header ${quote(name)} that cannot be sent.`, {
    hint: 'Encode what is not Latin-1, and leave out line breaks.',
  })
}

const headerName = /^[\w!#$%&'*+.^`|~-]+$/
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/

/** Returns a request as mounts see it. Its body is read on demand. */
function mountRequest(
  { path, parameters }: MountedRoute,
  { received, bodyLimit, report, authenticate, prefix, trusted }: MountCall,
): MountRequest {
  const { head } = received
  const { method, url, signal } = head
  const { body, bytes } = keptBody(received, head, bodyLimit)
  return {
    ...{ method, path, parameters, queryString: splitUrl(url).search, header: headerOf(head) },
    prefix: prefix.map((part) => `/${encodeURIComponent(part)}`).join(''),
    isForeign: () => isForeign(head, trusted),
    ...{ body, bytes, signal, report, authenticate },
  }
}
