// Runs that are caused by what is written: one for each item, in the transaction of its cause.
import type { HostDatabase } from '../../dialects/host.ts'
import type { Engine, EngineInternals } from '../../engine/engine.ts'
import { type HookEvent, insideIn } from '../../engine/events.ts'
import type { Unit } from '../../engine/host-units.ts'
import type { FlowRights } from '../flow-rights.ts'
import { type FlowCause, noCause, RunningCause } from '../run/run-start.ts'
import type { BoundFlow } from '../triggers/bind-triggers.ts'
import { type AuthorLimits, keptTrigger } from '../triggers/trigger-value.ts'
import { type DueCounts, queueIsFull } from './due-counts.ts'
import { insertRuns } from './insert-runs.ts'
import type { NewRuns } from './new-runs.ts'
import type { RunTables } from './run-tables.ts'

/** Greatest number of runs for the items of one commit, of one flow. */
const mostEach = 1_000

/** An item that causes a run. */
interface CausingItem {
  readonly happening: HookEvent<Engine>
  readonly key: unknown
  readonly limits: AuthorLimits | undefined
}

/** Items that were written in one unit of work, by the flows that hear of them. */
interface Caused {
  readonly inside: EngineInternals
  readonly cause: FlowCause
  readonly items: Map<BoundFlow, CausingItem[]>
}

export class CausedRuns {
  readonly #tables: RunTables
  readonly #new: NewRuns
  readonly #rights: FlowRights
  readonly #counts: DueCounts
  readonly #wake: () => void
  readonly #caused = new WeakMap<Unit, Caused[]>()

  constructor(
    tables: RunTables,
    {
      newRuns,
      rights,
      counts,
      wake,
    }: {
      readonly newRuns: NewRuns
      readonly rights: FlowRights
      readonly counts: DueCounts
      readonly wake: () => void
    },
  ) {
    this.#tables = tables
    this.#new = newRuns
    this.#rights = rights
    this.#counts = counts
    this.#wake = wake
  }

  /** Notes an event for a flow. */
  note(bound: BoundFlow, happening: HookEvent<Engine>): void | Promise<void> {
    const inside = insideIn(happening) as EngineInternals // `callHook` put it there
    const cause = inside.cause instanceof RunningCause ? inside.cause : noCause
    if (cause.active.has(bound.flow.name)) return
    // A flow over many items would fill the disk with what it starts.
    if (cause.depth > 0 && this.#counts.isFull) throw queueIsFull()
    if (!bound.isRow) return this.#add(bound, happening, { inside, cause, limits: undefined })
    return this.#rights
      .limitsFor(bound, happening, () => inside.asEngine())
      .then((limits) => {
        if (limits !== 'none') this.#add(bound, happening, { inside, cause, limits })
      })
  }

  #add(
    bound: BoundFlow,
    happening: HookEvent<Engine>,
    { inside, cause, limits }: Pick<Caused, 'inside' | 'cause'> & Pick<CausingItem, 'limits'>,
  ): void {
    const { unit } = inside
    if (!unit) return
    const caused = this.#causedIn(unit, inside, cause)
    const items = caused.items.get(bound) ?? []
    // A delete is one event of all items.
    for (const key of happening.keys) items.push({ happening, key, limits })
    caused.items.set(bound, items)
  }

  #causedIn(unit: Unit, inside: EngineInternals, cause: FlowCause): Caused {
    const known = this.#caused.get(unit) ?? []
    // Calls of several callers may share a transaction.
    const same = known.find((one) => one.inside.scope === inside.scope && one.cause === cause)
    if (same) return same
    const caused: Caused = { inside, cause, items: new Map() }
    if (known.length === 0) {
      this.#caused.set(unit, known)
      unit.addClosing((db, own) => this.#insert(known.splice(0), db, own))
    }
    known.push(caused)
    return caused
  }

  async #insert(all: readonly Caused[], db: HostDatabase, unit: Unit): Promise<void> {
    const runs = all.flatMap(({ inside, cause, items }) =>
      [...items].flatMap(([bound, some]) =>
        triggersOf(some, inside).map((trigger) =>
          this.#new.of(bound, {
            trigger,
            origin: this.#new.originOf(bound, inside, cause),
            depth: cause.depth,
          }),
        ),
      ),
    )
    const [first] = all
    if (!first) return
    const flows = all.flatMap(({ items }) => [...items.keys()])
    await insertRuns(this.#tables, runs, first.inside.within(db, unit))
    this.#counts.grow(runs.length)
    const done = async () => {
      await this.#new.store(flows)
      this.#wake()
    }
    unit.addConsequences([{ done }])
  }
}

/** Returns `$trigger` of each run: one for each item, or for each portion of very many. */
function triggersOf(items: readonly CausingItem[], inside: EngineInternals): readonly unknown[] {
  // An engine of own collections is made for those alone: it takes longer than all else.
  const collectionOf = ({ collection: name }: HookEvent<Engine>) =>
    inside.whole().schema.collections.get(name) ?? inside.whole().withOwn().schema.collections.get(name)
  if (items.length <= mostEach)
    return items.map(({ happening, key, limits }) =>
      keptTrigger({ ...happening, keys: [key] as HookEvent['keys'] }, collectionOf(happening), limits),
    )
  const portions: { readonly event: string; readonly collection: string; readonly keys: unknown[] }[] = []
  for (const { happening, key, limits } of items) {
    const { event, collection } = happening
    if (limits?.isKeySeen === false) continue
    const last = portions.at(-1)
    if (last && last.event === event && last.collection === collection && last.keys.length < mostEach)
      last.keys.push(key)
    else portions.push({ event, collection, keys: [key] })
  }
  return portions.map(({ event, collection, keys }) => ({
    event: `${collection}.${event}`,
    collection,
    payload: {},
    key: null,
    keys,
  }))
}
