// Updates of items with children in them are answered, refused, stored and reported the same whether statements of many rows write them or the general path
// does.
import { afterAll, describe, expect, it } from 'vitest'
import { type Access, type Engine, type Schema, updateEach, updateItem } from '../../../src/index.ts'
import { fuzzSeed, Random } from '../../property/seeded-random.ts'
import { databases } from '../../support/databases.ts'
import { drawsOf } from '../../support/draws.ts'
import { schemaOf, statementsOf } from '../obligations/database.ts'
import { condition, drawCaller, drawFacts, drawTables } from '../obligations/draw.ts'
import { type Caller, noteFields, now } from '../obligations/model.ts'
import { comparable, drawValue, nestedRules, noRule, type Rules, storedIn, tables } from './nested-world.ts'
import { isWrittenTogether, openTwin, outcomeOf, type Twin, withCountedKeys } from './twins.ts'

type Data = Readonly<Record<string, unknown>>

const callsOfEach = 14
/** Keys that items give. */
const given = 100
const counts: Record<string, number> = {}

function drawNote(random: Random, names: readonly string[]): Data {
  const note = Object.fromEntries(names.map((name) => [name, drawValue(random, name)]))
  if (random.chance(0.03)) note[random.one(['author', 'nothing'])] = 1
  if (random.chance(0.03)) note[random.one(['done', 'id'])] = undefined
  return note
}

/** Draws children: keys, items with keys, and new ones. */
function drawChildren(random: Random): unknown {
  const names = noteFields.filter((name) => name !== 'id' && name !== 'author')
  const whole = [...new Set(['state', 'views', ...random.some(names, 1)])]
  const some = random.some(names, 2)
  const there: readonly number[] = random.some([1, 2, 3, 4], 4)
  const keys = random.chance(0.05) ? [...there, random.one([1, 9])] : there
  const made = () => random.many(0, 2, () => drawNote(random, whole))
  const changed = (id: number) => ({ id, ...drawNote(random, some) })
  return random.do<unknown>(
    () => [...keys, ...made()],
    () => [...keys.map((id) => (random.chance(0.5) ? changed(id) : id)), ...made()],
    () => [...made(), ...keys.map(changed)],
    () => ({ create: made(), update: keys.slice(1).map(changed), delete: keys.slice(0, 1) }),
    () => ({ create: made() }),
    () => random.one([[], null]),
  )
}

function drawPerson(random: Random): Data {
  return {
    ...(random.chance(0.45) && { name: random.one(['Ada', 'Bo', 'Cy']) }),
    ...(random.chance(0.15) && { team: random.one([1, 2, 3, null]) }),
    ...(random.chance(0.95) && { notes: drawChildren(random) }),
  }
}

/** Draws a team with members, which are always of one. */
function drawTeam(random: Random, key: () => number): Data {
  const there = random.some([1, 2, 3, 4], 4)
  const role = () => random.one(['chief', 'guest'])
  const place = () => random.chance(0.1) && { place: random.one([null, 4]) }
  const made = () =>
    random.many(0, 2, () => ({ id: key(), person: random.one([1, 2, 3]), role: role(), ...place() }))
  const people = random.some([1, 2, 3], 3)
  const members = random.do<unknown>(
    () => [...there, ...(random.chance(0.2) ? made() : [])],
    () => [...there, ...people.map((person) => ({ id: key(), person, role: role() }))],
    () => people.map((person) => ({ id: key(), person, role: role() })),
    () =>
      there.map((id) => (random.chance(0.5) ? { id, role: role() } : { id, person: random.one([1, 2, 9]) })),
    () => ({ create: made(), update: there.map((id) => ({ id, role: role() })) }),
    () => ({ create: made(), delete: there.slice(0, 1) }),
  )
  return { ...(random.chance(0.5) && { name: random.one(['red', 'blue']) }), members }
}

const personRules = (random: Random): readonly Rules[] =>
  random.one<readonly Rules[]>([
    [{}],
    [{}],
    [{ filter: { id: '$CURRENT_USER' } }],
    [{ filter: { team: '$CURRENT_USER.team' } }],
    [{ validation: { name: { _neq: 'Bo' } } }],
    [{ validation: { 'count(notes)': { _lte: 2 } } }],
    [{ fields: ['name', 'notes'] }],
    [{ fields: ['name'] }],
    [{ filter: { name: 'Ada' } }, { presets: { team: 1 } }],
    [{ presets: { team: '$CURRENT_USER.team' } }],
  ])

/** Rules of notes that are there. */
const changeRules = (random: Random): readonly Rules[] =>
  random.do<readonly Rules[]>(
    () => [{}],
    () => [{}],
    () => [{ filter: condition(random) }],
    () => [{ validation: condition(random) }],
    () => [{ validation: { author: { name: { _neq: 'Bo' } } } }],
    () => [{ presets: { team: '$CURRENT_USER.team' } }, { fields: [...noteFields] }],
    () => [{ fields: noteFields.filter(() => random.chance(0.9)) }],
  )

const goneRules = (random: Random): readonly Rules[] =>
  random.do<readonly Rules[]>(
    () => [noRule],
    () => [noRule],
    () => [{ filter: condition(random) }],
    () => [{ filter: { author: { name: 'Ada' } } }],
  )

const seenRules = (random: Random): readonly Rules[] =>
  random.do<readonly Rules[]>(
    () => [noRule],
    () => [noRule],
    () => [noRule],
    () => [{ filter: { author: { team: '$CURRENT_USER.team' } } }],
    () => [{ filter: condition(random) }],
    () => [{ filter: { views: { _lte: 7 } } }, { fields: ['id', 'views'] }],
  )

const drawAccess = (random: Random): Caller =>
  drawCaller(random, {
    people: { read: random.chance(0.8) ? [noRule] : personRules(random), update: personRules(random) },
    teams: {
      read: [noRule],
      update: [random.one([noRule, { filter: { members: { person: '$CURRENT_USER' } } }])],
    },
    memberships: {
      read: [random.one([noRule, noRule, { filter: { role: 'chief' } }])],
      create: [random.one([noRule, { validation: { team: { name: 'red' } } }])],
      update: [random.one([noRule, noRule, { filter: { person: { name: 'Ada' } } }])],
      delete: [random.one([noRule, { filter: { role: 'guest' } }])],
    },
    notes: {
      read: seenRules(random),
      create: nestedRules(random),
      update: changeRules(random),
      ...(random.chance(0.9) && { delete: goneRules(random) }),
    },
  } as NonNullable<Caller['rules']>)

interface Call {
  readonly collection: 'people' | 'teams'
  readonly items: readonly (readonly [key: number, data: Data])[]
  readonly query: { readonly fields?: readonly string[] }
}

const updated = (engine: Engine<Schema>, { collection, items, query }: Call): Promise<unknown> => {
  const [first, ...others] = items
  return first && others.length === 0
    ? updateItem(engine, collection, first[0], first[1], query)
    : updateEach(
        engine,
        collection,
        items.map(([id, data]) => ({ id, ...data })),
        query,
      )
}

const ways = {
  function: updated,
  transaction: (engine: Engine<Schema>, call: Call) => engine.transaction((inside) => updated(inside, call)),
}

describe.each(databases)('on $name', ({ name: database, open }) => {
  it.each(Array.from({ length: drawsOf('nested items on both ways') }, (_, at) => fuzzSeed + at))(
    'children of items that are there (QUERNEL_SEED=%s)',
    async (seed) => {
      const random = new Random(seed)
      const { trigger, ...facts } = drawFacts(random)
      const drawn = drawTables(random)
      const pairs = drawn.memberships.map(({ team, person }) => `${team} ${person}`)
      const world = [
        ...statementsOf(database, drawn, trigger && random.chance(0.3) ? { ...facts, trigger } : facts),
        ...drawn.memberships.map(
          ({ id }) => `update memberships set place = ${random.one(['null', 1, 3, 7])} where id = ${id}`,
        ),
        ...(new Set(pairs).size === pairs.length && random.chance(0.7)
          ? ['create unique index pairs on memberships (team, person)']
          : []),
      ]
      const isJunction = random.chance(0.6)
      const order = random.chance(0.5) ? { sort: 'place' } : {}
      const isDeleted = random.chance(0.5)
      const settings = {
        schema: schemaOf(
          facts,
          isDeleted ? { deselect: 'delete' } : {},
          isJunction
            ? { type: 'm2m', through: 'memberships.team', to: 'person', ...order }
            : { type: 'o2m', from: 'memberships.team', ...order },
        ),
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
          for (const event of ['items.create', 'items.update', 'items.delete'] as const)
            twin.engine.on(
              event,
              table,
              ({ collection, keys, payload }: { collection: string; keys: unknown; payload?: unknown }) =>
                void events.get(twin)?.push([event, collection, keys, payload]),
              { when: 'after' },
            )
      for (let at = 0; at < callsOfEach; at++) {
        const caller = random.chance(0.4) ? drawCaller(random, undefined) : drawAccess(random)
        const keys = random.chance(0.8) ? [random.one([1, 2, 3])] : random.some([1, 2, 3], 2)
        let last = given
        const isTeam = random.chance(0.4)
        const item = () => (isTeam ? drawTeam(random, () => last++) : drawPerson(random))
        const items = (keys.length > 0 ? keys : [1]).map((key) => [key, item()] as const)
        const query = random.one([
          { fields: ['id'] },
          {},
          { fields: ['id', isTeam ? 'members.id' : 'notes.id'] },
        ])
        const call = { collection: isTeam ? 'teams' : 'people', items, query } as const
        const way = random.one(['function', 'transaction'] as const)
        const written = (twin: Twin, isByStatement: boolean) => {
          const engine = (caller.rules ? twin.engine.as(caller as Access) : twin.engine) as Engine<Schema>
          return outcomeOf(() => ways[way](engine, call), isByStatement)
        }
        for (const one of twins) events.get(one)?.splice(0)
        together.texts.length = 0
        const found = await written(together, true)
        const isTogether = isWrittenTogether(together.texts)
        const expected = await written(general, false)
        const [after, others] = await Promise.all(twins.map(storedIn))
        const report = `QUERNEL_SEED=${seed}, call ${at} by ${way}: ${JSON.stringify({ call, caller, facts, isDeleted, texts: together.texts.slice(-9) })}`
        expect(comparable(found, after ?? {}, events.get(together) ?? []), report).toBe(
          comparable(expected, others ?? {}, events.get(general) ?? []),
        )
        const how = `${database} ${caller.rules ? 'under rules' : 'freely'} ${isTogether ? 'together' : 'otherwise'}${'error' in found ? ' refused' : ''}`
        counts[how] = (counts[how] ?? 0) + 1
        if (isTeam && 'sort' in order) counts[`${how}, sorted`] = (counts[`${how}, sorted`] ?? 0) + 1
        if (isTeam && isJunction) counts[`${how}, junction`] = (counts[`${how}, junction`] ?? 0) + 1
        const isOfChildren = items.every(([, data]) => Object.keys(data).join() in { notes: 0, members: 0 })
        if (isOfChildren) counts[`${how}, children alone`] = (counts[`${how}, children alone`] ?? 0) + 1
        for (const { run } of twins) {
          for (const table of ['notes', 'memberships', 'people', 'teams']) await run(`delete from ${table}`)
          for (const text of world.filter((one) => /^(insert into|update) /.test(one))) await run(text)
        }
      }
    },
  )
})

afterAll(() => {
  console.info('children of items that are there', JSON.stringify(counts))
  for (const { name } of databases)
    for (const who of ['freely', 'under rules'])
      for (const what of ['', ', children alone', ...(who === 'freely' ? [', junction', ', sorted'] : [])])
        expect(counts[`${name} ${who} together${what}`], `${name} ${who}${what}`).toBeGreaterThan(0)
})
