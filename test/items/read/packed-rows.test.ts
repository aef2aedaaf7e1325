// Lists that some databases hand out as one JSON text, next to the same lists as rows: nobody may be able to tell them apart.
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createEngine,
  defineSchema,
  explainItems,
  listItems,
  listItemsJson,
  type QueryReport,
  streamItems,
} from '../../../src/index.ts'
import type { OpenDatabase } from '../../support/databases.ts'
import { key, many, maybeOne, moment, text } from '../../support/fields.ts'
import { type Lane, lanes } from '../../support/lanes.ts'

const schema = defineSchema({
  cups: {
    fields: {
      id: key,
      name: text,
      story: { type: 'text', nullable: true },
      mass: { type: 'bigInteger', nullable: true },
      clean: { type: 'boolean', nullable: true },
      made: moment,
      sold: { type: 'date', nullable: true },
      weight: { type: 'float', nullable: true },
      shelf: maybeOne('shelves'),
    },
  },
  shelves: { fields: { id: key, code: { type: 'uuid' }, cups: many('cups.shelf') } },
})

const names = ['', 'a "quoted" one', 'back\\slash', 'línea\nnueva', '\u0001', '茶 🍵', "it's", '$NOW', null]
const isOf = <Value>(index: number, value: Value) => (index % 7 === 0 ? null : value)
const cups = Array.from({ length: 1_005 }, (_, index) => ({
  id: index + 1,
  name: names[index % names.length] ?? null,
  story: isOf(index, `story ${index}`),
  mass: isOf(index, (2n ** 63n - 1n - BigInt(index)).toString()),
  made: isOf(index, `2024-02-29T08:30:${String(index % 60).padStart(2, '0')}.120Z`),
  sold: isOf(index, '2024-02-29'),
  weight: isOf(index, index + 0.1),
  shelf: index % 3 === 0 ? null : 1 + (index % 4),
}))

const short = ['id', 'name', 'mass', 'clean', 'made', 'sold', 'shelf.id', 'shelf.code', 'year(made)'] as const

async function openCups(lane: Lane): Promise<OpenDatabase> {
  const open = await lane.open()
  const { db } = open
  const [text, moment, day, truth] = (
    lane.name === 'sqlite' ? ['text', 'text', 'text', 'integer'] : ['uuid', 'timestamptz', 'date', 'boolean']
  ).map((type) => sql.raw(type))
  await sql`create table shelves (id integer primary key, code ${text})`.execute(db)
  await sql`create table cups (id integer primary key, name varchar(30), story text, mass bigint, clean ${truth},
    made ${moment}, sold ${day}, weight double precision, shelf integer)`.execute(db)
  for (const id of [1, 2, 3, 4])
    await db
      .insertInto('shelves')
      .values({ id, code: `0e37df36-f698-11e6-8dd4-cb9ced3df97${id}` })
      .execute()
  for (let from = 0; from < cups.length; from += 100)
    await db
      .insertInto('cups')
      .values(cups.slice(from, from + 100).map((cup) => ({ ...cup })))
      .execute()
  await sql`update cups set clean = (id % 2 = 1) where id % 5 > 0`.execute(db)
  return open
}

const isPacked = (text: string | undefined) => text?.startsWith('/* quernel */ select json_group_array')

describe.each(lanes)('a list on $title', (lane) => {
  let open: OpenDatabase
  beforeAll(async () => {
    open = await openCups(lane)
  })
  afterAll(() => open.close())

  it('is the same whatever its length', async () => {
    const engine = createEngine({ db: open.db, schema })
    const all: unknown[] = []
    const query = { fields: short, limit: -1, sort: '-id' } as const
    for await (const item of streamItems(engine, 'cups', query)) all.push(item)
    expect(all).toHaveLength(cups.length)
    for (const limit of [1, 9, 10, 27, 28, 29, 100, 101, 999, 1_000, 1_001, 1_005]) {
      const { data } = await listItems(engine, 'cups', { ...query, limit })
      expect(data).toEqual(all.slice(0, limit))
    }
    const { data } = await listItems(engine, 'cups', { ...query, limit: 50, offset: 1_000 })
    expect(data).toEqual(all.slice(1_000))
    const none = await listItems(engine, 'cups', { fields: short, filter: { id: { _lt: 0 } } })
    expect(none).toEqual({ data: [] })
  })

  it('says that it was cut short', async () => {
    const engine = createEngine({ db: open.db, schema, limits: { defaultLimit: 12 } })
    const { data, meta } = await listItems(engine, 'cups', { fields: ['id', 'name'], meta: ['limit'] })
    expect(data.map(({ id }) => id)).toEqual(cups.slice(0, 12).map(({ id }) => id))
    expect(meta).toMatchObject({ limit: 12, truncated: [''] })
  })

  it('tells how many rows there were', async () => {
    const reports: QueryReport[] = []
    const engine = createEngine({ db: open.db, schema, onQuery: (report) => reports.push(report) })
    await listItems(engine, 'cups', { fields: short, limit: 50 })
    await engine.transaction((inside) => listItems(inside, 'cups', { fields: short, limit: 51 }))
    expect(reports.map(({ rows }) => rows)).toEqual([50, 51])
    expect(reports.map((report) => isPacked(report.sql))).toEqual(Array(2).fill(lane.name === 'sqlite'))
  })
})

describe.each(lanes.filter(({ name }) => name === 'sqlite'))('one text on $title', (lane) => {
  let open: OpenDatabase
  beforeAll(async () => {
    open = await openCups(lane)
  })
  afterAll(() => open.close())

  const isOneText = async (limit: number, fields: readonly string[] = short, filter: object = {}) => {
    const query: object = { fields, limit, filter }
    return isPacked((await explainItems(createEngine({ db: open.db, schema }), 'cups', query)).sql)
  }

  it('is for pages of 250 cells and more, and not for huge ones', async () => {
    // Nine cells in a row.
    expect(await isOneText(27)).toBe(false)
    expect(await isOneText(28)).toBe(true)
    expect(await isOneText(124, ['id', 'name'])).toBe(false)
    expect(await isOneText(125, ['id', 'name'])).toBe(true)
    expect(await isOneText(249, ['id'])).toBe(false)
    expect(await isOneText(250, ['id'])).toBe(true)
    expect(await isOneText(1_000)).toBe(true)
    expect(await isOneText(1_001)).toBe(false)
    expect(await isOneText(-1)).toBe(false)
  })

  it.each(['story', 'weight', 'shelf.cups', '*.*'])('is not for %s', async (field) => {
    expect(await isOneText(100, ['id', field])).toBe(false)
  })

  it('is not for what has one item at most', async () => {
    expect(await isOneText(100, short, { id: 5 })).toBe(false)
    expect(await isOneText(100, short, { name: 'Ada', id: { _eq: 5 } })).toBe(false)
    expect(await isOneText(100, short, { id: { _gt: 5 } })).toBe(true)
    expect(await isOneText(100, short, { shelf: { id: 5 } })).toBe(true)
  })

  it('is not for rows of more cells than a JSON array takes', async () => {
    const wide = (count: number) => {
      const numbers = Array.from({ length: count }, (_, index) => [`n${index}`, { type: 'integer' }] as const)
      const fields = { id: { type: 'integer', key: true }, ...Object.fromEntries(numbers) } as const
      return createEngine({ db: open.db, schema: defineSchema({ rows: { fields } }) })
    }
    expect(isPacked((await explainItems(wide(99), 'rows')).sql)).toBe(true)
    expect(isPacked((await explainItems(wide(100), 'rows')).sql)).toBe(false)
  })

  it('is written with more care where a column of texts has bytes', async () => {
    const { db } = open
    await sql`update cups set name = x'ff00' where id = 20`.execute(db)
    const engine = createEngine({ db, schema, onError: () => {} })
    const query = { fields: ['id', 'name'], filter: { id: { _between: [19, 300] } }, limit: 200 } as const
    const few = await listItems(engine, 'cups', { ...query, limit: 2 })
    const name = '\uFFFD\0'
    expect(few.data[1]).toEqual({ id: 20, name })
    const { data } = await listItems(engine, 'cups', query)
    expect(data).toHaveLength(200)
    expect(data[1]).toEqual({ id: 20, name })
    expect(await listItemsJson(engine, 'cups', query)).toBe(JSON.stringify({ data }))
    await sql`update cups set name = null where id = 20`.execute(db)
  })
})
