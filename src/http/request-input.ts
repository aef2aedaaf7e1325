// Input in the body of a request: objects, lists of them, and keys. The called functions check what is in them. And the refusal of input where none is read.
import { type Engine, internalsOf } from '../engine/engine.ts'
import { fault } from '../errors/errors.ts'
import { answerShape } from '../items/read/answer-shape.ts'
import { isKeyLike, mayBeKey, type ShownKey } from '../plan/key.ts'
import type { Collection } from '../schema/model.ts'
import { isRecord } from '../values/guards.ts'
import { noKey } from '../writes/context/named-key.ts'
import { queryOf } from './item-body.ts'
import type { Incoming, RouteFunction } from './messages.ts'

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

/** Refuses parameters that choose what is deleted beside its address or keys. Those that select fields are of the ETag in "If-Match". */
export function refuseChoosing(engine: Engine, incoming: Incoming): void {
  const query = queryOf(incoming, engine)
  if (Object.keys(query).length > 0) answerShape(internalsOf(engine), incoming.collection, { query })
}

/** Refuses whatever chooses what is deleted beside its address: parameters, and a body. */
export async function refuseBesideAddress(engine: Engine, incoming: Incoming): Promise<void> {
  refuseChoosing(engine, incoming)
  const body = (await incoming.body()) ?? {}
  // Some clients send an empty object with everything.
  if (typeof body === 'object' && !Array.isArray(body) && Object.keys(body).length === 0) return
  throw fault('INVALID_PAYLOAD', 'The address names what is deleted, and no body does.', {
    hint: 'Send keys or a query to the address of all items.',
  })
}

/** Returns a function of a route that takes no parameters. */
export const withoutParameters =
  (call: RouteFunction): RouteFunction =>
  async (engine, incoming) => {
    const [name] = new URLSearchParams(incoming.queryString).keys()
    if (name === undefined) return call(engine, incoming)
    throw fault('INVALID_QUERY', 'This path takes no parameters.', { path: [name] })
  }
