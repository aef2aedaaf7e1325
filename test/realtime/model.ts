// Random subscribers of a feed beside random writes: whenever it is quiet, each of them holds what a list answers, and each message is a state
// that there was, not older than the one before.
import { isDeepStrictEqual } from 'node:util'
import type { Access, Engine } from '../../src/index.ts'
import { listItems } from '../../src/index.ts'
import { withoutShortcuts } from '../../src/realtime/feed/feed-options.ts'
import {
  changeLogSource,
  createFeed,
  type Feed,
  type FeedMessage,
  installChangeLog,
  localSource,
  removeChangeLog,
  watchItems,
} from '../../src/realtime.ts'
import { type DrawnCaller, randomCaller } from '../access/caller.ts'
import { randomQuestion } from '../access/dataset-pairs.ts'
import { removed } from '../access/removed.ts'
import { engineOn, outcomeOf } from '../access/requests.ts'
import { fieldNames, typeOf, type World } from '../oracle/dataset.ts'
import type { Random } from '../property/seeded-random.ts'
import type { OpenDatabase } from '../support/databases.ts'
import { type Counts, count } from './counted.ts'
import { DrawnWrites, isHuge, withJudgedFilter } from './drawn.ts'
import { Replica } from './replica.ts'

type Membership = 'page' | 'match'

interface Watched {
  readonly collection: string
  readonly query: Readonly<Record<string, unknown>>
  readonly membership: Membership
}

/** One run: a world, its feed, its subscribers and its writes. */
export interface Run {
  readonly random: Random
  readonly world: World
  readonly db: OpenDatabase['db']
  readonly counts: Counts
  readonly steps: number
}

/** Returns what went wrong; undefined if nothing did. */
export async function modelRun({ random, world, db, counts, steps }: Run): Promise<string | undefined> {
  const engine = engineOn(db, world)
  const isLogged = random.chance(0.3) && (await isInLog(engine))
  // Of another engine a local source hears nothing, as if it were another process.
  const writer = isLogged && random.chance(0.7) ? engineOn(db, world) : engine
  if (isLogged) count(counts, writer === engine ? 'logged' : 'logged of others')
  const errors: unknown[] = []
  const pending = random.one([2, 1_000])
  const feed = createFeed(engine, {
    source: isLogged ? changeLogSource({ everyMs: 10 }) : localSource(),
    settleMs: random.one([0, 1, 3]),
    limits: { pending },
    ...(random.chance(0.3) && { [withoutShortcuts]: true }),
    onError: (error) => errors.push(error),
  })
  const writes = new DrawnWrites(random, world, counts)
  const subscribers: Subscriber[] = []
  try {
    for (let tries = 0; tries < 15 && subscribers.length < 6; tries++) {
      const begun = await subscribe({ random, world, engine, feed, counts, mayBeBehind: pending === 2 })
      if (typeof begun === 'string') return begun
      if (begun) subscribers.push(begun)
    }
    for (const subscriber of subscribers) await subscriber.note()
    for (let step = 0; step < steps; step++) {
      await writes.write(writer)
      for (const subscriber of subscribers) await subscriber.note()
      if (random.chance(0.3)) for (const subscriber of subscribers) subscriber.pauseOrContinue(random)
      if (random.chance(0.1) && subscribers.length > 0) await random.one(subscribers).comeBack(random)
      if (random.chance(0.1) && subscribers.length > 0) {
        const { access } = drawnCaller(random, world)
        await random.one(subscribers).become(access)
      }
      if (step < steps - 1 && random.chance(0.6)) continue
      for (const subscriber of subscribers) subscriber.continue()
      for (const subscriber of subscribers) {
        const wrong = await subscriber.wrong()
        if (wrong) return wrong
      }
      count(counts, 'quiet points', subscribers.length)
    }
    return errors.length > 0 ? `onError: ${String(errors[0])}` : undefined
  } finally {
    await feed.stop()
    for (const subscriber of subscribers) await subscriber.over
    if (isLogged) await removeChangeLog(engine)
  }
}

async function isInLog(engine: Engine): Promise<boolean> {
  const collections = [...engine.schema.collections.values()]
  if (!collections.every(({ key }) => key)) return false
  await installChangeLog(
    engine,
    collections.map(({ name }) => name),
    { keep: { rows: 1_000 } },
  )
  return true
}

interface Subscribing {
  readonly random: Random
  readonly world: World
  readonly engine: Engine
  readonly feed: Feed
  readonly counts: Counts
  /** True if so few changes are kept that a reader falls behind. */
  readonly mayBeBehind: boolean
}

/** Returns a caller, now and then with rules that memory judges. */
const drawnCaller = (random: Random, world: World): DrawnCaller =>
  randomCaller({ random, world, tally: new Map() }, random.chance(0.4) ? 'by own fields' : 'by anything')

/** Begins a subscription; what is refused by it is refused by a list, too. */
async function subscribe(subscribing: Subscribing): Promise<Subscriber | string | undefined> {
  const { random, world, engine, counts } = subscribing
  const caller = drawnCaller(random, world)
  const seen = removed(world, caller.reads)
  const { collection, query } = randomQuestion(random, new Map(), world, seen)
  const { meta: _meta, page: _page, export: _export, ...asked } = query
  const list = random.chance(0.4) ? withJudgedFilter(random, seen, collection, asked) : asked
  // A greatest limit cuts lists, and no memberships: there nothing tells how many there are.
  const membership = world.limits?.maxLimit ? 'page' : random.one<Membership>(['page', 'match'])
  const watched: Watched = {
    collection,
    // Every member is told at the beginning, so that it is known which are held.
    query:
      membership === 'match'
        ? { ...list, limit: -1, offset: 0 }
        : random.chance(0.4)
          ? firstOf(random, seen, { collection, query: list })
          : list,
    membership,
  }
  if (random.chance(0.9) && (await isHuge(engine.as(caller.access), collection, watched.query)))
    return undefined
  const expected = await outcomeOf(() => listOf(engine.as(caller.access), watched))
  const subscriber = new Subscriber(subscribing, caller.access, watched)
  const begun = await outcomeOf(() => subscriber.begin())
  if ('answer' in begun && 'answer' in expected) return subscriber
  subscriber.end()
  if ('error' in begun && 'error' in expected && isDeepStrictEqual(begun, expected)) {
    count(counts, 'refused')
    return undefined
  }
  return `${JSON.stringify(watched)}: watched ${JSON.stringify(begun)}, listed ${JSON.stringify(expected)}`
}

/** Returns a query for the first few items of a list, in the order of one of its values. */
function firstOf(random: Random, seen: World, { collection, query }: Pick<Watched, 'collection' | 'query'>) {
  if (!seen.definition[collection] || query.aggregate !== undefined || query.groupBy !== undefined)
    return query
  const names = fieldNames(seen, collection).filter((name) => inOrder.has(typeOf(seen, collection, name)))
  const sort = names.length > 0 ? [`${random.one(['', '-'])}${random.one(names)}`] : []
  const { filter, search: _search, ...whole } = query
  return {
    ...whole,
    ...(filter !== undefined && random.chance(0.4) && { filter }),
    sort,
    limit: 1 + random.below(4),
    offset: 0,
  }
}

/** Types whose values are in the same order everywhere. */
const inOrder = new Set([
  'integer',
  'bigInteger',
  'boolean',
  'uuid',
  'date',
  'time',
  'dateTime',
  'timestamp',
  'm2o',
])

async function listOf(engine: Engine, { collection, query }: Watched): Promise<readonly unknown[]> {
  const { data } = await listItems(engine, collection, query)
  return data
}

class Subscriber {
  readonly #feed: Feed
  readonly #mayBeBehind: boolean
  readonly #engine: Engine
  readonly #watched: Watched
  readonly #counts: Counts
  readonly #watch: (token?: string) => AsyncIterableIterator<FeedMessage, undefined>
  #access: Access
  readonly #replica = new Replica()
  #messages: AsyncIterableIterator<FeedMessage, undefined> | undefined
  /** The states that a list had, in their order. */
  readonly #history: (readonly unknown[])[] = []
  /** The states that the replica had. */
  readonly #held: Held[] = []
  #error: unknown
  #paused: Promise<void> | undefined
  #continue: (() => void) | undefined
  over: Promise<void> = Promise.resolve()
  /** What was told, for a report. */
  readonly log: string[] = []

  constructor({ feed, engine, counts, mayBeBehind }: Subscribing, access: Access, watched: Watched) {
    this.#mayBeBehind = mayBeBehind
    const mine = feed.as(() => this.#access)
    this.#feed = feed
    this.#engine = engine
    this.#access = access
    this.#watched = watched
    this.#counts = counts
    const { collection, query, membership } = watched
    this.#watch = (token) => watchItems(mine, collection, query, { membership, token })
  }

  async begin(): Promise<void> {
    const messages = this.#watch()
    this.#messages = messages
    const { value } = await messages.next()
    if (value) this.#take(value)
    this.over = this.#read(messages)
  }

  end(): void {
    void this.#messages?.return?.()
  }

  /** Reads on, until this is no longer the subscription. */
  async #read(messages: AsyncIterableIterator<FeedMessage, undefined>): Promise<void> {
    try {
      for (;;) {
        await this.#paused
        const { value, done } = await messages.next()
        if (done || messages !== this.#messages) return
        this.#take(value)
      }
    } catch (error) {
      this.#error = error
    }
  }

  #take(message: FeedMessage): void {
    count(this.#counts, `${this.#watched.membership} ${message.kind}`)
    if (message.kind === 'reset') {
      count(this.#counts, `reset ${message.reason}`)
      if (message.reason === 'behind' && !this.#mayBeBehind) this.#error = 'a reset, though it was not behind'
    }
    this.log.push(JSON.stringify(message).slice(0, 600))
    this.#replica.apply(message)
    if (!this.#replica.isKnown) return
    // Members are told one by one, each as it is at some moment; a page is told as it is as a whole.
    const isOfItems = this.#watched.membership === 'match' && message.kind === 'changes'
    if (isOfItems) this.#held.push({ items: message.set.map(({ item }) => item) })
    else this.#held.push({ state: this.#replica.data })
  }

  /** Notes what a list answers now. */
  async note(): Promise<void> {
    this.#history.push(await this.#list())
  }

  async #list(): Promise<readonly unknown[]> {
    return listOf(this.#engine.as(this.#access), this.#watched)
  }

  pauseOrContinue(random: Random): void {
    if (random.chance(0.5)) {
      this.continue()
      return
    }
    this.#paused ??= new Promise((resolve) => {
      this.#continue = resolve
    })
  }

  continue(): void {
    this.#continue?.()
    this.#paused = undefined
  }

  /** Leaves, and comes back with the last token, now and then with one that nobody knows. */
  async comeBack(random: Random): Promise<void> {
    this.continue()
    const old = this.#messages
    const messages = this.#watch(random.chance(0.1) ? 'of another process' : this.#replica.token)
    this.#messages = messages
    await old?.return?.()
    await this.over
    this.over = this.#read(messages)
    count(this.#counts, 'came back')
    this.log.push('came back')
  }

  /** Becomes a caller with other rights, if these allow to list the same. */
  async become(access: Access): Promise<void> {
    const listed = await outcomeOf(() => listOf(this.#engine.as(access), this.#watched))
    if (!('answer' in listed)) return
    this.#access = access
    await this.#feed.recheck()
    this.#history.length = 0
    this.#held.length = 0
    await this.note()
    count(this.#counts, 'became another')
  }

  /** Returns what is wrong when nothing is written. */
  async wrong(): Promise<string | undefined> {
    // Nothing was written since it was noted.
    const listed = this.#history.at(-1) ?? (await this.#list())
    // Turns are counted, and no seconds: a process that gets no processor has no turns either.
    for (let turn = 0; turn < 10_000 && !this.#holds(listed) && this.#error === undefined; turn++)
      await new Promise((resolve) => setTimeout(resolve, 2))
    const about = JSON.stringify({ watched: this.#watched, access: this.#access })
    if (this.#error !== undefined) return `${about}\nended with ${String(this.#error)}`
    if (!this.#holds(listed))
      return `${about}\nholds ${JSON.stringify(this.#replica.data)}\nlisted ${JSON.stringify(listed)}\n${this.log.slice(-6).join('\n')}\n${JSON.stringify(this.#feed.status())}`
    if (this.#replica.strange.length > 0) return `${about}\nremoved what was not there`
    return this.#wasNever(about)
  }

  #holds(listed: readonly unknown[]): boolean {
    return this.#replica.isKnown && this.#isState(this.#replica.data, listed)
  }

  #isState(held: readonly unknown[], listed: readonly unknown[]): boolean {
    return this.#watched.membership === 'page'
      ? isDeepStrictEqual(plain(held), plain(listed))
      : isDeepStrictEqual(plain(held).map(textOf).toSorted(), plain(listed).map(textOf).toSorted())
  }

  /** Each state was once there, after the one before. */
  #wasNever(about: string): string | undefined {
    let at = 0
    for (const { state, items } of this.#held.splice(0)) {
      const after = this.#history.slice(at)
      if (state) {
        const found = after.findIndex((one) => this.#isState(state, one))
        if (found < 0) return `${about}\nwas told ${JSON.stringify(state)}, which there was not`
        at += found
      }
      const texts = new Set(after.flatMap((one) => plain(one).map(textOf)))
      const strange = plain(items ?? []).find((item) => !texts.has(textOf(item)))
      if (strange) return `${about}\nwas told ${JSON.stringify(strange)}, which there was not`
    }
    this.#history.splice(0, at)
    return undefined
  }
}

interface Held {
  readonly state?: readonly unknown[]
  readonly items?: readonly unknown[]
}

const textOf = (value: unknown): string => JSON.stringify(value)
const plain = (items: readonly unknown[]): readonly unknown[] => JSON.parse(JSON.stringify(items))
