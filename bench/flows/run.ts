// Measures flows alone, by processor time, on SQLite in memory: `npx tsx --tsconfig bench/tsconfig.run.json bench/flows/run.ts`.
import '../production.ts'
import BetterSqlite from 'better-sqlite3'
import { Kysely } from 'kysely'
import { createEngine, createItem, defineSchema, type Engine } from 'quernel'
import { collectionFlows, createFlows, defineFlow } from 'quernel/flows'
import { sqliteDialect } from 'quernel/sqlite'
import { median, medianOf } from '../median.ts'

const schema = defineSchema({
  tasks: {
    fields: { id: { type: 'integer', key: true }, title: { type: 'string' }, points: { type: 'integer' } },
  },
  others: { fields: { id: { type: 'integer', key: true }, title: { type: 'string' } } },
  flows: {
    fields: {
      id: { type: 'integer', key: true },
      name: { type: 'string' },
      trigger: { type: 'json' },
      first: { type: 'string' },
      operations: { type: 'json' },
      saved_by: { type: 'integer', nullable: true },
    },
  },
})

function open(): { readonly engine: Engine<typeof schema>; readonly database: BetterSqlite.Database } {
  const database = new BetterSqlite(':memory:')
  database.exec(`
    create table tasks (id integer primary key, title text not null, points integer not null);
    create table others (id integer primary key, title text not null);
    create table flows (id integer primary key, name text not null, "trigger" text not null, first text not null, operations text not null, saved_by integer);
  `)
  return {
    engine: createEngine({ db: new Kysely({ dialect: sqliteDialect({ database }) }), schema }),
    database,
  }
}

const condition = (operator: string, operand: unknown, resolve?: string) => ({
  type: 'condition' as const,
  options: { filter: { $trigger: { payload: { points: { [operator]: operand } } } } },
  ...(resolve !== undefined && { resolve }),
})

/** A flow of 50 operations, each with a template. */
const large = () =>
  defineFlow({
    name: 'large',
    trigger: { on: 'flow' },
    first: 'o0',
    operations: Object.fromEntries(
      Array.from({ length: 50 }, (_, at) => [
        `o${at}`,
        {
          type: 'transform' as const,
          options: { json: { value: '{{ $trigger.value }}', text: 'n: {{ $last }}' } },
          ...(at < 49 && { resolve: `o${at + 1}` }),
        },
      ]),
    ),
  })

/** Milliseconds of processor that one call takes: the median of some rounds. */
async function processorOf(call: (at: number) => Promise<unknown>, times: number): Promise<number> {
  const rounds: number[] = []
  for (let round = 0; round < 9; round++) {
    const start = process.cpuUsage()
    for (let at = 0; at < times; at++) await call(at)
    const { user, system } = process.cpuUsage(start)
    if (round > 1) rounds.push((user + system) / 1_000 / times)
  }
  return median(rounds)
}

/** Milliseconds of processor of two kinds of calls, by rounds that alternate. */
async function besideEachOther(
  [one, other]: readonly [(at: number) => Promise<unknown>, (at: number) => Promise<unknown>],
  times: number,
): Promise<readonly [number, number]> {
  const rounds: [number[], number[]] = [[], []]
  for (let round = 0; round < 40; round++) {
    for (const [which, call] of [one, other].entries()) {
      const start = process.cpuUsage()
      for (let at = 0; at < times; at++) await call(at)
      const { user, system } = process.cpuUsage(start)
      if (round > 4) rounds[which]?.push((user + system) / 1_000 / times)
    }
  }
  return [median(rounds[0]), median(rounds[1])]
}

async function writes(): Promise<{ readonly added: number; readonly unheard: number }> {
  const bare = open().engine
  const { engine } = open()
  const flows = createFlows(engine, {
    flows: [
      defineFlow({
        name: 'guard',
        trigger: { on: 'items.create', collections: ['tasks'], when: 'before' },
        first: 'one',
        operations: { one: condition('_gte', 0, 'two'), two: condition('_lt', 1_000_000) },
      }),
    ],
  })
  const task = (on: Engine<typeof schema>) => (at: number) =>
    createItem(on, 'tasks', { title: `task ${at}`, points: at })
  const other = (on: Engine<typeof schema>) => (at: number) => createItem(on, 'others', { title: `${at}` })
  const [plain, guarded] = await besideEachOther([task(bare), task(engine)], 500)
  const [alone, unheard] = await besideEachOther([other(bare), other(engine)], 500)
  await flows.stop()
  return { added: guarded - plain, unheard: unheard / alone }
}

async function loads(): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 5; round++) {
    const { engine, database } = open()
    const insert = database.prepare(
      'insert into flows (name, "trigger", first, operations, saved_by) values (?, ?, ?, ?, 7)',
    )
    for (let at = 0; at < 1_000; at++)
      insert.run(
        `flow ${at}`,
        JSON.stringify({ on: 'items.create', collections: ['tasks'], when: 'before' }),
        'one',
        JSON.stringify({ one: condition('_gte', at, 'two'), two: condition('_lt', 1_000_000) }),
      )
    const flows = createFlows(engine, {
      flows: [
        collectionFlows('flows', {
          access: ['author'],
          author: 'saved_by',
          collections: ['tasks'],
          operations: ['condition'],
        }),
      ],
      access: () => ({ admin: true }),
    })
    const start = process.cpuUsage()
    await flows.start()
    const { user, system } = process.cpuUsage(start)
    times.push((user + system) / 1_000)
    if (flows.status().flows.some(({ state }) => state !== 'active')) throw new Error('A flow is disabled.')
    await flows.stop()
  }
  return median(times)
}

/** Milliseconds that a template of 1 KiB with ten places takes, beside a text without any. */
async function templates(): Promise<number> {
  const { engine } = open()
  const filler = 'x'.repeat(85)
  const flow = (name: string, text: string) =>
    defineFlow({
      name,
      trigger: { on: 'flow' },
      first: 'text',
      operations: { text: { type: 'log', options: { message: text } } },
    })
  const flows = createFlows(engine, {
    flows: [
      flow('places', Array.from({ length: 10 }, () => `${filler}{{ $trigger.a.b }}`).join('')),
      flow('none', Array.from({ length: 10 }, () => `${filler}some text here....`).join('')),
    ],
  })
  const run = (name: string) => () => flows.run(name, { a: { b: 'some text' } }, { inline: true })
  const none = await processorOf(run('none'), 5_000)
  const places = await processorOf(run('places'), 5_000)
  await flows.stop()
  return places - none
}

const { added, unheard } = await writes()
const rows = [
  ['F1 check of 50 operations', medianOf(large, 500), 1, 'ms'],
  ['F2 1,000 flows loaded', await loads(), 300, 'ms'],
  ['F3 a before-flow of two conditions, each write', added, 0.2, 'ms'],
  ['F4 a collection without flows, beside no flows', unheard, 1.05, '×'],
  ['F5 a template of 1 KiB with 10 places', (await templates()) * 1_000, 20, 'µs'],
] as const
for (const [what, measured, goal, unit] of rows)
  console.log(`${what}: ${measured.toFixed(3)} ${unit}, goal ${goal}${measured > goal ? ', missed' : ''}`)
