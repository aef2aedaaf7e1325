// Two databases that differ in what a caller may not see, and in nothing else: a feed of one tells the caller what a feed of the other does.
import { isDeepStrictEqual } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  createFeed,
  type FeedMessage,
  type Source,
  type SourceBatch,
  type SourceChange,
  watchItems,
} from '../../../src/realtime.ts'
import { type DrawnCaller, randomCaller } from '../../access/caller.ts'
import { randomQuestion } from '../../access/dataset-pairs.ts'
import { changedOutOfSight } from '../../access/hidden-changes.ts'
import { removed } from '../../access/removed.ts'
import { engineOn } from '../../access/requests.ts'
import { keyOf, type Row, type World } from '../../oracle/dataset.ts'
import { randomWorld } from '../../oracle/random-rows.ts'
import { randomSchema } from '../../oracle/random-schema.ts'
import { build, demolish } from '../../oracle/tables.ts'
import { fuzzSeed, Random } from '../../property/seeded-random.ts'
import { databases, type OpenDatabase, type TestDatabase } from '../../support/databases.ts'
import { drawsOf } from '../../support/draws.ts'
import { pause } from '../tasks.ts'

const worlds = drawsOf('hidden rows of lists')
const steps = 6

interface Watched {
  readonly collection: string
  readonly query: Readonly<Record<string, unknown>>
  readonly membership: 'page' | 'match'
}

/** A database, and what its feed tells a caller. */
class Side {
  readonly #db: OpenDatabase['db']
  readonly #name: TestDatabase['name']
  #world: World
  #push: ((batch: SourceBatch) => void) | undefined
  #position = 1
  /** The last position that the feed has done with. */
  #handled = 0
  readonly #feed: ReturnType<typeof createFeed>
  readonly #watched: readonly AsyncIterator<FeedMessage, undefined>[]
  readonly #pending: (Promise<FeedMessage | undefined> | undefined)[] = []
  readonly #held: Map<string, unknown>[] = []

  constructor(
    opened: OpenDatabase,
    name: TestDatabase['name'],
    world: World,
    caller: DrawnCaller,
    watched: readonly Watched[],
  ) {
    this.#db = opened.db
    this.#name = name
    this.#world = world
    this.#feed = createFeed(engineOn(opened.db, world), { source: this.#source(), settleMs: 0 })
    const mine = this.#feed.as(caller.access)
    this.#watched = watched.map(({ collection, query, membership }) => {
      try {
        return watchItems(mine, collection, query, { membership })
      } catch (error) {
        return { next: () => Promise.reject(error) }
      }
    })
    this.#held = watched.map(() => new Map())
  }

  #source(): Source {
    const waiting: SourceBatch[] = [{ position: 1, changes: [] }]
    let wake: (() => void) | undefined
    const handled = (position: number) => {
      this.#handled = position
    }
    this.#push = (batch) => {
      waiting.push(batch)
      wake?.()
    }
    return {
      async *read() {
        for (;;) {
          const batch = waiting.shift()
          if (batch) {
            yield batch
            handled(Number(batch.position))
          } else
            await new Promise<void>((resolve) => {
              wake = resolve
            })
        }
      },
    }
  }

  /** Puts other rows in the place of those that there are, and tells of each that is another. */
  async become(world: World): Promise<void> {
    await demolish(this.#db, this.#world)
    await build(this.#db, world, this.#name)
    const changes = Object.keys(world.definition).flatMap((name) => changesOf(this.#world, world, name))
    this.#world = world
    this.#position += 1
    this.#push?.({ position: this.#position, changes })
  }

  /** Returns what is told until nothing more comes: what makes no difference to whoever holds the list is left out. */
  async told(): Promise<unknown> {
    const all: unknown[] = []
    for (const [index, messages] of this.#watched.entries()) {
      const told: unknown[] = []
      for (;;) {
        this.#pending[index] ??= messages.next().then(
          ({ value }) => value,
          (error: unknown) => error as never,
        )
        const message = await Promise.race([this.#pending[index], this.#isQuiet()])
        if (message === 'quiet') break
        this.#pending[index] = undefined
        const effect = this.#effectOf(message, index)
        if (effect) told.push(effect)
        if (!message || message instanceof Error) break
      }
      all.push(told)
    }
    return all
  }

  async #isQuiet(): Promise<'quiet'> {
    while (this.#handled < this.#position) await pause(1)
    // Whoever is woken asks for its list, and whoever has its list answers, before the loop turns.
    await turned()
    while (this.#feed.status().oldest > 0) {
      await pause(1)
      await turned()
    }
    return 'quiet'
  }

  #effectOf(message: FeedMessage | undefined, index: number): unknown {
    const held = this.#held[index] ?? new Map()
    if (!message || message instanceof Error) return String(message)
    if (message.kind === 'reset') return message
    if (message.kind === 'snapshot') {
      held.clear()
      for (const [at, id] of (message.ids ?? []).entries()) held.set(id, message.items[at])
      return { items: message.items, ids: message.ids?.map(idOf) }
    }
    const set = message.set.filter(({ id, item }) => !isDeepStrictEqual(held.get(id), item))
    const told = [
      ...set.map(({ id, item }) => ({ id: idOf(id), was: held.get(id), is: item })),
      ...message.removed.map((id) => ({ id: idOf(id), was: held.get(id), is: 'removed' })),
    ]
    for (const { id, item } of set) held.set(id, item)
    for (const id of message.removed) held.delete(id)
    const order = message.order?.map((id) => [idOf(id), held.get(id)])
    if (told.length === 0 && !order) return undefined
    const textOf = (one: unknown) => JSON.stringify(one)
    return { told: told.toSorted((one, other) => (textOf(one) < textOf(other) ? -1 : 1)), order }
  }

  async stop(): Promise<void> {
    await this.#feed.stop()
    await Promise.all(this.#pending)
    await demolish(this.#db, this.#world)
  }
}

/** Ids of hidden keys say nothing. */
const idOf = (id: string): string => (/^[\w-]{22}$/.test(id) ? 'hidden' : id)

async function turned(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Each row that is new, gone, or another, and the fields in which it is. */
function changesOf(before: World, after: World, collection: string): readonly SourceChange[] {
  const key = keyOf(after, collection)
  const byKey = (world: World) =>
    new Map((world.rows[collection] ?? []).map((row) => [String(row[key]), row] as const))
  const [old, now] = [byKey(before), byKey(after)]
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const [was, is] = [old.get(name), now.get(name)]
    const shown = (is ?? was)?.[key] as string | number
    if (!was || !is) return [{ collection, keys: [shown] }]
    const fields = namesOf(was, is).filter((field) => !isDeepStrictEqual(was[field], is[field]))
    return fields.length > 0 ? [{ collection, keys: [shown], fields }] : []
  })
}

const namesOf = (one: Row, other: Row) => [...new Set([...Object.keys(one), ...Object.keys(other)])]

describe.each(databases)(`on $name (QUERNEL_SEED=${fuzzSeed})`, ({ name, open }) => {
  let opened: readonly OpenDatabase[]
  beforeAll(async () => {
    opened = [await open(), await open()]
  })

  it('what is hidden makes no difference', async () => {
    let changes = 0
    let messages = 0
    for (let seed = fuzzSeed; seed < fuzzSeed + worlds; seed++) {
      const random = new Random(seed + (name === 'postgres' ? 1_000_003 : 0))
      const definition = randomSchema(random)
      let world = randomWorld(random, definition)
      const caller = randomCaller({ random, world, tally: new Map() })
      const watched = random.many(4, 4, () => drawn(random, world, caller))
      const pair = () => [world, changedOutOfSight(random, world, caller)] as const
      const [first, second] = pair()
      const worldsOf = [first, second.other]
      const sides: Side[] = []
      for (const [index, one] of opened.entries()) {
        const own = worldsOf[index] ?? world
        await build(one.db, own, name)
        sides.push(new Side(one, name, own, caller, watched))
      }
      try {
        for (let step = 0; step <= steps; step++) {
          const [one, other] = [await sides[0]?.told(), await sides[1]?.told()]
          expect(
            other,
            `QUERNEL_SEED=${seed}, step ${step}: ${JSON.stringify({ watched, access: caller.access })}`,
          ).toEqual(one)
          messages += JSON.stringify(one).length > 30 ? 1 : 0
          const collection = random.one(Object.keys(definition))
          world = {
            ...world,
            rows: { ...world.rows, [collection]: randomWorld(random, definition).rows[collection] ?? [] },
          }
          const [next, hidden] = pair()
          changes += hidden.changes
          await sides[0]?.become(next)
          await sides[1]?.become(hidden.other)
        }
      } finally {
        for (const side of sides) await side.stop()
      }
    }
    expect(changes).toBeGreaterThan(worlds * steps)
    expect(messages).toBeGreaterThan(worlds)
  })
})

function drawn(random: Random, world: World, caller: DrawnCaller): Watched {
  for (;;) {
    const { collection, query } = randomQuestion(random, new Map(), world, removed(world, caller.reads))
    const { meta: _meta, page: _page, export: _export, ...list } = query
    if (JSON.stringify(list).length > 2_000) continue
    const membership = world.limits?.maxLimit ? 'page' : random.one(['page', 'match'] as const)
    // That an item was touched is told, and makes a difference to whoever was not told of the item before.
    return {
      collection,
      query: membership === 'match' ? { ...list, limit: -1, offset: 0 } : list,
      membership,
    }
  }
}
