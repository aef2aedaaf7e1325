// Input in the body of a request: objects, lists of them, and keys. The called functions check what is in them.
import { fault } from '../errors/errors.ts'
import { isKeyLike, mayBeKey, type ShownKey } from '../plan/key.ts'
import type { Collection } from '../schema/model.ts'
import { isRecord } from '../values/guards.ts'
import { noKey } from '../writes/named-key.ts'
import type { Incoming } from './messages.ts'

/** Input of a request, which the called function checks. */
export type RequestInput = Readonly<Record<string, unknown>>

/** Reads a body that is an object, or a list of them. */
export async function readInput({ body }: Incoming): Promise<RequestInput | readonly RequestInput[]> {
  const input = await body()
  // JSON that is no list is an object.
  if (typeof input === 'object' && input !== null) return input as RequestInput | readonly RequestInput[]
  throw fault('INVALID_PAYLOAD', 'The body is a JSON object, or a list of them.')
}

/** Reads a body that is a single object. */
export async function readObject(incoming: Incoming): Promise<RequestInput> {
  const input = await readInput(incoming)
  if (isRecord(input)) return input
  throw fault('INVALID_PAYLOAD', 'The body is a JSON object.')
}

export function keysIn(keys: unknown, collection: Collection | undefined): readonly ShownKey[] {
  if (!Array.isArray(keys)) throw fault('INVALID_PAYLOAD', '"keys" takes a list of keys.', { path: ['keys'] })
  const at = keys.findIndex((key) => !(collection ? isKeyLike(collection, key) : mayBeKey(key)))
  if (at < 0) return keys
  throw noKey(keys[at], ['keys', at], collection)
}
