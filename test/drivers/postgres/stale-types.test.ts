// A column gets another type while statements are prepared: a connection that knows the old one writes as a new connection does, at once, and finds
// what that finds after a minute at most. Tried for every pair of types that a field can have: `alter table … type` takes them all by way of text.
import { randomBytes } from 'node:crypto'
import { CompiledQuery, Kysely } from 'kysely'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import {
  createEngine,
  createItem,
  createItems,
  defineSchema,
  deleteByQuery,
  type Engine,
  listItems,
  updateByQuery,
  updateItem,
  updateItems,
} from '../../../src/index.ts'
import { postgresDialect } from '../../../src/postgres.ts'
import type { AnyTables } from '../../support/databases.ts'
import { oneIn } from '../../support/long-runs.ts'

/** Types of columns that a field can have, with a value that every one of them takes, and values that only some do. */
const families = [
  {
    field: { type: 'integer', wide: true },
    columns: ['smallint', 'integer', 'bigint', 'numeric', 'real', 'double precision', 'numeric(4,0)'],
    value: 5,
    values: [7, 16_777_217, 40_000, 3_000_000_000],
  },
  {
    field: { type: 'bigInteger' },
    columns: ['smallint', 'integer', 'bigint', 'numeric'],
    value: '5',
    values: ['7', '40000', '3000000000', '9007199254740993'],
  },
  {
    field: { type: 'float' },
    columns: ['real', 'double precision', 'numeric', 'numeric(8,2)', 'integer'],
    value: 5,
    values: [0.1, 1e10, 123_456.789],
  },
  {
    field: { type: 'decimal', scale: 6 },
    columns: ['numeric(8,2)', 'numeric(20,6)', 'real', 'double precision', 'integer', 'text'],
    value: '5.000000',
    values: ['0.100000', '1.234567', '16777217.000000'],
  },
  {
    field: { type: 'string' },
    columns: ['char(8)', 'varchar(8)', 'varchar(40)', 'text', 'name', 'mood'],
    value: 'ab',
    values: ['ab  ', 'a longer text', 'cd'],
  },
  {
    field: { type: 'dateTime' },
    columns: ['date', 'timestamp', 'timestamp(0)', 'timestamptz', 'text'],
    value: '2026-05-01T00:00:00',
    values: ['2026-05-02T11:30:00', '2026-05-03T00:00:00'],
  },
  {
    field: { type: 'timestamp' },
    columns: ['date', 'timestamp', 'timestamptz', 'timestamptz(0)'],
    value: '2026-05-01T00:00:00.000Z',
    values: ['2026-05-02T11:30:00.250Z', '2026-05-03T00:00:00.000Z'],
  },
  {
    field: { type: 'time' },
    columns: ['time', 'time(0)', 'interval', 'text'],
    value: '10:00:00',
    values: ['11:30:15', '23:59:59'],
  },
  { field: { type: 'json' }, columns: ['json', 'jsonb'], value: { a: 1 }, values: [[2, 'b'], null, 'text'] },
  {
    field: { type: 'uuid' },
    columns: ['uuid', 'text', 'varchar(36)', 'char(36)'],
    value: 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
    values: ['b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12'],
  },
  { field: { type: 'boolean' }, columns: ['boolean'], value: true, values: [false] },
] as const

const pairs = families.flatMap(({ columns, ...family }) =>
  columns.flatMap((from) =>
    columns.filter((to) => to !== from).map((to) => ({ ...family, from: from as string, to: to as string })),
  ),
)

const name = `stale_${randomBytes(6).toString('hex')}`
let admin: pg.Client
beforeAll(async () => {
  admin = new pg.Client({
    connectionString: inject('postgres').c,
    options: `-c search_path=${name} -c timezone=UTC`,
  })
  await admin.connect()
  await admin.query(`create schema ${name}`)
  await admin.query(`create type mood as enum ('ab', 'ab  ', 'cd', 'a longer text')`)
})
afterAll(async () => {
  await admin.query(`drop schema ${name} cascade`)
  await admin.end()
})
afterEach(() => vi.restoreAllMocks())

const opened: Kysely<AnyTables>[] = []
afterEach(async () => {
  for (const db of opened.splice(0)) await db.destroy()
})

/** Opens an engine; one that prepares nothing answers as a new connection does. */
function open(field: object, pooled = false): Engine {
  const pool = new pg.Pool({
    connectionString: inject('postgres').c,
    options: `-c search_path=${name} -c timezone=UTC`,
    max: 1,
  })
  const db = new Kysely<AnyTables>({ dialect: postgresDialect({ pool, pooled }) })
  opened.push(db)
  const id = { type: 'integer', key: true }
  const fields = { id, value: { ...field, nullable: true }, other: { type: 'integer', nullable: true } }
  // The field is one of many, so the compiler knows no more of the schema than that it is one.
  return createEngine({ db, schema: defineSchema({ items: { fields } } as never) }) as unknown as Engine
}

type Write = (engine: Engine, value: unknown) => Promise<unknown>

/** Each leaves the item 1 and what it has made. */
const writes: Readonly<Record<string, Write>> = {
  createItem: (engine, value) => createItem(engine, 'items', { value }, { fields: ['id'] }),
  'createItem that is read': (engine, value) => createItem(engine, 'items', { value }),
  createItems: (engine, value) => createItems(engine, 'items', [{ value }, { value, other: 1 }, { value }]),
  'createItems alike': (engine, value) => createItems(engine, 'items', [{ value }, { value }]),
  updateItem: (engine, value) => updateItem(engine, 'items', 1, { value }),
  updateItems: (engine, value) =>
    updateItems(engine, 'items', [
      { id: 1, value },
      { id: 2, other: 3, value },
    ]),
  updateByQuery: (engine, value) => updateByQuery(engine, 'items', { filter: { id: { _lt: 3 } } }, { value }),
  'a transaction': (engine, value) =>
    engine.transaction(async (inside) => {
      await createItem(inside, 'items', { other: 1 })
      await createItem(inside, 'items', { value })
    }),
  'updates in a transaction': (engine, value) =>
    engine.transaction(async (inside) => {
      await updateItem(inside, 'items', 1, { other: 1 })
      await updateItem(inside, 'items', 2, { value })
    }),
  "a transaction of the host's": (engine, value) =>
    engine.db.transaction().execute(async (transaction) => {
      const inside = engine.using(transaction)
      await updateItem(inside, 'items', 1, { other: 1 })
      await createItems(inside, 'items', [{ value }, { value }])
    }),
}

/** Each deletes what it finds by a value. */
const choosing: Readonly<Record<string, Write>> = {
  'deleteByQuery by the value': (engine, value) =>
    deleteByQuery(engine, 'items', { filter: { value: { _eq: value } } }, { keys: false }),
  'deleteByQuery by the value, with keys': (engine, value) =>
    deleteByQuery(engine, 'items', { filter: { value: { _eq: value } } }),
}

/** What has conditions that are read by statements of their own. */
const reads: Readonly<Record<string, Write>> = {
  'updateByQuery by the value': (engine, value) =>
    updateByQuery(engine, 'items', { filter: { value: { _eq: value } } }, { other: 9 }),
  _eq: (engine, value) => listItems(engine, 'items', { filter: { value: { _eq: value } }, fields: ['id'] }),
  _in: (engine, value) => listItems(engine, 'items', { filter: { value: { _in: [value] } }, fields: ['id'] }),
  _neq: (engine, value) => listItems(engine, 'items', { filter: { value: { _neq: value } }, fields: ['id'] }),
  all: (engine) => listItems(engine, 'items', {}),
}

const outcome = (work: Promise<unknown>) =>
  work.then(
    (answer) => JSON.stringify(answer),
    (error: unknown) => String(Object(error).code ?? error),
  )

/** Empties the table, but for two items with a value that every type takes. */
async function reset(value: unknown, field: { readonly type: string }): Promise<void> {
  await admin.query('truncate items restart identity')
  const text = field.type === 'json' ? JSON.stringify(value) : String(value).replace(/\.0+$/, '')
  await admin.query('insert into items (value) values ($1), ($1)', [text])
}

const rows = async () =>
  JSON.stringify((await admin.query('select id, value::text as value, other from items order by id')).rows)

const isOfKeys = ({ field }: (typeof pairs)[number]) => field.type !== 'json'

/** What a call does to a new table with two items, as an old connection does it and as a new one does. */
interface Tried {
  readonly title: string
  readonly work: Write
  /** True for what finds something by its value, which is there. */
  readonly isFinding: boolean
  /** True if the old connection may be as old as names can be. */
  readonly isLater: boolean
}
const tried = (works: Readonly<Record<string, Write>>, isFinding: boolean, isLater: boolean) =>
  Object.entries(works).map(([title, work]): Tried => ({ title, work, isFinding, isLater }))
const ofAll = tried(writes, false, false)
const ofKeys = [...ofAll, ...tried(choosing, true, false), ...tried(reads, true, true)]

describe.each(pairs.map((pair, at) => ({ ...pair, at })))('from $from to $to of $field.type', (pair) => {
  const { from, to, field, value, values, at } = pair
  const all = (isOfKeys(pair) ? ofKeys : ofAll).flatMap((one) =>
    [value, ...values].map((given) => ({ ...one, given })),
  )

  it('what an old connection stores and finds is what a new one does', async () => {
    await admin.query('drop table if exists items')
    await admin.query(
      'create table items (id integer generated by default as identity primary key, value text, other integer)',
    )
    const [old, fresh] = [open(field), open(field, true)]
    const become = async (type: string) => {
      await admin.query('truncate items')
      await admin.query(`alter table items alter column value type ${type} using value::text::${type}`)
    }
    const now = performance.now.bind(performance)
    let passed = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now() + passed)
    const different: unknown[] = []
    for (const { title, work, isFinding, isLater, given } of oneIn(32, all, at)) {
      await become(from)
      for (let time = 0; time < 4; time++) {
        await reset(value, field)
        // Some a column of the old type refuses.
        await outcome(work(old, value))
      }
      await become(to)
      const seen: string[] = []
      if (isLater) passed += 60_001
      for (const engine of [old, fresh]) {
        await reset(value, field)
        if (isFinding) await createItem(fresh, 'items', { value: given }).catch(() => undefined)
        const told = await outcome(work(engine, given))
        // What is tried twice takes numbers twice.
        seen.push(`${told} ${await rows()}`.replaceAll(/"id":([3-9]|\d\d+)/g, '"id":"new"'))
      }
      if (seen[0] !== seen[1]) different.push([title, given, ...seen])
    }
    expect(different).toEqual([])
  })
})

it.each([
  ['char(4)', 'text'],
  ['text', 'char(4)'],
  ['char(4)', 'varchar(9)'],
])('from %s to %s, a text that ends in blanks is found at once', async (from, to) => {
  await admin.query('drop table if exists items')
  await admin.query(`create table items (id serial primary key, value ${from}, other integer)`)
  const field = { type: 'string' }
  const [old, fresh] = [open(field), open(field, true)]
  const filters = [
    { value: { _eq: 'ab  ' } },
    { value: { _neq: 'ab  ' } },
    { value: { _in: ['cd', 'ab  '] } },
    { value: { _nin: ['cd', 'ab  '] } },
    { value: { _lte: 'ab  ' } },
    { value: { _between: ['a', 'ab  '] } },
  ]
  const found = async (engine: Engine) => {
    const lists: unknown[] = []
    for (const filter of filters) {
      const query = { filter, fields: ['id'], sort: ['id'] } as const
      lists.push([filter, await listItems(engine, 'items', query)])
      lists.push(await engine.transaction((inside) => listItems(inside, 'items', query)))
      const { updated } = await updateByQuery(engine, 'items', { filter }, { other: 1 })
      lists.push(updated)
    }
    return lists
  }
  await admin.query(`insert into items (value) values ('ab'), ('ab  '), ('cd')`)
  for (let time = 0; time < 4; time++) await found(old)
  await admin.query(`alter table items alter value type ${to}`)
  await admin.query(`update items set value = 'ab  ' where id = 2`)
  expect(await found(old)).toEqual(await found(fresh))
})

it('names age, and their statements are taken from the server', async () => {
  await admin.query('drop table if exists items')
  await admin.query(
    'create table items (id integer generated by default as identity primary key, value text, other integer)',
  )
  const engine = open({ type: 'string' })
  const prepared = async () => {
    // Asked more than once, this has a name, too.
    const text = `select name from pg_prepared_statements where statement not like '%statements%'`
    const found = await opened[0]?.executeQuery<{ name: string }>(CompiledQuery.raw(text))
    return (found?.rows ?? [])
      .map((row) => row.name)
      .filter((one) => one.startsWith('quernel_'))
      .sort()
  }
  const ask = () => listItems(engine, 'items', { filter: { value: 'a' } })
  for (let time = 0; time < 3; time++) await ask()
  const before = await prepared()
  expect(before.length).toBeGreaterThan(0)
  const later = performance.now() + 60_001
  vi.spyOn(performance, 'now').mockImplementation(() => later)
  for (let time = 0; time < 3; time++) await ask()
  const after = await prepared()
  expect(after).toHaveLength(before.length)
  expect(after.filter((one) => before.includes(one))).toEqual([])
})

it('a role that may write a column and not read it still does', async () => {
  await admin.query('drop table if exists items')
  await admin.query(
    'create table items (id integer generated by default as identity primary key, value text, other integer)',
  )
  const role = `writer_${randomBytes(6).toString('hex')}`
  await admin.query(`create role ${role}`)
  await admin.query(`grant usage on schema ${name} to ${role}`)
  await admin.query(`grant insert, update on items to ${role}`)
  await admin.query(`grant select (id) on items to ${role}`)
  const engine = open({ type: 'string' })
  await opened[0]?.executeQuery(CompiledQuery.raw(`set role ${role}`))
  for (let time = 0; time < 4; time++) {
    expect(await createItem(engine, 'items', { value: 'x' }, { fields: ['id'] })).toEqual({ id: time + 1 })
    expect(await updateItem(engine, 'items', time + 1, { value: 'y' }, { fields: ['id'] })).toEqual({
      id: time + 1,
    })
  }
  await opened.pop()?.destroy()
  await admin.query(`drop owned by ${role}`)
  await admin.query(`drop role ${role}`)
})
