// Bytes in columns of text: SQLite keeps whatever it is given.
import { sql } from 'kysely'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { exportItems } from '../../../src/export.ts'
import {
  createEngine,
  defineSchema,
  deleteByQuery,
  type Engine,
  getItem,
  listItems,
  listItemsJson,
  streamItems,
  updateByQuery,
  updateItem,
} from '../../../src/index.ts'
import { introspectSchema } from '../../../src/introspect.ts'
import { type OpenDatabase, openSqlite } from '../../support/databases.ts'

const schemaOf = (stored: { readonly storage?: 'mixed' }) =>
  defineSchema({
    authors: {
      fields: {
        code: { type: 'string', key: true, ...stored },
        name: { type: 'string', ...stored },
        notes: { type: 'o2m', from: 'notes.author' },
      },
    },
    notes: {
      fields: {
        id: { type: 'integer', key: true },
        text: { type: 'text', nullable: true, ...stored },
        words: { type: 'integer', nullable: true },
        meta: { type: 'json', nullable: true },
        author: { type: 'm2o', to: 'authors' },
      },
    },
  })

const plain = schemaOf({})
const spelled = 'Grüße'
const broken = 'a\uFFFDb'

describe('bytes in a column of text', () => {
  let database: OpenDatabase
  let engine: Engine<typeof plain>
  const onError = vi.fn()
  const stored = async () => {
    const { rows } = await sql<{ of: string }>`select id || ' ' || typeof(text) as "of" from notes`.execute(
      database.db,
    )
    return rows.map(({ of }) => of)
  }
  beforeEach(async () => {
    onError.mockClear()
    database = await openSqlite()
    const { db, run } = database
    await run('create table authors (code text primary key, name text)')
    await run('create table notes (id integer primary key, text text, words integer, meta json, author text)')
    await run("insert into authors values (cast('a' as blob), cast('Ada' as blob)), ('b', 'Bob')")
    await sql`insert into notes values (1, cast(${spelled} as blob), cast('7' as blob), cast('{"x":1}' as blob), cast('a' as blob)),
      (2, x'61ff62', 2, null, cast('a' as blob)), (3, ${spelled}, 3, '[2]', 'b'), (4, null, null, null, 'b')`.execute(
      db,
    )
    engine = createEngine({ db, schema: plain, onError })
  })

  const notes = [
    { id: 1, text: spelled, words: 7, meta: { x: 1 } },
    { id: 2, text: broken, words: 2, meta: null },
    { id: 3, text: spelled, words: 3, meta: [2] },
    { id: 4, text: null, words: null, meta: null },
  ]
  const fields = ['id', 'text', 'words', 'meta'] as const

  it('are the text that they spell, through every door', async () => {
    expect(await listItems(engine, 'notes', { fields: [...fields] })).toEqual({ data: notes })
    expect(JSON.parse(await listItemsJson(engine, 'notes', { fields: [...fields] }))).toEqual({ data: notes })
    const streamed: unknown[] = []
    for await (const item of streamItems(engine, 'notes', { fields: [...fields] })) streamed.push(item)
    expect(streamed).toEqual(notes)
    const { body } = await exportItems(engine, 'notes', { fields: ['id', 'text'] }, 'csv')
    expect(await new Response(body).text()).toBe(
      `id,text\r\n1,${spelled}\r\n2,${broken}\r\n3,${spelled}\r\n4,\r\n`,
    )
    expect(await getItem(engine, 'notes', 2, { fields: ['text'] })).toEqual({ text: broken })
  })

  it('are text in short lists, which come as one JSON text', async () => {
    const query = { fields: ['id', 'text'], limit: 20 } as const
    expect((await listItems(engine, 'notes', query)).data.map(({ text }) => text)).toEqual([
      spelled,
      broken,
      spelled,
      null,
    ])
  })

  it('are text below other items, and in the keys of children', async () => {
    const answer = [
      { code: 'a', name: 'Ada', notes: notes.slice(0, 2) },
      { code: 'b', name: 'Bob', notes: notes.slice(2) },
    ]
    const { data } = await listItems(engine, 'authors', {
      fields: ['code', 'name', ...fields.map((name) => `notes.${name}` as const)],
      sort: '-name',
    })
    expect(data).toEqual(answer)
    const below = await listItems(engine, 'notes', { fields: ['author.code', 'author.name'], limit: 1 })
    expect(below.data).toEqual([{ author: { code: 'a', name: 'Ada' } }])
    expect(await listItems(engine, 'notes', { fields: ['author'], limit: 1 })).toEqual({
      data: [{ author: 'a' }],
    })
  })

  it('are text in groups and in aggregates', async () => {
    const mixed = createEngine({ db: database.db, schema: schemaOf({ storage: 'mixed' }), onError })
    const query = { aggregate: { count: '*' }, groupBy: ['text'] } as const
    expect((await listItems(mixed, 'notes', query)).data).toEqual([
      { text: spelled, count: 2 },
      { text: broken, count: 1 },
      { text: null, count: 1 },
    ])
    const most = await listItems(engine, 'notes', { aggregate: { max: 'text' } })
    expect(most.data).toEqual([{ max: { text: broken } }])
  })

  it('tell the host once for each column that they spell none', async () => {
    for (const _ of [1, 2, 3]) {
      await listItems(engine, 'notes')
      await listItemsJson(engine, 'notes')
      await listItems(engine, 'authors', { fields: ['notes.text'] })
    }
    expect(onError).toHaveBeenCalledTimes(1)
    expect(onError.mock.calls[0]?.[0]).toMatchObject({
      code: 'INVALID_SCHEMA',
      message:
        'The column of the field "text" of "notes" holds bytes that spell no text; U+FFFD stands for what cannot be read.',
    })
  })

  it('stay as they are when what they were shown as is written back', async () => {
    await updateItem(engine, 'notes', 2, { text: broken, words: 5 })
    await updateByQuery(engine, 'notes', { filter: { id: { _in: [2, 3] } } }, { text: broken })
    expect(await stored()).toEqual(['1 blob', '2 blob', '3 text', '4 null'])
    expect(await getItem(engine, 'notes', 2, { fields: ['words'] })).toEqual({ words: 5 })
    await updateItem(engine, 'notes', 2, { text: `${broken}!` })
    expect(await stored()).toEqual(['1 blob', '2 text', '3 text', '4 null'])
  })
})

describe('a field of mixed storage', () => {
  const schema = schemaOf({ storage: 'mixed' })
  let database: OpenDatabase
  let engine: Engine<typeof schema>
  beforeEach(async () => {
    database = await openSqlite()
    const { db, run } = database
    await run('create table authors (code text primary key, name text)')
    await run('create table notes (id integer primary key, text text, words integer, meta json, author text)')
    await run('create index by_text on notes (text)')
    await run("insert into authors values (cast('a' as blob), cast('Ada' as blob)), ('b', 'Bob')")
    await run(`insert into notes (id, text) values (1, cast('tea' as blob)), (2, 'tea'), (3, 'bread'), (4, null),
      (5, cast('apple' as blob))`)
    engine = createEngine({ db, schema })
  })

  it.each([
    ['_eq', { text: 'tea' }, [1, 2]],
    ['_neq', { text: { _neq: 'tea' } }, [3, 5]],
    ['_in', { text: { _in: ['tea', 'apple'] } }, [1, 2, 5]],
    ['_nin', { text: { _nin: ['tea', 'bread'] } }, [5]],
    ['_lt', { text: { _lt: 'c' } }, [3, 5]],
    ['_contains', { text: { _contains: 'ea' } }, [1, 2, 3]],
    ['_starts_with', { text: { _starts_with: 't' } }, [1, 2]],
    ['_ends_with', { text: { _ends_with: 'a' } }, [1, 2]],
    ['_icontains', { text: { _icontains: 'EA' } }, [1, 2, 3]],
    ['_between', { text: { _between: ['a', 'c'] } }, [3, 5]],
  ] as const)('finds bytes by %s as the text that they spell', async (_, filter, ids) => {
    const found = await listItems(engine, 'notes', { fields: ['id'], filter })
    expect(found.data.map(({ id }) => id)).toEqual(ids)
    const exactly = createEngine({ db: database.db, schema, collation: 'codepoint' })
    const again = await listItems(exactly, 'notes', { fields: ['id'], filter })
    expect(again.data.map(({ id }) => id)).toEqual(ids)
  })

  it('is sorted and searched as text', async () => {
    const sorted = await listItems(engine, 'notes', { fields: ['text'], sort: 'text' })
    expect(sorted.data.map(({ text }) => text)).toEqual(['apple', 'bread', 'tea', 'tea', null])
    expect((await listItems(engine, 'notes', { fields: ['id'], search: 'APP' })).data).toEqual([{ id: 5 }])
  })

  it('is found by an index', async () => {
    const plan = await sql<{ detail: string }>`explain query plan select id from notes
      where text in ('tea', cast('tea' as blob))`.execute(database.db)
    expect(plan.rows[0]?.detail).toContain('by_text')
  })

  it('may be a key, by which items are read, changed and deleted', async () => {
    expect(await getItem(engine, 'authors', 'a', { fields: ['code', 'name'] })).toEqual({
      code: 'a',
      name: 'Ada',
    })
    await updateItem(engine, 'authors', 'a', { name: 'Eve' }, { fields: ['code'] })
    expect((await listItems(engine, 'authors', { fields: ['code', 'name'], sort: 'code' })).data).toEqual([
      { code: 'a', name: 'Eve' },
      { code: 'b', name: 'Bob' },
    ])
    expect(await deleteByQuery(engine, 'authors', { filter: { code: 'a' } })).toEqual({
      deleted: 1,
      keys: ['a'],
    })
  })
})

describe('introspection of a column of text that holds bytes', () => {
  it('says that it is mixed, and what it could be else', async () => {
    const { db, run } = await openSqlite()
    await run('create table notes (id integer primary key, a text, b varchar(9), c text)')
    await sql`insert into notes values (1, cast(${'ä'.repeat(40)} as blob), x'ff', 'c')`.execute(db)
    const { definition, report } = await introspectSchema(db)
    expect(definition.notes?.fields).toMatchObject({
      a: { type: 'text', storage: 'mixed' },
      b: { type: 'string', storage: 'mixed' },
      c: { type: 'text', nullable: true },
    })
    expect(definition.notes?.fields.c).not.toHaveProperty('storage')
    expect(report.map(({ column, message }) => [column, message])).toEqual([
      [
        'a',
        'The column "a" of the table "notes" is declared "TEXT" and taken for "text in mixed": its rows hold bytes that spell text.',
      ],
      [
        'b',
        'The column "b" of the table "notes" is declared "varchar(9)" and taken for "string in mixed": its rows hold bytes that spell no text, which a field of the type "binary" holds as they are.',
      ],
    ])
  })
})
