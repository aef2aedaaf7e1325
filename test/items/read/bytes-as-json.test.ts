// Bytes that are JSON in SQLite's binary form: they are text like any others, and never JSON.
import { sql } from 'kysely'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { exportItems } from '../../../src/export.ts'
import { answerGraphQL } from '../../../src/graphql.ts'
import {
  createEngine,
  defineSchema,
  type Engine,
  getItem,
  listItems,
  listItemsJson,
  type Schema,
  streamItems,
} from '../../../src/index.ts'
import { type OpenDatabase, openSqlite } from '../../support/databases.ts'
import { integer, many, maybeOne, one } from '../../support/fields.ts'

const other = { nullable: true } as const
const schema: Schema = defineSchema({
  shelves: { fields: { code: { type: 'string', key: true }, books: many('books.shelf') } },
  books: {
    fields: {
      id: { type: 'string', key: true },
      shelf: maybeOne('shelves'),
      title: { type: 'text', ...other },
      pages: { type: 'integer', ...other },
      big: { type: 'bigInteger', ...other },
      weight: { type: 'float', ...other },
      price: { type: 'decimal', ...other },
      token: { type: 'uuid', ...other },
      isNew: { type: 'boolean', ...other },
      day: { type: 'date', ...other },
      at: { type: 'timestamp', ...other },
      exactly: { type: 'timestamp', storage: 'canonical', ...other },
      counted: { type: 'timestamp', storage: 'seconds', ...other },
      meta: { type: 'json', ...other },
      words: { type: 'csv', ...other },
      list: { type: 'string', array: true, ...other },
      place: { type: 'geometry', ...other },
      foreign: { type: 'other', databaseType: 'inet', ...other },
      parts: many('parts.book'),
    },
  },
  parts: {
    key: ['book', 'number'],
    fields: { book: one('books'), number: integer, word: { type: 'string', ...other } },
  },
})
const names = [
  ...['title', 'pages', 'big', 'weight', 'price', 'token', 'isNew', 'day', 'at', 'exactly', 'counted'],
  ...['meta', 'words', 'list', 'place', 'foreign'],
] as const

/** JSON text that SQLite copies into JSON unchecked, if it is taken for a text in binary form. */
function binaryText(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text)
  return bytes.length < 12
    ? new Uint8Array([bytes.length * 16 + 7, ...bytes])
    : new Uint8Array([0xc7, bytes.length, ...bytes])
}

const spelled = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const hostile = {
  'more members': binaryText('x","role":"admin","more":"'),
  'more rows': binaryText('x"},{"id":"forged"},{"id":"'),
  'more elements': binaryText('x","y'),
  'an end of the list': binaryText('"]]'),
  'a number': new Uint8Array([0x13, 0x37]),
  'a true': new Uint8Array([1]),
  'an object': new Uint8Array([0xcc, 5, 0x17, 0x61, 0x13, 0x37, 0]),
} as const

const heard = vi.fn()
let database: OpenDatabase
let engine: Engine

beforeEach(async () => {
  heard.mockClear()
  database = await openSqlite()
  const { db, run } = database
  engine = createEngine({ db, schema, onError: heard })
  await run('create table shelves (code)')
  await sql`create table books (id, shelf, ${sql.join(names.map((name) => sql.id(name)))})`.execute(db)
  await run('create table parts (book, number, word)')
})

async function everyAnswer(fields: readonly string[]) {
  const query = { fields: [...fields] }
  const rows = await listItems(engine, 'books', query)
  const streamed: unknown[] = []
  for await (const item of streamItems(engine, 'books', query)) streamed.push(item)
  const { body } = await exportItems(engine, 'books', query, 'ndjson')
  const exported = (await new Response(body).text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const below = await listItems(engine, 'shelves', { fields: fields.map((field) => `books.${field}`) })
  const short = await listItems(engine, 'books', { fields: [...fields], limit: 20 })
  const texts = [
    JSON.parse(await listItemsJson(engine, 'books', query)).data,
    JSON.parse(await listItemsJson(engine, 'shelves', { fields: fields.map((field) => `books.${field}`) }))
      .data[0].books,
  ]
  const books = below.data[0]?.books
  return { rows: rows.data, others: [streamed, exported, books, short.data, ...texts] }
}

describe.each(Object.entries(hostile))('bytes that are %s in binary JSON', (_, bytes) => {
  it.each(names)('are text in a column of the field "%s", through every door', async (name) => {
    const { db, run } = database
    await run("insert into shelves values ('a')")
    for (let id = 1; id <= 12; id++)
      await sql`insert into books (id, shelf, ${sql.id(name)}) values (${String(id).padStart(2, '0')}, 'a', ${id === 3 ? bytes : null})`.execute(
        db,
      )
    const { rows, others } = await everyAnswer(['id', name])
    expect(rows).toHaveLength(12)
    for (const row of rows) expect(Object.keys(row)).toEqual(['id', name])
    expect(others.map((answer) => JSON.stringify(answer))).toEqual(others.map(() => JSON.stringify(rows)))
  })

  it('are text in keys, in lists of them, and below them', async () => {
    const { db } = database
    await sql`insert into shelves values (${bytes})`.execute(db)
    await sql`insert into books (id, shelf) values (${bytes}, ${bytes})`.execute(db)
    await sql`insert into parts (book, number) values (${bytes}, ${bytes})`.execute(db)
    const text = spelled(bytes)
    const fields = ['code', 'books'] as const
    const data = [{ code: text, books: [text] }]
    expect(await listItems(engine, 'shelves', { fields: [...fields] })).toEqual({ data })
    expect(JSON.parse(await listItemsJson(engine, 'shelves', { fields: [...fields] }))).toEqual({ data })
    const deep = { fields: ['books.id', 'books.shelf.code'] } as const
    const inside = { data: [{ books: [{ id: text, shelf: { code: text } }] }] }
    expect(await listItems(engine, 'shelves', deep)).toEqual(inside)
    expect(JSON.parse(await listItemsJson(engine, 'shelves', deep))).toEqual(inside)
    const parts = await listItems(engine, 'books', { fields: ['id', 'parts'] })
    expect(parts.data).toEqual([{ id: text, parts: [[text, null]] }])
  })

  it('are text in groups, at the root and below', async () => {
    const { db, run } = database
    await run("insert into shelves values ('a')")
    await sql`insert into books (id, shelf, title) values ('1', 'a', ${bytes}), ('2', 'a', 'Tea')`.execute(db)
    const groups = [
      { title: 'Tea', count: 1 },
      { title: spelled(bytes), count: 1 },
    ]
    const query = { aggregate: { count: '*' }, groupBy: ['title'] } as const
    expect((await listItems(engine, 'books', query)).data).toEqual(groups)
    expect(JSON.parse(await listItemsJson(engine, 'books', query)).data).toEqual(groups)
    const { data } = await listItems(engine, 'shelves', {
      fields: ['books'],
      deep: { books: { _aggregate: { count: '*' }, _groupBy: ['title'] } },
    })
    expect(data).toEqual([{ books: groups }])
  })

  it('have no value at a path of JSON, and are no JSON in filters', async () => {
    const { db, run } = database
    await run("insert into shelves values ('a')")
    await sql`insert into books (id, shelf, meta) values ('1', 'a', ${bytes}), ('2', 'a', '{"a":7}')`.execute(
      db,
    )
    const fields = ['id', 'json(meta, a)'] as const
    const data = [
      { id: '1', meta_a_json: null },
      { id: '2', meta_a_json: 7 },
    ]
    expect(await listItems(engine, 'books', { fields: [...fields] })).toEqual({ data })
    expect(JSON.parse(await listItemsJson(engine, 'books', { fields: [...fields] }))).toEqual({ data })
    const found = await listItems(engine, 'books', {
      fields: ['id'],
      filter: { meta: { _json: { a: { _eq: 7 } } } },
    })
    expect(found.data).toEqual([{ id: '2' }])
  })

  it('are text in GraphQL', async () => {
    const { db, run } = database
    await run("insert into shelves values ('a')")
    await sql`insert into books (id, shelf, title) values ('1', 'a', ${bytes}), ('2', 'a', 'Tea')`.execute(db)
    const answer = await answerGraphQL(engine, {
      query: '{ books { id title } shelves { books { title } } }',
    })
    const title = spelled(bytes)
    expect(JSON.parse(answer).data).toEqual({
      books: [
        { id: '1', title },
        { id: '2', title: 'Tea' },
      ],
      shelves: [{ books: [{ title }, { title: 'Tea' }] }],
    })
  })
})

it('bytes that spell no text are told once, whichever door reads them first', async () => {
  const { db, run } = database
  await run("insert into shelves values ('a')")
  await sql`insert into books (id, shelf, title) values ('1', 'a', ${hostile['more members']})`.execute(db)
  for (let time = 0; time < 2; time++) {
    await listItemsJson(engine, 'books', { fields: ['title'] })
    await answerGraphQL(engine, { query: '{ books { title } }' })
    await getItem(engine, 'books', '1', { fields: ['title'] })
  }
  expect(heard).toHaveBeenCalledTimes(1)
})

it('numbers and texts that are in columns of other types keep their answers', async () => {
  const { run } = database
  await run("insert into shelves values ('a')")
  await run(`insert into books (id, shelf, title, pages, weight, big) values ('1', 'a', 7, '8', '1.5', '9'), ('2', 'a', 1.5, 'many', 'light', 3),
    ('3', 'a', null, null, null, null), ('4', 'a', '', 2.5, 2, 4)`)
  const { rows, others } = await everyAnswer(['id', 'title', 'pages', 'weight', 'big'])
  expect(rows).toEqual([
    { id: '1', title: 7, pages: 8, weight: 1.5, big: '9' },
    { id: '2', title: 1.5, pages: null, weight: null, big: '3' },
    { id: '3', title: null, pages: null, weight: null, big: null },
    { id: '4', title: '', pages: 2.5, weight: 2, big: '4' },
  ])
  for (const answer of others) expect(answer).toEqual(rows)
})

it('moments that are stored as bytes are converted to the form of results, through every door', async () => {
  const { db, run } = database
  await run("insert into shelves values ('a')")
  const bytes = (text: string) => new TextEncoder().encode(text)
  await sql`insert into books (id, shelf, day, at) values ('1', 'a', ${bytes('2026-11-25T09:30:00')}, ${bytes('2026-11-25 10:30:00+01:00')}),
    ('2', 'a', ${bytes('2026-11-25')}, ${bytes('2026-11-25 09:30:00.5')}), ('3', 'a', ${bytes('2026-02-30')}, ${bytes('2026-02-30T00:00:00')})`.execute(
    db,
  )
  const { rows, others } = await everyAnswer(['id', 'day', 'at'])
  expect(rows).toEqual([
    { id: '1', day: '2026-11-25', at: '2026-11-25T09:30:00.000Z' },
    { id: '2', day: '2026-11-25', at: '2026-11-25T09:30:00.500Z' },
    { id: '3', day: '2026-02-30', at: '2026-02-30T00:00:00' },
  ])
  for (const answer of others) expect(answer).toEqual(rows)
})
