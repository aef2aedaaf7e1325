// Runs that are queued: those that writes trigger, in the transaction of the write, and those that are started by a call.
import type { HostDatabase } from '../../dialects/host.ts'
import type { Engine, EngineInternals } from '../../engine/engine.ts'
import { type HookEvent, insideIn } from '../../engine/events.ts'
import type { Unit } from '../../engine/host-units.ts'
import { fault, isEngineError } from '../../errors/errors.ts'
import { mayBeStored } from '../../execution/transaction/uncertain-commit.ts'
import { pause } from '../../writes/context/retry.ts'
import { callerOf, runStarter } from '../flow-rights.ts'
import type { RunAnswer, StartRequest } from '../outside/starts.ts'
import { causeOf, type FlowCause } from '../run/run-start.ts'
import type { BoundFlow } from '../triggers/bind-triggers.ts'
import { type AuthorLimits, keptTrigger } from '../triggers/trigger-value.ts'
import { DueCounts, queueIsFull } from './due-counts.ts'
import { awaitEnd, runOfRequest } from './find-run.ts'
import { insertRuns, newRun, type RunBeginning } from './new-run.ts'
import { type NewRun, nobody } from './run-row.ts'
import type { RunsContext } from './runs-context.ts'

/** Greatest number of runs for the items of one commit, of one flow. */
const mostEach = 1_000

interface CausingItem {
  readonly happening: HookEvent<Engine>
  readonly key: unknown
  readonly limits: AuthorLimits | undefined
}

/** Items that were written in one unit of work, by the flows that they trigger. */
interface Caused {
  readonly inside: EngineInternals
  readonly cause: FlowCause
  readonly items: Map<BoundFlow, CausingItem[]>
}

/** Maximum number of attempts to store a run, while it is not known whether the last one succeeded. */
const mostAttempts = 5

export class QueuedRuns {
  readonly #context: RunsContext
  readonly #counts: DueCounts
  readonly #caused = new WeakMap<Unit, Caused[]>()

  constructor(context: RunsContext) {
    this.#context = context
    this.#counts = new DueCounts(context.tables, context.report)
  }

  note(bound: BoundFlow, happening: HookEvent<Engine>): void | Promise<void> {
    const inside = insideIn(happening) as EngineInternals // `callHook` put it there
    const cause = causeOf(happening)
    if (cause.active.has(bound.flow.name)) return
    // Limits what one flow can enqueue: one over many items would fill the disk.
    if (cause.depth > 0 && this.#counts.isFull) throw queueIsFull()
    const add = (limits: CausingItem['limits']) => {
      const items = this.#itemsIn(inside, cause, bound)
      // A delete is one event of all items.
      for (const key of happening.keys) items?.push({ happening, key, limits })
    }
    if (!bound.isRow) return add(undefined)
    return this.#context.flowEngine.rights
      .limitsFor(bound, happening, () => inside.asEngine())
      .then((limits) => {
        if (limits !== 'none') add(limits)
      })
  }

  #itemsIn(inside: EngineInternals, cause: FlowCause, bound: BoundFlow): CausingItem[] | undefined {
    const { unit } = inside
    if (!unit) return undefined
    const known = this.#caused.get(unit) ?? []
    if (known.length === 0) {
      this.#caused.set(unit, known)
      unit.addClosing((db, own) => this.#insert(known.splice(0), db, own))
    }
    // Calls of several callers may share a transaction.
    let caused = known.find((one) => one.inside.scope === inside.scope && one.cause === cause)
    if (!caused) {
      caused = { inside, cause, items: new Map() }
      known.push(caused)
    }
    const items = caused.items.get(bound) ?? []
    caused.items.set(bound, items)
    return items
  }

  async #insert(all: readonly Caused[], db: HostDatabase, unit: Unit): Promise<void> {
    const { tables, definitions, news, wake } = this.#context
    const runs = all.flatMap(({ inside, cause, items }) => {
      const origin = { ...originOf(inside), active: [...cause.active] }
      return [...items].flatMap(([bound, some]) =>
        triggersOf(some, inside).map((trigger) =>
          newRun(this.#context, bound, { trigger, origin, depth: cause.depth }),
        ),
      )
    })
    const [first] = all
    if (!first) return
    const flows = all.flatMap(({ items }) => [...items.keys()].map(({ flow }) => flow))
    const inside = tables.within(first.inside.within(db, unit))
    await insertRuns(inside, runs)
    // Its transaction may be the host's, which ends it at any time.
    if (unit.state.isNested) await news.others.wakeBy(inside)
    this.#counts.grow(runs.length)
    const done = async () => {
      // So that later runs need not carry them.
      await definitions.store(flows.filter((flow) => definitions.carried(flow) !== undefined))
      wake()
    }
    unit.addConsequences([{ done }])
  }

  /** Starts a run, or finds the one that its request has started before, and returns how far it comes in time. */
  async start({ bound, trigger, request, ...start }: QueuedStart): Promise<RunAnswer> {
    const before = request && (await this.#startedBefore(request))
    const id = before ?? (await this.#begin({ bound, trigger, request, ...start }))
    const answer = { id, flow: bound.flow.name }
    if (isOnlyStored({ bound, request, ...start })) return { ...answer, state: 'ready', result: null }
    return awaitEnd(this.#context, answer, start)
  }

  async #begin({ bound, trigger: { value }, origin, request }: QueuedStart): Promise<string> {
    if (!(await this.#counts.mayBegin(bound.flow.name))) throw queueIsFull()
    const id = await this.#store(newRun(this.#context, bound, { trigger: value, origin, request }))
    this.#counts.grow(1)
    this.#context.wake()
    return id
  }

  /** Stores a run, and returns its id, or that of the run which another request with its key has started. If the answer is lost, it is stored once
   *  more under the same id: the database refuses that if the first attempt has stored it, and waits for one that is still on its way. */
  async #store(run: NewRun): Promise<string> {
    const { tables } = this.#context
    let doubt: unknown
    for (let attempt = 1; ; attempt++) {
      try {
        await insertRuns(tables, [run])
        return run.id
      } catch (error) {
        doubt ??= mayBeStored(error) ? error : undefined
        const found = await this.#storedAs(run, error, doubt !== undefined)
        if (found !== undefined) return found
        if (doubt === undefined || attempt >= mostAttempts) throw doubt ?? error
      }
      await pause(attempt, undefined)
    }
  }

  /** Returns the id under which a run is stored whose insert has failed; undefined if it is not, or if that
   *  cannot be known. `isDoubtful`: true if an attempt before may have stored it. */
  async #storedAs(run: NewRun, error: unknown, isDoubtful: boolean): Promise<string | undefined> {
    const { tables } = this.#context
    const isThere = isDoubtful && isEngineError(error) && error.code === 'RECORD_NOT_UNIQUE'
    try {
      // Without a key nothing but its id is there already.
      const found = run.request ? await this.#startedBefore(run.request) : isThere ? run.id : undefined
      if (found === run.id) tables.tell('items.create', 'runs', [found])
      return found
    } catch (worse) {
      // The next attempt says whether it is stored.
      if (isDoubtful && !isRefusal(worse)) return undefined
      throw worse
    }
  }

  async #startedBefore({ key, body }: NonNullable<StartRequest['request']>): Promise<string | undefined> {
    const found = await runOfRequest(this.#context.tables, key)
    if (found && found.body !== body)
      throw fault('UNPROCESSABLE_CONTENT', 'This key was sent before, with something else.', {
        hint: 'Send a key of its own with each request, and the same one only with the same body.',
      })
    return found?.id
  }
}

/** True for a start that waits for nothing: its run is stored and ready, and its row is not read again. One of a lane may have to wait for others. */
export const isOnlyStored = ({
  bound: { flow },
  request,
  waitMs,
}: Pick<StartRequest, 'bound' | 'request' | 'waitMs'>): boolean => !request && !flow.lane && waitMs <= 0

const isRefusal = (error: unknown): boolean => isEngineError(error) && error.code === 'UNPROCESSABLE_CONTENT'

export const originOf = ({ scope, asEngine }: EngineInternals) => ({
  caller: scope ? runStarter(callerOf(asEngine())) : nobody,
  isHost: !scope,
})

interface QueuedStart extends Omit<StartRequest, 'caller'> {
  readonly origin: NonNullable<RunBeginning['origin']>
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
