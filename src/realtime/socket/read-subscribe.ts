// Lists that messages `subscribe` ask for.

import type { EngineInternals } from '../../engine/engine.ts'
import { plainFault } from '../../errors/code-texts.ts'
import { fault, quote } from '../../errors/errors.ts'
import { Problems } from '../../errors/problems.ts'
import { amongKeys } from '../../http/search-query.ts'
import { isNamedKey, keyFromAddress } from '../../plan/key.ts'
import { parseQuery } from '../../query/parse.ts'
import type { ParsedQuery } from '../../query/types.ts'
import type { Collection } from '../../schema/model.ts'
import { isRecord } from '../../values/guards.ts'
import { readMembership } from '../events/live-request.ts'
import type { SocketMessage } from './read-message.ts'

const events = ['create', 'update', 'delete'] as const
/** The event that a subscription may want alone. */
export type SocketEvent = (typeof events)[number]

export interface Subscribe {
  readonly collection: string
  /** The query of the list, without what only frames have. */
  readonly query: Readonly<Record<string, unknown>>
  /** Names of the counts in each frame. */
  readonly meta: readonly string[]
  /** The one event that is reported; undefined for all. */
  readonly event: SocketEvent | undefined
  /** True if it is one item: its frames have an object in the place of a list. */
  readonly isItem: boolean
  /** Set where the messages of a feed are sent as they are. */
  readonly membership: 'page' | 'match' | undefined
  readonly token: string | undefined
  /** Name by which the client knows it: a text in all frames. */
  readonly uid: string | undefined
}

export function readSubscribe({ members, uid }: SocketMessage, engine: EngineInternals): Subscribe {
  const { collection, event, item, query = {}, membership, token } = members
  const problems = new Problems('INVALID_PAYLOAD')
  if (typeof collection !== 'string') problems.add(['collection'], '"collection" is the name of one.')
  if (event !== undefined && !isEvent(event))
    problems.add(['event'], `"event" is one of ${events.join(', ')}, not ${quote(event)}.`)
  if (item !== undefined && typeof item !== 'string' && typeof item !== 'number')
    problems.add(['item'], '"item" is a key: a text or a number.')
  if (!isRecord(query)) problems.add(['query'], '"query" is an object.')
  if (token !== undefined && typeof token !== 'string') problems.add(['token'], '"token" is a text.')
  problems.throwIfAny()
  const parsed = parseQuery(query, { limits: engine.limits, isText: true })
  const { meta = [], ...list } = parsed
  const name = String(collection)
  const found = engine.schema.collections.get(name)
  return {
    collection: name,
    query: item === undefined || !found ? list : queryOfItem(list, String(item), found),
    meta: readCounts(meta),
    event: isEvent(event) ? event : undefined,
    isItem: item !== undefined,
    membership: readMembership(membership),
    token: typeof token === 'string' ? token : undefined,
    uid: uid === undefined ? undefined : String(uid),
  }
}

/** The metadata that a list has without pages. */
const counts: readonly string[] = ['total_count', 'filter_count']

function readCounts(meta: readonly string[]): readonly string[] {
  if (meta.includes('*')) return counts
  const other = meta.find((name) => !counts.includes(name))
  if (other === undefined) return meta
  throw fault('INVALID_QUERY', `Frames have ${counts.join(' and ')}, and no ${quote(other)}.`, {
    path: ['meta'],
  })
}

function queryOfItem(
  { sort: _sort, limit: _limit, offset: _offset, filter, ...query }: ParsedQuery,
  text: string,
  collection: Collection,
): Subscribe['query'] {
  const key = keyFromAddress(collection, text)
  // A text that cannot be a key is the key of no item.
  if (!isNamedKey(collection, key)) throw plainFault('FORBIDDEN')
  const ofKey = amongKeys(collection, [key])
  return { ...query, filter: filter ? { _and: [ofKey, filter] } : ofKey }
}

const isEvent = (input: unknown): input is SocketEvent => events.some((name) => name === input)
