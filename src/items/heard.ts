// Reads that handlers are asked about, and told of.
import type { Engine } from '../engine.ts'
import { attempt, type Change } from '../hooks.ts'

/** Reads, and lets handlers change the query or refuse before, and see the items after. Without handlers it costs nothing. */
export function heard<Result>(
  engine: Engine,
  collection: string,
  query: object | undefined,
  read: (query: object | undefined) => Promise<Result>,
  itemsOf: (result: Result) => Change['items'],
): Promise<Result> {
  const { hooks } = engine
  const isHeard =
    hooks.of('before', 'items.read', collection).length > 0 ||
    hooks.of('after', 'items.read', collection).length > 0
  return isHeard ? readHeard(engine, collection, query, read, itemsOf) : read(query)
}

async function readHeard<Result>(
  engine: Engine,
  collection: string,
  query: object | undefined,
  read: (query: object | undefined) => Promise<Result>,
  itemsOf: (result: Result) => Change['items'],
): Promise<Result> {
  const asked = await askedQuery(engine, collection, query)
  const result = await read(asked)
  const change = { ...readOf(engine, collection, asked), items: itemsOf(result) }
  for (const handler of engine.hooks.of('after', 'items.read', collection))
    await attempt(() => handler({ ...change, engine }), change, engine.onError)
  return result
}

/** The query as the handlers leave it. */
export async function askedQuery(
  engine: Engine,
  collection: string,
  query: object | undefined,
): Promise<object | undefined> {
  let asked = query
  for (const handler of engine.hooks.of('before', 'items.read', collection)) {
    const answer = await handler({ ...readOf(engine, collection, asked), engine })
    if (typeof answer === 'object' && answer !== null) asked = answer
  }
  return asked
}

const readOf = (engine: Engine, collection: string, query: object | undefined): Change => ({
  event: 'items.read',
  collection,
  keys: [],
  payload: undefined,
  query,
  items: undefined,
  user: undefined,
  at: engine.clock(),
})
