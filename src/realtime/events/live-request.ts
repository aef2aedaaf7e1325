// Requests of a list that stays true, by a URL or by a body.

import { type Engine, internalsOf } from '../../engine/engine.ts'
import { fault, quote } from '../../errors/errors.ts'
import type { MountRequest } from '../../http/mounts/mount.ts'
import { readBrackets } from '../../query/brackets.ts'
import { parseQuery } from '../../query/parse.ts'
import { newReader } from '../../query/reader.ts'
import type { ParsedQuery } from '../../query/types.ts'
import { isRecord } from '../../values/guards.ts'
import type { WatchOptions } from '../watch-items.ts'

/** A list that a request watches. */
export interface LiveRequest {
  readonly collection: string
  readonly query: ParsedQuery
  readonly options: Pick<WatchOptions, 'membership' | 'token'>
}

/** Reads what a GET asks for. */
export function readQueryString(request: MountRequest, engine: Engine): LiveRequest {
  const { queryString } = request
  const { limits } = internalsOf(engine)
  const reader = newReader(limits, true)
  const { membership } = readBrackets(queryString, limits, reader.problems)
  reader.problems.throwIfAny()
  const query = parseQuery(queryString, { limits, allow: ['membership'] })
  return watchedRequest(request, query, membership)
}

/** Reads what a SEARCH asks for: `{ query, membership }`. */
export async function readBody(request: MountRequest, engine: Engine): Promise<LiveRequest> {
  const body = (await request.body()) ?? {}
  if (!isRecord(body)) throw noBody()
  const { query, membership, ...others } = body
  const [other] = Object.keys(others)
  if (other !== undefined) throw noBody([other])
  const { limits } = internalsOf(engine)
  return watchedRequest(request, parseQuery(query, { limits, isText: true }), membership)
}

function watchedRequest(
  { parameters, header }: MountRequest,
  query: ParsedQuery,
  membership: unknown,
): LiveRequest {
  // An empty one is what a browser sends after a reset.
  const token = header('last-event-id') || undefined
  const options = { token, membership: readMembership(membership) }
  return { collection: parameters.collection ?? '', query, options }
}

/** Reads which items are reported; undefined if it is not set. */
export function readMembership(input: unknown): WatchOptions['membership'] {
  if (input === undefined || input === 'page' || input === 'match') return input
  throw fault('INVALID_QUERY', `"membership" is "page" or "match", not ${quote(input)}.`, {
    path: ['membership'],
  })
}

const noBody = (path?: readonly string[]) =>
  fault(
    'INVALID_PAYLOAD',
    'A list is watched by a body { query, membership }, and nothing else.',
    path && { path },
  )
