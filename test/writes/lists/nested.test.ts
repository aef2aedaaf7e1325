// New items with new ones in them are answered, refused, stored and reported the same whether statements of many rows write them or the general path
// does.
import { afterAll, describe, expect, it } from 'vitest'
import { type Access, createItem, createItems, type Engine, type Schema } from '../../../src/index.ts'
import { fuzzSeed, Random } from '../../property/seeded-random.ts'
import { databases } from '../../support/databases.ts'
import { drawsOf } from '../../support/draws.ts'
import { schemaOf, statementsOf } from '../obligations/database.ts'
import { drawCaller, drawFacts, drawRules, drawTables } from '../obligations/draw.ts'
import { type Caller, noteFields, now } from '../obligations/model.ts'
import { comparable, drawValue, nestedRules, noRule, type Rules, storedIn, tables } from './nested-world.ts'
import { isWrittenTogether, openTwin, outcomeOf, type Twin, withCountedKeys } from './twins.ts'

type Data = Readonly<Record<string, unknown>>

const callsOfEach = 12
/** Keys that items give. */
const given = 100
const counts: Record<string, number> = {}

function drawNote(random: Random, names: readonly string[], key: () => number): Data {
  const note: Record<string, unknown> = {}
  if (random.chance(0.03)) note.id = random.chance(0.5) ? key() : random.one([1, 2])
  for (const name of names) note[name] = drawValue(random, name)
  if (random.chance(0.02)) note.author = random.one([1, 2])
  if (random.chance(0.02)) note.team = { id: key(), name: 'red' }
  if (random.chance(0.02)) note.nothing = 1
  if (random.chance(0.05)) note[random.one(['done', 'id', 'author'])] = undefined
  return note
}

/** Draws the items of a relation, in one of the forms in which they are given. */
function drawNested(random: Random, item: () => Data): unknown {
  const items: unknown[] = random.many(1, 4, item)
  if (random.chance(0.04)) items.push(random.one([1, 2]))
  return random.do<unknown>(
    () => items,
    () => items,
    () => ({ create: items.filter((one) => typeof one === 'object') }),
    () => ({ create: items.slice(0, 1), update: [], delete: random.chance(0.05) ? [1] : [] }),
  )
}

const withMostOf = (random: Random, names: readonly string[]): readonly string[] => [
  ...new Set([...['state', 'views'].filter(() => random.chance(0.97)), ...random.some(names, 2)]),
]

function drawPerson(random: Random, names: readonly string[], key: () => number): Data {
  const shapes = random.many(1, 2, () => withMostOf(random, names))
  const note = () => drawNote(random, random.one(shapes), key)
  const isKeyed = random.chance(0.9)
  return {
    ...(isKeyed && { id: key() }),
    name: random.one(['Ada', 'Bo', 'Cy']),
    ...(random.chance(0.5) && { team: random.one([1, 2, 3, null]) }),
    ...(random.chance(0.95) && { notes: drawNested(random, note) }),
  }
}

function drawTeam(random: Random, names: readonly string[], key: () => number): Data {
  const member = () => ({
    id: key(),
    ...(random.chance(0.1) ? { person: drawPerson(random, names, key) } : { person: random.one([1, 2, 3]) }),
    role: random.one(['chief', 'guest']),
  })
  return { id: key(), name: random.one(['red', 'blue']), members: drawNested(random, member) }
}

const personRules = (random: Random): readonly Rules[] =>
  random.one<readonly Rules[]>([
    [{}],
    [{}],
    [{ filter: { team: '$CURRENT_USER.team' } }],
    [{ validation: { name: { _neq: 'Bo' } } }],
    [{ filter: { notes: { _some: { state: 'open' } } } }],
    [{ validation: { 'count(notes)': { _lte: 2 } } }],
    [{ fields: ['id', 'name', 'notes'] }],
    [{ fields: ['id', 'name', 'team'] }, { filter: { name: 'Ada' } }],
    [{ presets: { team: 1 } }],
  ])

function drawAccess(random: Random): Caller {
  const rules = drawRules(random)
  const { notes } = rules
  const readBy = (read: unknown) => (random.chance(0.8) ? [noRule] : read)
  return drawCaller(random, {
    people: { read: readBy(rules.people?.read), create: personRules(random) },
    teams: {
      read: readBy(rules.teams?.read),
      create: [random.one([noRule, noRule, { filter: { members: { person: '$CURRENT_USER' } } }])],
    },
    memberships: {
      read: [noRule],
      create: [
        random.one<Rules>([
          noRule,
          noRule,
          { validation: { team: { name: 'red' } } },
          { filter: { person: { name: 'Ada' } } },
        ]),
      ],
    },
    notes: {
      ...notes,
      read: readBy(notes.read),
      create: random.chance(0.2) ? notes.create : nestedRules(random),
    },
  } as NonNullable<Caller['rules']>)
}

interface Call {
  readonly collection: 'people' | 'teams'
  readonly items: readonly Data[]
  readonly query: { readonly fields?: readonly string[] }
}

const made = (engine: Engine<Schema>, { collection, items, query }: Call): Promise<unknown> => {
  const [first, ...others] = items
  return first && others.length === 0
    ? createItem(engine, collection, first, query)
    : createItems(engine, collection, items, query)
}

const ways = {
  function: made,
  transaction: (engine: Engine<Schema>, call: Call) => engine.transaction((inside) => made(inside, call)),
}

describe.each(databases)('on $name', ({ name: database, open }) => {
  it.each(Array.from({ length: drawsOf('nested items on both ways') }, (_, at) => fuzzSeed + at))(
    'new items in new ones (QUERNEL_SEED=%s)',
    async (seed) => {
      const random = new Random(seed)
      const facts = drawFacts(random)
      const { trigger: _trigger, ...quiet } = facts
      const world = statementsOf(database, drawTables(random), random.chance(0.7) ? quiet : facts)
      const settings = {
        schema: schemaOf(facts),
        clock: () => new Date(`${now}Z`),
        variables: { $CURRENT_USER: 'people' },
      }
      const twins = await Promise.all(
        [0, 1].map(() => openTwin(open, withCountedKeys(database, world), settings)),
      )
      const [together, general] = twins as [Twin, Twin]
      const events = new Map<Twin, unknown[]>(twins.map((twin) => [twin, []]))
      for (const twin of twins)
        for (const table of tables)
          twin.engine.on(
            'items.create',
            table,
            (event) => void events.get(twin)?.push([event.collection, event.keys, event.payload]),
            { when: 'after' },
          )
      for (let at = 0; at < callsOfEach; at++) {
        let last = given
        const key = () => last++
        const caller = random.chance(0.25) ? drawCaller(random, undefined) : drawAccess(random)
        const names = noteFields.filter((name) => name !== 'id' && name !== 'author')
        const collection = random.one(['people', 'people', 'teams'] as const)
        const draw = collection === 'people' ? drawPerson : drawTeam
        const items = random.many(1, random.chance(0.7) ? 1 : 3, () => draw(random, names, key))
        const query = random.one([
          { fields: ['id'] },
          {},
          { fields: ['id', collection === 'people' ? 'notes.id' : 'members.id'] },
        ])
        const call = { collection, items, query }
        const way = random.one(['function', 'transaction'] as const)
        const written = (twin: Twin, isByStatement: boolean) => {
          const engine = (caller.rules ? twin.engine.as(caller as Access) : twin.engine) as Engine<Schema>
          return outcomeOf(() => ways[way](engine, call), isByStatement)
        }
        for (const one of twins) events.get(one)?.splice(0)
        together.texts.length = 0
        const found = await written(together, true)
        const isTogether = isWrittenTogether(together.texts) || hasCounted(together.texts)
        const expected = await written(general, false)
        const [after, others] = await Promise.all(twins.map(storedIn))
        const report = `QUERNEL_SEED=${seed}, call ${at} by ${way}: ${JSON.stringify({ call, caller, facts, texts: together.texts.slice(-4) })}`
        expect(comparable(found, after ?? {}, events.get(together) ?? []), report).toBe(
          comparable(expected, others ?? {}, events.get(general) ?? []),
        )
        const how = `${database} ${caller.rules ? 'under rules' : 'freely'} ${isTogether ? 'together' : 'otherwise'}${'error' in found ? ' refused' : ''}`
        counts[how] = (counts[how] ?? 0) + 1
        for (const { run } of twins) {
          await run(`delete from notes where id >= ${given}`)
          await run(`update notes set author = null where author >= ${given}`)
          for (const table of ['memberships', 'people', 'teams'])
            await run(`delete from ${table} where id >= ${given}`)
        }
      }
    },
  )
})

const hasCounted = (texts: readonly string[]): boolean =>
  texts.some((text) => /^insert .*returning/.test(text))

afterAll(() => {
  console.info('nested items', JSON.stringify(counts))
  for (const { name } of databases)
    for (const who of ['freely', 'under rules'])
      expect(counts[`${name} ${who} together`], `${name} ${who}`).toBeGreaterThan(0)
})
