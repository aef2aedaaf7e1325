// Reads that handlers are asked about, and told of.

import type { Engine } from '../engine.ts'
import type { Change } from '../hooks.ts'
import { attempt } from '../run/attempt.ts'
import type { Soon } from '../run/soon.ts'

/** Reads, and lets handlers change the query or refuse before, and see the items after. Without handlers it costs nothing. */
export function heard<Result>(
  engine: Engine,
  collection: string,
  query: object | undefined,
  read: (query: object | undefined) => Soon<Result>,
  itemsOf: (result: Result) => Change['items'],
): Soon<Result> {
  const before = engine.hooks.of('before', 'items.read', collection)
  const after = engine.hooks.of('after', 'items.read', collection)
  return before.length + after.length === 0 ? read(query) : readHeard()

  async function readHeard(): Promise<Result> {
    const change = readOf(engine, collection)
    let asked = query
    for (const handler of before) {
      const answer = await handler({ ...change, query: asked, engine })
      if (typeof answer === 'object' && answer !== null) asked = answer
      engine.unit?.course.doubt()
    }
    const result = await read(asked)
    const done = { ...change, query: asked, items: itemsOf(result) }
    for (const handler of after) await attempt(() => handler({ ...done, engine }), done, engine.onError)
    engine.unit?.course.doubt()
    return result
  }
}

const readOf = (engine: Engine, collection: string): Change => ({
  event: 'items.read',
  collection,
  keys: [],
  payload: undefined,
  query: undefined,
  items: undefined,
  user: engine.narrowing?.caller.user,
  at: engine.clock(),
})
