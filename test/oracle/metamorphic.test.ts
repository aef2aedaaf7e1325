// What answers have to do with each other, whatever they are: no oracle is asked here.

import { beforeAll, describe, expect, it } from 'vitest'
import type { PlainQuery } from '../../src/query/query.ts'
import { fuzzSeed, Random } from '../property/seeded-random.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { drawsOf } from '../support/draws.ts'
import { fieldOf, isTuple, keyParts, keyValue, type Row, type ToMany, typeOf, type World } from './dataset.ts'
import { type Draw, relationsOf, valueFields } from './draw.ts'
import { engineOf, isTooLarge, type Tested } from './engine.ts'
import { randomOperators } from './random-condition.ts'
import { randomFields } from './random-fields.ts'
import { randomFilter } from './random-filter.ts'
import { randomSort } from './random-level.ts'
import { randomWorld } from './random-rows.ts'
import { randomSchema } from './random-schema.ts'
import { build, demolish } from './tables.ts'

const worlds = drawsOf('laws of the oracle')
const trialsPerWorld = 20

interface Trial extends Draw {
  readonly tested: Tested
  readonly collection: string
}

/** Checks a trial; true if there was anything to compare. What no database takes in one statement cannot be compared. */
async function holds(check: (trial: Trial) => Promise<boolean>, trial: Trial): Promise<boolean> {
  try {
    return await check(trial)
  } catch (error) {
    if (isTooLarge(error)) return false
    throw error
  }
}

describe.each(databases)(`on $name (QUERNEL_SEED=${fuzzSeed})`, ({ name, open }) => {
  let opened: OpenDatabase
  beforeAll(async () => {
    opened = await open()
  })

  /** Says of each trial what differs, and how often there was anything to compare. */
  async function everywhere(check: (trial: Trial) => Promise<boolean>): Promise<void> {
    let compared = 0
    for (let seed = fuzzSeed; seed < fuzzSeed + worlds; seed++) {
      const random = new Random(seed)
      const { definition, rows } = randomWorld(random, randomSchema(random, { keys: 'any' }))
      const world: World = { definition, rows }
      await build(opened.db, world, name)
      const tested = engineOf(opened.db, world)
      for (let number = 0; number < trialsPerWorld; number++) {
        // Items are told apart by their keys here.
        const collection = random.one(
          Object.keys(definition).filter((one) => keyParts(world, one).length > 0),
        )
        if (await holds(check, { world, random, tally: new Map(), tested, collection })) compared++
      }
      await demolish(opened.db, world)
    }
    expect(compared).toBeGreaterThan((worlds * trialsPerWorld) / 4)
  }

  it('a condition, its negation and null part the items', () => everywhere(parts))
  it('pages in a row are the list', () => everywhere(pages))
  it('aggregates are those of the grouped list', () => everywhere(groups))
  it('a limit per parent is the limit of each parent alone', () => everywhere(parents))
  it('other names of aliases change names only', () => everywhere(renamed))
  it('sums of an alias are those of its list', () => everywhere(aliased))
  it('filter_count is the length of the list', () => everywhere(counted))
})

const negations: Readonly<Record<string, string>> = {
  _eq: '_neq',
  _in: '_nin',
  _between: '_nbetween',
  _contains: '_ncontains',
  _icontains: '_nicontains',
  _starts_with: '_nstarts_with',
  _istarts_with: '_nistarts_with',
  _ends_with: '_nends_with',
  _iends_with: '_niends_with',
}
const ofTexts = new Set(['string', 'text', 'csv'])
const ofEquality = new Set(['boolean', 'uuid', 'binary'])

async function parts(trial: Trial): Promise<boolean> {
  const { world, random, collection } = trial
  const field = random.one(valueFields(trial, collection, (type) => type !== 'json'))
  const type = typeOf(world, collection, field)
  const words = Object.keys(negations).filter((word) => {
    if (word === '_eq' || word === '_in') return true
    return word === '_between' ? !ofEquality.has(type) && !isTuple(type) : ofTexts.has(type)
  })
  const samples = (world.rows[collection] ?? []).map((row) => row[field])
  const [[word, operand] = ['_eq', null]] = Object.entries(
    randomOperators(trial, type, samples, [random.one(words)]),
  )
  const negation = negations[word]
  // Where no row has a key of several parts, there is none to ask for.
  if (negation === undefined) return false
  const cases = [{ [word]: operand }, { [negation]: operand }, { _null: true }]
  const found: unknown[][] = []
  for (const condition of cases) found.push(await keysOf(trial, { filter: { [field]: condition } }))
  const all = await keysOf(trial, {})
  expect(found.flat().map(String).sort(), JSON.stringify({ collection, field, cases })).toEqual(
    all.map(String).sort(),
  )
  return all.length > 0
}

async function keysOf(
  { tested, world, collection }: Trial,
  query: Record<string, unknown>,
): Promise<unknown[]> {
  const fields = keyParts(world, collection)
  const rows = await listed(tested, collection, { ...query, fields, limit: -1 })
  return rows.map((row) => JSON.stringify(fields.map((name) => row[name])))
}

async function listed(
  tested: Tested,
  collection: string,
  query: Record<string, unknown>,
): Promise<readonly Row[]> {
  const { data } = await tested.list(collection, query as PlainQuery)
  // Items, not groups or bare keys: every query here names fields.
  return data as readonly Row[]
}

async function pages(trial: Trial): Promise<boolean> {
  const { tested, random, collection } = trial
  const query = {
    ...randomFields(trial, collection),
    ...(random.chance(0.4) && { filter: randomFilter(trial, collection) }),
    ...(random.chance(0.7) && { sort: randomSort(trial, collection) }),
  }
  const all = await listed(tested, collection, { ...query, limit: -1 })
  const limit = 1 + random.below(7)
  const isByPage = random.chance(0.5)
  const found: Row[] = []
  for (let page = 1; page <= Math.ceil(all.length / limit) + 1; page++) {
    const start = isByPage ? { page } : { offset: (page - 1) * limit }
    found.push(...(await listed(tested, collection, { ...query, limit, ...start })))
  }
  expect(found, JSON.stringify({ collection, query, limit })).toEqual(all)
  return all.length > limit
}

async function groups(trial: Trial): Promise<boolean> {
  const { tested, random, collection } = trial
  const by = random.one(
    valueFields(trial, collection, (type) => !['json', 'float', 'binary'].includes(type) && !isTuple(type)),
  )
  const numbers = valueFields(trial, collection, (type) => type === 'integer')
  const field = numbers.length > 0 ? random.one(numbers) : by
  const isNumber = numbers.length > 0
  const filter = random.chance(0.6) ? { filter: randomFilter(trial, collection) } : {}
  const some = isNumber ? ['sum', 'sumDistinct', 'avg', 'avgDistinct', 'min', 'max'] : []
  const aggregate = Object.fromEntries(
    ['count', 'countDistinct', ...some].map((word) => [word, word === 'count' ? ['*', field] : [field]]),
  )
  const got = await listed(tested, collection, { ...filter, groupBy: [by], aggregate, limit: -1 })
  const rows = await listed(tested, collection, { ...filter, fields: [...new Set([by, field])], limit: -1 })
  const names = [...new Set(rows.map((row) => JSON.stringify(row[by])))]
  const want = names.map((name) => {
    const group = rows.filter((row) => JSON.stringify(row[by]) === name)
    const values = group.map((row) => row[field]).filter((value) => value !== null)
    const counts = { count: { '*': group.length, [field]: values.length } }
    const different = [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]
    const all = { [by]: JSON.parse(name), ...counts, countDistinct: { [field]: different.length } }
    return isNumber ? { ...all, ...numbersOf(field, values, different) } : all
  })
  const inOrder = (some: readonly unknown[]) => [...some].map((one) => rounded(one)).sort()
  expect(inOrder(got), JSON.stringify({ collection, filter, by, field })).toEqual(inOrder(want))
  return rows.length > 1
}

function numbersOf(field: string, values: readonly unknown[], different: readonly unknown[]) {
  const sum = (some: readonly unknown[]) => some.reduce<number>((total, value) => total + Number(value), 0)
  const ofSome = (value: number) => ({ [field]: values.length > 0 ? value : null })
  return {
    sum: ofSome(sum(values)),
    sumDistinct: ofSome(sum(different)),
    avg: ofSome(sum(values) / values.length),
    avgDistinct: ofSome(sum(different) / different.length),
    min: ofSome(Math.min(...values.map(Number))),
    max: ofSome(Math.max(...values.map(Number))),
  }
}

async function aliased(trial: Trial): Promise<boolean> {
  const { tested, random, collection } = trial
  const manys = relationsOf(trial, collection, 'many')
  if (manys.length === 0) return false
  const { name, relation } = random.one(manys)
  const numbers = valueFields(trial, relation.to, (type) => type === 'integer')
  if (numbers.length === 0) return false
  const field = random.one(numbers)
  const words = ['sum', 'avg', 'min', 'max'] as const
  const query = {
    fields: [`hot.${field}`, 'count(hot)', ...words.map((word) => `${word}(hot.${field})`)],
    alias: { hot: name },
    deep: { hot: { _filter: randomFilter(trial, relation.to), _limit: -1 } },
    sort: [`-sum(hot.${field})`, ...keyParts(trial.world, collection)],
    limit: -1,
  }
  const items = await listed(tested, collection, query)
  const about = JSON.stringify({ collection, query })
  for (const item of items) {
    const rows = item.hot as readonly Row[] // it was asked for
    const values = rows.map((row) => row[field]).filter((value) => value !== null)
    const all = numbersOf(field, values, values)
    const want = Object.fromEntries(words.map((word) => [`hot_${field}_${word}`, all[word][field]]))
    expect(rounded({ ...item }), about).toBe(rounded({ hot: rows, hot_count: rows.length, ...want }))
  }
  const sums = items.map((item) => item[`hot_${field}_sum`]) as readonly (number | null)[]
  const isBefore = (one: number | null, next: number | null) => one === null || (next !== null && one >= next)
  expect(
    sums.every((sum, at) => at === 0 || isBefore(sums[at - 1] ?? null, sum)),
    about,
  ).toBe(true)
  return items.length > 0
}

const rounded = (value: unknown): string =>
  JSON.stringify(value, (_, member) => (typeof member === 'number' ? Number(member.toPrecision(12)) : member))

async function parents(trial: Trial): Promise<boolean> {
  const { tested, random, world, collection } = trial
  const manys = relationsOf(trial, collection, 'many')
  if (manys.length === 0) return false
  const { name, relation } = random.one(manys)
  const child: Record<string, unknown> = {
    sort: randomSort(trial, relation.to),
    limit: random.below(4),
    ...(random.chance(0.3) && { offset: random.below(3) }),
    ...(random.chance(0.3) && { filter: randomFilter(trial, relation.to) }),
  }
  const deep = {
    [name]: Object.fromEntries(Object.entries(child).map(([word, value]) => [`_${word}`, value])),
  }
  const query = { fields: [...keyParts(world, collection), `${name}.*`], deep }
  const together = await listed(tested, collection, { ...query, limit: -1 })
  for (const parent of together) {
    const key = keyValue(world, collection, parent)
    const message = JSON.stringify({ collection, query, parent: key })
    expect(await tested.get(collection, key, query as PlainQuery), message).toEqual(parent)
    const alone = await listed(tested, relation.to, {
      ...childrenOf(relation, key, { ...child, within: conditionOf(world, collection, name) }),
      fields: ['*'],
    })
    expect(alone, message).toEqual(parent[name])
  }
  return together.length > 0
}

/** The same rows, asked for themselves. */
function childrenOf(
  { from }: ToMany,
  key: unknown,
  { within, ...child }: Record<string, unknown>,
): Record<string, unknown> {
  const filters = [{ [from]: { _eq: key } }, child.filter, within].filter((one) => one !== undefined)
  return { ...child, filter: { _and: filters } }
}

/** The condition of a relation, as it is written. */
function conditionOf(world: World, collection: string, name: string): unknown {
  const field = fieldOf(world, collection, name)
  return 'filter' in field ? field.filter : undefined
}

async function renamed(trial: Trial): Promise<boolean> {
  const { tested, collection } = trial
  const fields = withAlias(trial)
  const other = JSON.parse(JSON.stringify(fields).replace(/\bx([123])\b/g, 'y$1'))
  const got = await listed(tested, collection, { ...other, limit: -1 })
  const want = await listed(tested, collection, { ...fields, limit: -1 })
  const back = JSON.stringify(got).replace(/"y([123])":/g, '"x$1":')
  expect(JSON.parse(back), JSON.stringify({ collection, fields })).toEqual(want)
  return want.length > 0
}

/** Fields with an alias somewhere, if chance has it. */
function withAlias(trial: Trial): Record<string, unknown> {
  const tries = Array.from({ length: 40 }, () => randomFields(trial, trial.collection))
  return tries.find((fields) => /"x[123]":/.test(JSON.stringify(fields))) ?? {}
}

async function counted(trial: Trial): Promise<boolean> {
  const { tested, world, random, collection } = trial
  const query = {
    // No list below, which might be cut short and told of.
    fields: keyParts(world, collection),
    filter: randomFilter(trial, collection),
    ...(random.chance(0.3) && { search: random.one(['a', 'É', 'red', '%', ' ']) }),
  }
  const { meta } = await tested.list(collection, { ...query, limit: 1, meta: ['filter_count'] } as PlainQuery)
  const all = await keysOf(trial, query)
  expect(meta, JSON.stringify({ collection, query })).toEqual({ filter_count: all.length })
  return all.length > 0
}
