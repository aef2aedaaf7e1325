// A write that its statement refuses is refused with the same error as by the general path.
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import {
  type Access,
  createEngine,
  defineSchema,
  type Engine,
  type EngineError,
  isEngineError,
  type Schema,
  updateItem,
} from '../../src/index.ts'
import { judging } from '../../src/writes/context/row-template.ts'
import { fuzzSeed, Random } from '../property/seeded-random.ts'
import { databases } from '../support/databases.ts'
import { drawsOf } from '../support/draws.ts'
import { integer, key, many, one, string } from '../support/fields.ts'
import { schemaOf, statementsOf } from './obligations/database.ts'
import { call, doors } from './obligations/doors.ts'
import { condition, drawCaller, drawFacts, drawRules, drawTables, drawWrite } from './obligations/draw.ts'
import { type Caller, now, type Write } from './obligations/model.ts'

const writesOfEach = 40
const counts: Record<string, number> = {}

/** Calls in a transaction that is undone. */
async function undone(
  engine: Engine<Schema>,
  work: (inside: Engine<Schema>) => Promise<unknown>,
): Promise<void> {
  const isDone = new Error('undone')
  const calling = engine.transaction(async (inside) => {
    await work(inside)
    throw isDone
  })
  await calling.catch((error: unknown) => {
    if (error !== isDone) throw error
  })
}

/** All that a caller is told of an error; undefined if there is none. */
const toldBy = (
  calling: Promise<unknown>,
): Promise<readonly Pick<EngineError, 'code' | 'message'>[] | undefined> =>
  calling.then(
    () => undefined,
    (error: unknown) => {
      if (!isEngineError(error)) throw error
      return (error.errors ?? [error]).map(({ code, message, path, hint, extensions }) => ({
        code,
        message,
        path,
        hint,
        extensions,
      }))
    },
  )

/** One rule of each action, as most are: its refusals are told without the general path. */
const plainRules = (random: Random): NonNullable<Caller['rules']> => {
  const rule = () => [
    {
      ...(random.chance(0.6) && { filter: condition(random) }),
      ...(random.chance(0.7) && { validation: condition(random) }),
    },
  ]
  const notes = { read: [{}], create: rule(), update: rule(), delete: rule() }
  return { ...drawRules(random), notes }
}

/** A note without mistakes in its values: rules alone refuse it, or the database. */
function plainWrite(random: Random): Write {
  const data = {
    author: random.one([1, 2, 3, 9]),
    team: random.one([1, 2, 3, 9]),
    state: random.one(['open', 'done']),
    views: random.one([1, 5, 7]),
  }
  if (random.chance(0.3)) return { verb: 'create', data }
  const names = random.some(Object.keys(data), 4)
  const some = Object.fromEntries(Object.entries(data).filter(([name]) => names.includes(name)))
  const sum = random.chance(0.1) && { views: { _inc: 1 } }
  return { verb: 'update', key: random.one([1, 2, 3, 4]), data: { state: data.state, ...some, ...sum } }
}

afterEach(() => {
  judging.isByStatement = true
})

describe.each(databases)('on $name', ({ name: database, open }) => {
  it.each(Array.from({ length: drawsOf('refusals of both ways') }, (_, at) => fuzzSeed + at))(
    'what refuses a write is the same in both ways (QUERNEL_SEED=%s)',
    async (seed) => {
      const { db, run } = await open()
      const random = new Random(seed)
      const facts = drawFacts(random)
      const tables = drawTables(random)

      for (const statement of statementsOf(database, tables, facts)) await run(statement)
      const engine = createEngine({
        db,
        schema: schemaOf(facts),
        clock: () => new Date(`${now}Z`),
        variables: { $CURRENT_USER: 'people' },
      })
      const rules = [drawRules(random), drawRules(random), plainRules(random), plainRules(random)]
      for (let at = 0; at < writesOfEach; at++) {
        const caller = drawCaller(random, random.one(rules))
        const write = random.chance(0.6) ? plainWrite(random) : drawWrite(random, caller, tables)
        const [door, through] = random.one(Object.entries(doors))
        const ours = engine.as(caller as Access)
        judging.isByStatement = false
        const general = await toldBy(undone(ours, (inside) => call(inside, write)))
        judging.isByStatement = true
        const told = await toldBy(through(ours, write, db))
        const report = JSON.stringify({ seed, at, door, write, caller, facts, tables }, null, 1)
        expect(told, report).toEqual(general)
        const name = `${write.verb} ${general?.[0]?.code ?? 'done'}`
        counts[name] = (counts[name] ?? 0) + 1
      }
    },
  )
})

/** A note of somebody else, with a part whose size cannot be computed. */
const unreadable = [
  'create table notes (id integer primary key, author integer, title text)',
  'create table kept (id integer primary key, note integer, number bigint)',
  'create view parts as select id, note, abs(number) as size from kept',
  "insert into notes values (1, 2, 'Hidden')",
  'insert into kept values (1, 1, -9223372036854775807 - 1)',
]

describe.each(databases)('on $name', ({ open }) => {
  it('a row that is hidden is missing, though a rule fails on it', async () => {
    const { db, run } = await open()

    for (const statement of unreadable) await run(statement)
    const schema = defineSchema({
      notes: { fields: { id: key, author: integer, title: string, parts: many('parts.note') } },
      parts: { fields: { id: key, note: one('notes'), size: integer } },
    })
    const update = { filter: { parts: { _some: { size: { _gte: 0 } } } } }
    const rules = { notes: { read: { filter: { author: 1 } }, update }, parts: { read: true } }
    const ours = createEngine({ db, schema }).as({ user: 1, rules })
    const updating = updateItem(ours, 'notes', 1, { title: 'New' })
    await expect(updating).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

afterAll(() => console.info('refusals', JSON.stringify(counts)))
