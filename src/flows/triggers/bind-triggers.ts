// Binds flows to the hooks of an engine: one hook for each event of a collection, however many flows it triggers.
import type { Engine } from '../../engine/engine.ts'
import type { HookEvent } from '../../engine/events.ts'
import type { Hook } from '../../engine/hooks.ts'
import type { CompiledFlow } from '../check/compiled.ts'

/** A flow of a set, with the author of its row. */
export interface BoundFlow {
  readonly flow: CompiledFlow
  readonly author: string | number | undefined
  /** True for a row of a collection, which users edit. */
  readonly isRow: boolean
  readonly collection?: string | undefined
}

/** Runs a flow for an event, and returns what replaces the payload; undefined if nothing does. */
type RunBound = (
  bound: BoundFlow,
  happening: HookEvent<Engine>,
  payload: object | undefined,
) => Promise<object | undefined>

/** Notes an event for a flow that runs after it. */
type NoteCaused = (bound: BoundFlow, happening: HookEvent<Engine>) => void | Promise<void>

export function bindTriggers(
  engine: Engine,
  flows: readonly BoundFlow[],
  run: RunBound,
  note: NoteCaused,
): () => void {
  const places = new Map<string, BoundFlow[]>()
  const removals: (() => void)[] = []
  for (const bound of flows) {
    const { trigger } = bound.flow
    if (trigger.on !== 'items') continue
    const { events, collections, when } = trigger
    for (const event of events)
      for (const collection of collections) {
        const place = JSON.stringify([event, collection, when])
        const known = places.get(place)
        if (known) {
          known.push(bound)
          continue
        }
        const all = [bound]
        places.set(place, all)
        const hook: Hook<Engine> = (happening) =>
          when === 'after' ? noteAll(all, happening, note) : runAll(all, happening, run)
        // The rows of the runs are stored with what has caused them.
        removals.push(engine.on(event, collection, hook, { when: when === 'after' ? 'beforeCommit' : when }))
      }
  }
  return () => {
    for (const remove of removals) remove()
  }
}

/** Notes an event for all flows that run after it. Most need nothing that has to be waited for. */
function noteAll(
  flows: readonly BoundFlow[],
  happening: HookEvent<Engine>,
  note: NoteCaused,
): void | Promise<void> {
  const waiting = flows.flatMap((bound) => note(bound, happening) ?? [])
  return waiting.length === 0 ? undefined : Promise.all(waiting).then(() => undefined)
}

/** Runs the flows of an event one after the other: each gets the payload that the one before has left. */
async function runAll(
  flows: readonly BoundFlow[],
  happening: HookEvent<Engine>,
  run: RunBound,
): Promise<object | undefined> {
  let replaced: object | undefined
  for (const bound of flows) {
    const payload = replaced ?? (happening.event === 'items.read' ? happening.query : happening.payload)
    replaced = (await run(bound, happening, payload)) ?? replaced
  }
  return replaced
}
