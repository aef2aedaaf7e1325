// Pages that begin after a cursor, or end before one, are the list cut there: of random lists on random worlds, on every database.
import { describe, expect, it } from 'vitest'
import { isEngineError } from '../../src/index.ts'
import type { PlainQuery } from '../../src/query/query.ts'
import { randomCaller } from '../access/caller.ts'
import { fuzzSeed, Random } from '../property/seeded-random.ts'
import type { OpenDatabase } from '../support/databases.ts'
import { drawsOf } from '../support/draws.ts'
import { type Lane, lanes } from '../support/lanes.ts'
import { fieldNames, keyParts, relationOf, type World } from './dataset.ts'
import { engineOf, type Tested } from './engine.ts'
import { type Asked, randomQuery } from './random-query.ts'
import { randomWorld } from './random-rows.ts'
import { randomSchema } from './random-schema.ts'
import { build, demolish } from './tables.ts'

const listsPerWorld = 10
const worlds = Math.ceil(drawsOf('lists read by cursors') / listsPerWorld)

interface Item {
  readonly $cursor: string
}
interface Cursors {
  readonly first: string | null
  readonly last: string | null
  readonly has_more: boolean
}

/** Works in each of some worlds, with the lists that are asked of it. */
async function inWorlds(
  lane: Lane,
  keys: 'any' | 'single',
  work: (world: World, db: OpenDatabase['db'], random: Random, seed: number) => Promise<void>,
): Promise<void> {
  const { db, close } = await lane.open()
  for (let seed = fuzzSeed; seed < fuzzSeed + worlds; seed++) {
    const random = new Random(seed + lanes.indexOf(lane) * 1_000_003)
    const world = { ...randomWorld(random, randomSchema(random, { keys })), limits: {} }
    await build(db, world, lane.name)
    await work(world, db, random, seed)
    await demolish(db, world)
  }
  await close()
}

describe.each(lanes)('lists by cursors on $title', (lane) => {
  it(`have the items of the whole list in its order (QUERNEL_SEED=${fuzzSeed})`, () =>
    inWorlds(lane, 'any', async (world, db, random, seed) => {
      const tested = engineOf(db, world)
      for (const asked of listsOf(world, random)) {
        const about = JSON.stringify({ seed, asked })
        expect(await pagesDiffer(tested, asked, 1 + random.below(4)), about).toBe('')
      }
    }))

  it(`begin below every item of a list (QUERNEL_SEED=${fuzzSeed})`, () =>
    inWorlds(lane, 'any', async (world, db, random, seed) => {
      const tested = engineOf(db, world)
      const all = Object.keys(world.definition).flatMap((collection) => listsBelow(world, collection))
      if (all.length === 0) return
      const below = random.one(all)
      expect(await belowDiffers(tested, below, 1 + random.below(3)), JSON.stringify({ seed, below })).toBe('')
    }))

  it(`show a caller what he sees anyway, whoever has made them (QUERNEL_SEED=${fuzzSeed})`, () =>
    inWorlds(lane, 'single', async (world, db, random, seed) => {
      const tested = engineOf(db, world)
      for (const asked of listsOf(world, random)) {
        const { access } = randomCaller({ random, world, tally: new Map() })
        const narrowed = engineOf(db, world, access)
        const about = JSON.stringify({ seed, asked, access })
        const seen = await cursorsOf(narrowed, asked)
        if (!seen) continue
        expect(await pagesDiffer(narrowed, asked, 1 + random.below(4)), about).toBe('')
        for (const token of await foreignTokens(tested, asked, random))
          expect(await endOf(seen, narrowed, asked, token), `${token} ${about}`).toBe(noMore)
      }
    }))
})

/** The cursors of a list; undefined where the caller has none of it. */
async function cursorsOf(
  tested: Tested,
  { collection, query }: Asked,
): Promise<readonly string[] | undefined> {
  const asked = tested.list(collection, { ...query, fields: ['$cursor'], limit: -1 })
  return asked.then(cursorsIn, (error: unknown) => {
    if (isEngineError(error)) return undefined
    throw error
  })
}

/** Cursors of whoever sees everything, and what is left of them when they are cut or changed. */
async function foreignTokens(tested: Tested, asked: Asked, random: Random): Promise<readonly string[]> {
  const all = (await cursorsOf(tested, asked)) ?? []
  return all.slice(0, 3).flatMap((token) => {
    const at = random.below(token.length)
    const sign = random.one(['A', 'z', '0', '_'])
    return [token, token.slice(0, at), `${token.slice(0, at)}${sign}${token.slice(at + 1)}`]
  })
}

const noMore = 'an end of the list, or none'

/** What a cursor of somebody else gives a caller: no more than rows that he sees anyway, from some place on. */
async function endOf(seen: readonly string[], narrowed: Tested, { collection, query }: Asked, after: string) {
  const found = await cursorsOf(narrowed, { collection, query: { ...query, after } })
  const isEnd = !found || found.join() === seen.slice(seen.length - found.length).join()
  return isEnd ? noMore : places(found, seen)
}

function* listsOf(world: World, random: Random): Generator<Asked> {
  for (let left = listsPerWorld; left > 0; ) {
    const asked = randomQuery({ world, random, tally: new Map() })
    const { aggregate, groupBy, filter, search, sort, alias } = asked.query
    if (aggregate || groupBy || keyParts(world, asked.collection).length === 0) continue
    left--
    yield {
      collection: asked.collection,
      query: {
        ...(filter && { filter }),
        ...(search && { search }),
        ...(sort && { sort }),
        ...(alias && { alias }),
      },
    }
  }
}

interface Below {
  readonly collection: string
  readonly name: string
}

/** The relations to many of a collection to rows that have a key. */
function listsBelow(world: World, collection: string): readonly Below[] {
  if (keyParts(world, collection).length === 0) return []
  return fieldNames(world, collection).flatMap((name) => {
    const relation = relationOf(world, collection, name)
    return relation?.kind === 'many' && keyParts(world, relation.to).length > 0 ? [{ collection, name }] : []
  })
}

/** How pages of the lists below items differ from these lists: a cursor of one item's list begins there only. */
async function belowDiffers(tested: Tested, { collection, name }: Below, limit: number): Promise<string> {
  const fields = [`${name}.$cursor`]
  const listed = async (deep: Readonly<Record<string, string | number>>) => {
    const { data } = await tested.list(collection, { fields, deep: { [name]: deep }, limit: -1 })
    return (data as readonly Readonly<Record<string, readonly Item[]>>[]).map((item) =>
      cursorsIn({ data: item[name] ?? [] }),
    )
  }
  const whole = await listed({ _limit: -1 })
  // A few of the items: each takes three lists.
  for (const [at, cursors] of [...whole.entries()].filter(([, one]) => one.length > 1).slice(0, 3)) {
    const [token] = cursors
    if (token === undefined) continue
    const [after, before] = [
      await listed({ _limit: limit, _after: token }),
      await listed({ _before: token, _limit: limit }),
    ]
    if (after[at]?.join() !== cursors.slice(1, 1 + limit).join()) return `after the first of ${at}`
    if (before[at]?.length !== 0) return `before the first of ${at}`
    const last = cursors.at(-1) ?? token
    const ahead = (await listed({ _limit: limit, _before: last }))[at]
    if (ahead?.join() !== cursors.slice(0, -1).slice(-limit).join()) return `before the last of ${at}`
  }
  return ''
}

/** How pages of so many items differ from the whole list, in words. */
async function pagesDiffer(tested: Tested, { collection, query }: Asked, limit: number): Promise<string> {
  const fields = ['$cursor']
  const whole = cursorsIn(await tested.list(collection, { ...query, fields, limit: -1 }))
  const pageOf = async (where: PlainQuery) => {
    const answer = await tested.list(collection, { ...query, ...where, fields, limit, meta: ['cursors'] })
    // As the query asks.
    const { cursors } = Object(answer.meta) as { readonly cursors: Cursors }
    return { items: cursorsIn(answer), ...cursors }
  }
  const forwards: string[] = []
  let page = await pageOf({})
  for (;;) {
    forwards.push(...page.items)
    if (page.first !== (page.items[0] ?? null) || page.last !== (page.items.at(-1) ?? null))
      return 'other ends'
    if (page.has_more !== forwards.length < whole.length)
      return `has_more ${page.has_more} at ${forwards.length}`
    if (!page.has_more || page.last === null) break
    page = await pageOf({ after: page.last })
  }
  if (forwards.join() !== whole.join()) return `forwards ${places(forwards, whole)}`
  const last = whole.at(-1)
  if (last === undefined) return ''
  const backwards = [last]
  for (let first: string | null = last; first !== null; ) {
    const before = await pageOf({ before: first })
    backwards.unshift(...before.items)
    if (before.has_more !== backwards.length < whole.length) return `has_more ${before.has_more} before`
    first = before.has_more ? before.first : null
  }
  return backwards.join() === whole.join() ? '' : `backwards ${places(backwards, whole)}`
}

const cursorsIn = ({ data }: { readonly data: readonly unknown[] }): readonly string[] =>
  (data as readonly Item[]).map(({ $cursor }) => $cursor)

const places = (found: readonly string[], whole: readonly string[]) =>
  found.map((cursor) => whole.indexOf(cursor)).join()
