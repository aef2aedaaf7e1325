// Callers with drawn rules write while somebody else does. Whatever moment is chosen for the other, it is as if one had come after the other;
// and what callers do to what they see is what anybody would do to a database that holds nothing else.
import { sql } from 'kysely'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Access, createEngine, isEngineError } from '../../src/index.ts'
import { fuzzSeed, Random } from '../property/seeded-random.ts'
import { drawsOf } from '../support/draws.ts'
import { isShort } from '../support/long-runs.ts'
import { type DrawnWrite, drawnWrite, type Lists, schema } from './random-writes.ts'
import { type Stepped, steppedDatabases } from './stepped-databases.ts'

/** Of each database; 1,000 in a long run. */
const writes = drawsOf('writes beside other writes')
/** Those in which the order of two writes decides are few, so some of them are always there. */
const seeds = [
  ...Array.from({ length: writes }, (_, at) => fuzzSeed + at),
  ...Array.from({ length: 10 }, (_, at) => 41 + at),
]
const tables = ['lists', 'tasks', 'notes'] as const
const counts = { done: 0, refused: 0, stops: 0, late: 0, different: 0, hidden: 0 }

const isCode = (outcome: string) => /^[A-Z_]+$/.test(outcome)
const stateOf = (outcome: string, stored: string) => `${isCode(outcome) ? outcome : 'done'} ${stored}`

describe.each(steppedDatabases)('on $name', ({ open, create }) => {
  let opened: Stepped
  let engine: Lists
  beforeEach(async () => {
    opened = await open()
    for (const table of create) await run(table)
    engine = createEngine({ db: opened.db, schema })
  })
  afterEach(() => opened.close())

  const run = async (statement: string) => await sql.raw(statement).execute(opened.other)
  const fill = async ({ rows }: DrawnWrite) => {
    for (const table of tables.toReversed()) await run(`delete from ${table}`)
    for (const row of rows) await run(row)
  }
  const rowsOf = async (table: string) =>
    (
      await sql
        .raw<Readonly<Record<string, unknown>>>(`select * from ${table} order by id`)
        .execute(opened.other)
    ).rows
  const contents = async () => {
    const all: unknown[] = []
    for (const table of tables) all.push(await rowsOf(table))
    return JSON.stringify(all)
  }
  const outcomeOf = (calling: Promise<unknown>) =>
    calling.then(
      (answer) => JSON.stringify(answer ?? null),
      (error: unknown) => (isEngineError(error) ? error.code : String(error)),
    )
  const as = (access: Access<typeof schema>) => engine.as(access) as Lists

  it(`a write is judged as if it came before or after another (QUERNEL_SEED=${fuzzSeed})`, async () => {
    for (const seed of seeds) {
      const drawn = drawnWrite(new Random(seed))
      const ours = () => outcomeOf(drawn.call(as(drawn.caller.access)))
      await fill(drawn)
      const outcome = await ours()
      counts[isCode(outcome) ? 'refused' : 'done']++
      await run(drawn.other)
      const before = stateOf(outcome, await contents())
      await fill(drawn)
      await run(drawn.other)
      // A row that ceases to be visible between being looked up and being locked.
      const gone = stateOf('NOT_FOUND', await contents())
      const after = stateOf(await ours(), await contents())
      const isAlike = before === after
      if (!isAlike) counts.different++
      // What is done in either order is done at any moment.
      const allowed = isAlike && !isCode(outcome) ? [before] : [before, after, gone]
      for (let stop = 1, isReached = true; isReached; stop++) {
        await fill(drawn)
        isReached = false
        let isLate = false
        opened.stepping.steps = 0
        opened.stepping.before = async (step) => {
          if (step !== stop) return
          isReached = true
          // Whoever finds the rows held comes later.
          isLate = !(await run(drawn.other).then(() => true, opened.isHeld))
        }
        const found = await ours()
        opened.stepping.before = undefined
        if (isLate || !isReached) await run(drawn.other)
        counts.stops++
        if (isLate) counts.late++
        // The answer is read by a later statement, and what it shows is right for the moment of that one. It is tried elsewhere.
        expect(allowed, reportOf(drawn, seed, stop)).toContain(stateOf(found, await contents()))
      }
    }
  })

  it(`a write does to what is seen what it does where there is nothing else (QUERNEL_SEED=${fuzzSeed})`, async () => {
    for (let seed = fuzzSeed; seed < fuzzSeed + writes * (isShort ? 1 : 5); seed++) {
      const drawn = drawnWrite(new Random(seed))
      const { caller, call } = drawn
      const isDone = async (calling: Promise<unknown>) => {
        const outcome = await outcomeOf(calling)
        return isCode(outcome) ? outcome : 'done'
      }
      await fill(drawn)
      const hidden = new Map<string, Awaited<ReturnType<typeof rowsOf>>>()
      for (const table of ['tasks', 'notes'] as const) {
        const { rows } = await sql
          .raw<Readonly<Record<string, unknown>>>(
            `select * from ${table} where (${caller.seen[table]}) is not true order by id`,
          )
          .execute(opened.other)
        hidden.set(table, rows)
        counts.hidden += rows.length
      }
      const got = (await isDone(call(as(caller.free)))) + (await contents())
      await fill(drawn)
      for (const [table, rows] of hidden)
        for (const { id } of rows) await run(`delete from ${table} where id = ${id}`)
      const outcome = await isDone(call(engine))
      for (const [table, rows] of hidden)
        for (const row of rows) await opened.other.insertInto(table).values(row).execute()
      expect(got, reportOf(drawn, seed)).toBe(outcome + (await contents()))
    }
  })
})

afterAll(() => {
  console.info('random writes', JSON.stringify(counts))
  expect(counts.different).toBeGreaterThan(0)
  expect(counts.done).toBeGreaterThan(0)
  expect(counts.refused).toBeGreaterThan(0)
  expect(counts.hidden).toBeGreaterThan(0)
})

const reportOf = ({ title, other, rows, caller }: DrawnWrite, seed: number, stop?: number): string =>
  [`QUERNEL_SEED=${seed}, before statement ${stop}`, title, other, ...rows, JSON.stringify(caller)].join('\n')
