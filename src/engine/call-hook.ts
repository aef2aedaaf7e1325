// Calls hooks inside the transaction of the change that they handle.
import type { HostDatabase } from '../dialects/host.ts'
import { fault } from '../errors/errors.ts'
import { callHost } from '../execution/deadlock-guard.ts'
import { type Soon, soon } from '../execution/soon.ts'
import type { Engine, EngineInternals } from './engine.ts'
import { type HookEvent, type ItemChange, insideOf } from './events.ts'
import type { Hook, QueuedEvent } from './hooks.ts'
import type { Unit } from './host-units.ts'

/** Calls a hook: without a promise if it returns at once. */
export function callHook(hook: Hook<Engine>, change: ItemChange, engine: EngineInternals): Soon<unknown> {
  const { unit } = engine
  // A copy by "..." takes longer than the hook.
  const { event: name, collection, keys, payload, query, items, user, at } = change
  const own = { event: name, collection, keys, payload, query, items, user, at, [insideOf]: engine }
  // The property is there now.
  const event = Object.defineProperty(own, 'engine', lazily) as object as HookEvent<Engine>
  return soon(
    callHost(engine, () => hook(event), hook),
    (answer) => {
      // Statements that the host ran itself may have failed.
      if (unit && shared.has(unit)) unit.state.markUnverified()
      return answer
    },
  )
}

/** Most hooks do not look at the engine. With a function of its own each event would be of another form to the compiler, which keeps all of them. */
const lazily = {
  get(this: { readonly [insideOf]: EngineInternals }) {
    const { [insideOf]: engine } = this
    if (engine.unit) shared.add(engine.unit)
    return engine.asEngine()
  },
  enumerable: true,
  configurable: true,
}

/** Units of work whose engine a hook has asked for. It may keep it for others. */
const shared = new WeakSet<object>()

/** Runs the hooks before the commit of a unit of work, for its events and for those that the hooks cause themselves. */
export async function runBeforeCommit(db: HostDatabase, unit: Unit): Promise<void> {
  const { depth } = unit
  for (let events = unit.takeUnsettled(); events.length > 0; events = unit.takeUnsettled()) {
    if (unit.depth === maxDepth) throw endless(events[0])
    unit.depth++
    for (const { change, engine } of events)
      for (const hook of engine.hooks.of('beforeCommit', change.event, change.collection))
        await callHook(hook, change, engine.within(db, unit))
    for (const closing of unit.takeClosings()) await closing(db, unit)
  }
  unit.depth = depth
}

const maxDepth = 8

const endless = (last: QueuedEvent<EngineInternals> | undefined) =>
  fault(
    // A flow may depend on what was sent.
    last?.engine.cause ? 'UNPROCESSABLE_CONTENT' : 'INTERNAL_SERVER_ERROR',
    `${last?.engine.cause ? 'Flows' : 'Hooks'} before the commit have caused each other ${maxDepth} times in a row, the last time by ${last?.change.event} of "${last?.change.collection}".`,
    { hint: 'Let the hook write nothing that calls it again, or check first what it is called with.' },
  )
