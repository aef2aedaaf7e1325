// Lists answer, refuse and store the same whether statements of many rows write them or the general path does, and the same as their items do one after
// the other, where no rule judges them.
import { afterAll, describe, expect, it } from 'vitest'
import {
  type Access,
  createItem,
  createItems,
  type Engine,
  type Schema,
  updateEach,
  updateItem,
  updateItems,
  upsertItem,
  upsertItems,
} from '../../../src/index.ts'
import { fuzzSeed, Random } from '../../property/seeded-random.ts'
import { databases } from '../../support/databases.ts'
import { drawsOf } from '../../support/draws.ts'
import { schemaOf, statementsOf } from '../obligations/database.ts'
import {
  codes,
  condition,
  drawCaller,
  drawFacts,
  drawRules,
  drawTables,
  values,
} from '../obligations/draw.ts'
import { type Caller, noteFields, now } from '../obligations/model.ts'
import {
  counted,
  isWrittenTogether,
  type Outcome,
  openTwin,
  outcomeOf,
  type Twin,
  withCountedKeys,
} from './twins.ts'

type Data = Readonly<Record<string, unknown>>

interface List {
  readonly verb: 'createItems' | 'updateItems' | 'updateEach' | 'upsertItems'
  readonly items: readonly Data[]
  /** The values of an update of some keys alike. */
  readonly change: Data
  readonly on: 'id' | 'code'
  readonly query: { readonly fields?: readonly string[] }
}

const verbs = ['createItems', 'updateItems', 'updateEach', 'upsertItems'] as const
const callsOfEach = 12
const counts: Record<string, number> = {}
const count = (name: string) => {
  counts[name] = (counts[name] ?? 0) + 1
}

/** Draws a value. `isTame`: one that is refused by rules alone. */
function drawValue(random: Random, name: string, isTame: boolean): unknown {
  const value = values[name]?.(random, random.chance(0.05))
  const isWild = value === 9 || value === 'many' || value === 'hot' || typeof Object(value)._inc === 'number'
  return isTame && (isWild || (value === null && (name === 'state' || name === 'views')))
    ? drawValue(random, name, isTame)
    : value
}

/** Rules of which most lists keep one. */
function mildRules(random: Random): NonNullable<Caller['rules']> {
  const rules = drawRules(random)
  const mild = () => [random.chance(0.5) ? {} : { [random.one(['filter', 'validation'])]: condition(random) }]
  return { ...rules, notes: { ...rules.notes, create: mild(), update: mild() } }
}

function drawList(random: Random, { rules }: Caller, verb: List['verb']): List {
  const on = random.chance(0.6) ? 'code' : 'id'
  const readable = rules?.notes.read?.flatMap(({ fields }) => fields ?? noteFields) ?? noteFields
  const fields = ['id', ...random.some(noteFields, 3).filter((name) => readable.includes(name))]
  const needed = verb === 'createItems' || verb === 'upsertItems' ? ['state', 'views'] : []
  const shape = () => [
    ...new Set([...needed.filter(() => random.chance(0.98)), ...random.some(Object.keys(values), 3), 'done']),
  ]
  const shapes = random.many(1, 3, shape)
  const isTame = random.chance(0.85)
  // An upsert by another value may not name another key.
  const share = verb === 'upsertItems' ? random.one([0, 0, 0, 0.5]) : random.one([0, 0, 1, 1, 0.5])
  const isDistinct = random.chance(0.8)
  const keys = [...(verb === 'createItems' || verb === 'upsertItems' ? [20, 21, 22, 23, 24, 25, 26] : [])]
  if (verb !== 'createItems' || random.chance(0.1)) keys.push(1, 2, 3, 4)
  if (random.chance(0.1)) keys.push(9)
  const taken = (from: unknown[]) =>
    isDistinct && from.length > 1 ? from.splice(random.below(from.length), 1)[0] : random.one(from)
  const free: unknown[] = [...codes, 'd', 'x', 'y', 'z']
  const count = Math.min(
    2 + random.below(random.chance(0.6) ? 2 : 6),
    verb === 'updateItems' || verb === 'updateEach' ? 4 : 7,
  )
  const item = (at: number): Data => {
    const names = shapes[at % shapes.length] ?? []
    const data: Record<string, unknown> = {}
    if (verb.startsWith('update') || on === 'id' || random.chance(share)) data.id = taken(keys)
    for (const name of names) data[name] = drawValue(random, name, isTame)
    if (verb === 'upsertItems' && on === 'code') data.code = taken(free)
    else if (Object.hasOwn(data, 'code') && random.chance(0.8)) data.code = taken(free)
    return data
  }
  const items = Array.from({ length: count }, (_, at) => item(at))
  const { id: _id, ...change } = item(0)
  return { verb, items, change, on, query: random.chance(0.3) ? {} : { fields: [...new Set(fields)] } }
}

function call(engine: Engine<Schema>, { verb, items, change, on, query }: List): Promise<unknown> {
  if (verb === 'createItems') return createItems(engine, 'notes', items, query)
  if (verb === 'updateEach') return updateEach(engine, 'notes', items, query)
  if (verb === 'upsertItems') return upsertItems(engine, 'notes', items, query, on === 'id' ? {} : { on })
  const keys = items.map(({ id }) => id as number)
  return updateItems(engine, 'notes', keys, change, query)
}

const oneByOne = (engine: Engine<Schema>, list: List): Promise<unknown> =>
  engine.transaction(async (inside) => {
    const { verb, items, change, on, query } = list
    const answers: unknown[] = []
    for (const { id, ...data } of items) {
      const one = (): Promise<unknown> => {
        if (verb === 'createItems')
          return createItem(inside, 'notes', id === undefined ? data : { id, ...data }, query)
        if (verb === 'updateItems') return updateItem(inside, 'notes', id as number, change, query)
        if (verb === 'updateEach') return updateItem(inside, 'notes', id as number, data, query)
        return upsertItem(
          inside,
          'notes',
          id === undefined ? data : { id, ...data },
          query,
          on === 'id' ? {} : { on },
        )
      }
      answers.push(await one())
    }
    return answers
  })

const ways = {
  function: (_twin: Twin, engine: Engine<Schema>, list: List) => call(engine, list),
  transaction: (_twin: Twin, engine: Engine<Schema>, list: List) =>
    engine.transaction((inside) => call(inside, list)),
  host: ({ db }: Twin, engine: Engine<Schema>, list: List) =>
    db.transaction().execute((transaction) => call(engine.using(transaction), list)),
}

const storedIn = async (twin: Twin, database: string): Promise<readonly Data[]> => {
  const columns = noteFields.map((name) =>
    database === 'sqlite' ? `"${name}", typeof("${name}") as "type of ${name}"` : `"${name}"::text`,
  )
  return (await twin.run(`select ${columns.join(', ')} from notes order by notes.id`)) as readonly Data[]
}

/** An outcome and what is stored, with rows in the place of keys that were counted: these follow the list among rows of one statement alone. */
function comparable(outcome: Outcome, stored: readonly Data[]): unknown {
  const rows = stored.map(({ id, ...row }) => ({ id, text: JSON.stringify(row) }))
  const isCounted = (id: unknown) => Number(id) >= counted
  const places = new Map(rows.map(({ id, text }) => [Number(id), `new ${text}`]))
  const shown = JSON.parse(JSON.stringify(outcome), (name, value) =>
    name === 'id' && isCounted(value) ? (places.get(value) ?? value) : value,
  )
  return { outcome: shown, rows: rows.map(({ id, text }) => `${isCounted(id) ? 'new' : id} ${text}`).sort() }
}

describe.each(databases)('on $name', ({ name: database, open }) => {
  it.each(Array.from({ length: drawsOf('lists on both ways') }, (_, at) => fuzzSeed + at))(
    'a list of notes (QUERNEL_SEED=%s)',
    async (seed) => {
      const random = new Random(seed)
      const facts = drawFacts(random)
      const tables = withCountedKeys(database, statementsOf(database, drawTables(random), facts))
      const settings = {
        schema: schemaOf(facts),
        clock: () => new Date(`${now}Z`),
        variables: { $CURRENT_USER: 'people' },
      }
      const twins = await Promise.all([0, 1, 2].map(() => openTwin(open, tables, settings)))
      const [together, general, single] = twins as [Twin, Twin, Twin]
      const rules = [drawRules(random), mildRules(random), mildRules(random), mildRules(random)]
      for (let at = 0; at < callsOfEach; at++) {
        const caller = drawCaller(random, random.chance(0.25) ? undefined : random.one(rules))
        const list = drawList(random, caller, verbs[at % verbs.length] ?? 'createItems')
        const way = random.one(['function', 'function', 'transaction', 'host'] as const)
        const by = ({ engine }: Twin) =>
          (caller.rules ? engine.as(caller as Access) : engine) as Engine<Schema>
        const written = (twin: Twin, isByStatement: boolean) =>
          outcomeOf(() => ways[way](twin, by(twin), list), isByStatement)
        together.texts.length = 0
        const found = await written(together, true)
        const isTogether = isWrittenTogether(together.texts)
        const expected = await written(general, false)
        // An upsert of the same item twice is refused in a list.
        const isOneByOne = !caller.rules && !JSON.stringify(expected).includes('Another item of the list')
        const alone = isOneByOne
          ? await outcomeOf(() => oneByOne(single.engine, list), false)
          : await written(single, false)
        const [after, others, last] = await Promise.all(twins.map((twin) => storedIn(twin, database)))
        const report = `QUERNEL_SEED=${seed}, list ${at} by ${way}: ${JSON.stringify({ list, caller, facts, texts: together.texts.slice(-4) })}`
        expect(comparable(found, after ?? []), report).toEqual(comparable(expected, others ?? []))
        if (isOneByOne) {
          expect(
            [Object.keys(alone), withoutKeys(last)],
            `${JSON.stringify(alone)}, one by one; ${report}`,
          ).toEqual([Object.keys(found), withoutKeys(after)])
        }
        const how = isTogether ? 'together' : 'otherwise'
        count(`${database} ${list.verb} ${how}${'error' in found ? ' refused' : ''}`)
        if (isTogether && 'answer' in found) count(`${database} ${list.verb}`)
        for (const { run } of twins) await run(`delete from notes where id >= ${counted}`)
      }
    },
  )
})

/** Rows without the keys that were counted, which follow the list among rows of one shape. */
const withoutKeys = (rows: readonly Data[] = []): readonly string[] =>
  rows.map((row) => JSON.stringify({ ...row, id: Number(row.id) >= counted ? 'new' : row.id })).sort()

afterAll(() => {
  console.info('lists', JSON.stringify(counts))
  for (const { name } of databases)
    for (const verb of verbs) expect(counts[`${name} ${verb}`], `${name} ${verb}`).toBeGreaterThan(0)
})
