// Conditional requests: responses that the client has already, and writes that require the version that the client has read.

import type { RowUse } from '../dialects/phrase-types.ts'
import { type Engine, internalsOf } from '../engine/engine.ts'
import { plainFault } from '../errors/code-texts.ts'
import { fault, quote } from '../errors/errors.ts'
import type { Key } from '../plan/key.ts'
import { rootCollection } from '../plan/resolve-name.ts'
import { type Collection, isRowNumber } from '../schema/model.ts'
import { createHash } from '../values/from-node.ts'
import { newWriteContext, type WriteContext } from '../writes/context/write-context.ts'
import { lockVisible } from '../writes/stored/lock-rows.ts'
import type { Incoming, Outgoing, Reply } from './messages.ts'
import { inOneTransaction } from './one-transaction.ts'

/** Returns a weak entity tag, because a transport may still compress the body. */
export const etagOf = (text: string): string => `W/"${createHash('sha1').update(text).digest('base64url')}"`

/** Adds the entity tag of a response that has none of its own, and leaves its body out if the client has it. */
export function withEntityTag(
  { method, header }: Pick<Incoming, 'method' | 'header'>,
  outgoing: Reply,
): Reply {
  const isRead = method === 'GET' || method === 'HEAD' || method === 'SEARCH'
  if (!isRead || outgoing.status !== 200 || typeof outgoing.body !== 'string') return outgoing
  const headers = { etag: etagOf(outgoing.body), ...outgoing.headers }
  if (!hasTag(header('if-none-match'), headers.etag)) return { ...outgoing, headers }
  return { status: 304, headers: kept(headers) }
}

/** Returns the headers that a cache takes from a response without its body: what it stores by. */
function kept(headers: Outgoing['headers'] & { readonly etag: string }): Outgoing['headers'] {
  const { etag, vary, 'cache-control': cacheControl } = headers
  return {
    etag,
    ...(vary !== undefined && { vary }),
    ...(cacheControl !== undefined && { 'cache-control': cacheControl }),
  }
}

/** True if a list of tags contains one, or any. Weak and strong tags of the same text are equal here. */
export function hasTag(list: string | undefined, etag: string): boolean {
  if (list === undefined) return false
  // The asterisk counts only alone. In a list it is part of a tag, which may contain commas.
  if (list.trim() === '*') return true
  return list.split(',').some((one) => withoutWeak(one.trim()) === withoutWeak(etag))
}

const withoutWeak = (etag: string): string => etag.replace(/^W\//, '')

/** Target of a conditional write: its item, and its current representation. */
export interface ConditionalTarget {
  readonly findKey: (collection: Collection, writing: WriteContext) => Promise<Key | undefined>
  readonly read: (inside: Engine) => Promise<string>
  readonly use: RowUse
}

/** Refuses a write that names items by the numbers of their rows alone, which the database may have given to others. */
export function refuseRowNumbers(engine: Engine, collection: string): void {
  if (!isRowNumber(engine.schema.collections.get(collection)?.key)) return
  const says = `Items of ${quote(collection)} have no keys but their row numbers, which may change.`
  const hint = 'Read the item, and send its ETag as "If-Match" with a PATCH or DELETE of this item alone.'
  throw fault('PRECONDITION_REQUIRED', says, { hint })
}

/** Runs a write to an item, if the item is still the one that the client has read. */
export async function ifMatch(
  engine: Engine,
  { collection, header, options }: Incoming,
  { findKey, read, use }: ConditionalTarget,
  work: (inside: Engine) => Promise<Outgoing>,
): Promise<Outgoing> {
  const wanted = header('if-match')
  if (wanted === undefined) return work(engine)
  return inOneTransaction(engine, options, async (inside) => {
    rootCollection(inside.schema, collection)
    const core = internalsOf(inside)
    const whole = rootCollection(core.whole().schema, collection)
    const writing = newWriteContext(core, options)
    const key = await findKey(whole, writing)
    // Without the lock two clients with the same version would both pass. A caller never waits for a row that is hidden from them.
    if (key !== undefined) await lockVisible(whole, { keys: [key], use }, writing)
    await requireMatch(wanted, () => read(inside))
    return work(inside)
  })
}

/** Refuses a write to what is not as the client has read it. */
export async function requireMatch(wanted: string, read: () => Promise<string>): Promise<void> {
  const etag = etagOf(await read())
  if (!hasTag(wanted, etag)) throw plainFault('PRECONDITION_FAILED', { extensions: { etag } })
}

/** Refuses a condition that a write cannot keep: it must not be ignored. */
export function refuseIfMatch({ method, header }: Pick<Incoming, 'method' | 'header'>): void {
  if (header('if-match') === undefined || /^(GET|HEAD|SEARCH)$/.test(method)) return
  throw fault('INVALID_QUERY', '"If-Match" has no meaning here: it is for changes of one item alone.', {
    hint: 'Send it with PATCH or DELETE to the address that was read.',
  })
}
