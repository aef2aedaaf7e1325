// Answers that the client has already, and changes of what it has not seen.
import { createHash } from 'node:crypto'
import type { Engine } from '../engine/engine.ts'
import { fault } from '../errors/errors.ts'
import { rootCollection } from '../plan/resolve-name.ts'
import type { Storable } from '../plan/stored-value.ts'
import type { Collection } from '../schema/model.ts'
import { lockRows } from '../writes/lock-rows.ts'
import { newWriteContext, type WriteContext } from '../writes/write-context.ts'
import type { Incoming, Outgoing } from './messages.ts'

/** Weak, because a transport may still compress it. */
export const etagOf = (text: string): string => `W/"${createHash('sha1').update(text).digest('base64url')}"`

/** Tells what an answer is known by, and leaves its body out where the client has it. */
export function conditional({ method, header }: Incoming, answer: Outgoing): Outgoing {
  const isRead = method === 'GET' || method === 'HEAD' || method === 'SEARCH'
  if (!isRead || answer.status !== 200 || typeof answer.body !== 'string') return answer
  const etag = etagOf(answer.body)
  if (names(header('if-none-match'), etag)) return { status: 304, headers: { etag } }
  return { ...answer, headers: { ...answer.headers, etag } }
}

/** Whether a list of tags names one, or any. Weak and strong tags of the same text are the same here. */
export function names(list: string | undefined, etag: string): boolean {
  if (list === undefined) return false
  // It stands alone. In a list it is a part of somebody's tag, which may hold commas.
  if (list.trim() === '*') return true
  return list.split(',').some((one) => plain(one.trim()) === plain(etag))
}

const plain = (etag: string): string => etag.replace(/^W\//, '')

/** What a change is about: where it is, and how it would be answered now. */
export interface ConditionalTarget {
  readonly collection: string
  readonly keyIn: (collection: Collection, writing: WriteContext) => Promise<Storable | undefined>
  readonly text: (inside: Engine) => Promise<string>
}

/** Does something to an item, if it is still the one that the client has seen. */
export async function matching(
  engine: Engine,
  { header, options }: Incoming,
  { collection, keyIn, text }: ConditionalTarget,
  work: (inside: Engine) => Promise<Outgoing>,
): Promise<Outgoing> {
  const wanted = header('if-match')
  if (wanted === undefined) return work(engine)
  return engine.transaction(async (inside) => {
    rootCollection(inside.schema, collection)
    const whole = rootCollection(inside.whole().schema, collection)
    const writing = newWriteContext(inside, options)
    const key = await keyIn(whole, writing)
    // Two who have seen the same would both find it so.
    if (key !== undefined) await lockRows(whole, [key], writing)
    const etag = etagOf(await text(inside))
    if (!names(wanted, etag)) throw fault('PRECONDITION_FAILED', undefined, { extensions: { etag } })
    return work(inside)
  }, options)
}
