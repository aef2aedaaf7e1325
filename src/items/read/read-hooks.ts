// Hooks on reads: "before" hooks may change the query or refuse it, and "after" hooks get the items.

import type { EngineInternals } from '../../engine/engine.ts'
import { type ItemChange, insideOf } from '../../engine/events.ts'
import { callHost } from '../../execution/deadlock-guard.ts'
import { attempt } from '../../execution/report-errors.ts'

export interface ReadHooks {
  /** Returns the query after the hooks. */
  readonly before: (query: object | undefined) => Promise<object | undefined>
  readonly after: (query: object | undefined, items: ItemChange['items']) => Promise<void>
}

/** Returns the hooks on reads of a collection. Undefined if there are none, so that most reads pay nothing for them. */
export function readHooks(engine: EngineInternals, collection: string): ReadHooks | undefined {
  const before = engine.hooks.of('before', 'items.read', collection)
  const after = engine.hooks.of('after', 'items.read', collection)
  if (before.length + after.length === 0) return undefined
  const change = readOf(engine, collection)
  const inside = engine.asEngine()
  return {
    before: async (query) => {
      let requested = query
      for (const hook of before) {
        const event = { ...change, [insideOf]: engine, query: requested, engine: inside }
        const answer = await callHost(engine, () => hook(event), hook)
        if (typeof answer === 'object' && answer !== null) requested = answer
        engine.unit?.state.markUnverified()
      }
      return requested
    },
    after: async (query, items) => {
      const done = { ...change, query, items }
      for (const hook of after)
        await attempt(() => callHost(engine, () => hook({ ...done, engine: inside })), done, engine.onError)
      engine.unit?.state.markUnverified()
    },
  }
}

export const readOf = (engine: EngineInternals, collection: string): ItemChange => ({
  event: 'items.read',
  collection,
  keys: [],
  payload: undefined,
  query: undefined,
  items: undefined,
  user: engine.scope?.caller.user,
  at: engine.clock(),
})
