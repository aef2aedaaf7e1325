// How many requests are at work at once, and which are refused.
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { graphql } from '../../src/graphql.ts'
import { createHandler, type Handler } from '../../src/http.ts'
import { createEngine, defineSchema, type Engine, listItems } from '../../src/index.ts'
import { openSqlite, openWithReaders } from '../support/databases.ts'
import { key, text } from '../support/fields.ts'

const schema = defineSchema({ notes: { fields: { id: key, text } } })

let engine: Engine<typeof schema>
let handler: Handler
/** Lets all go on that wait for their caller. */
let open: () => void
let asking: Promise<void>

const withNotes = async ({ db }: Awaited<ReturnType<typeof openSqlite>>) => {
  await sql`create table notes (id integer primary key, text text)`.execute(db)
  await db.insertInto('notes').values({ id: 1, text: 'one' }).execute()
  engine = createEngine({ db, schema })
}

beforeEach(async () => {
  await withNotes(await openSqlite())
  asking = new Promise((resolve) => {
    open = resolve
  })
})

const serve = (maxRequests: number | undefined) =>
  createHandler(engine, {
    ...(maxRequests !== undefined && { maxRequests }),
    authenticate: async (token) => {
      if (token !== 'quick') await asking
      return { admin: true }
    },
    onError: () => undefined,
    mounts: [graphql()],
  })

const at = (path: string, init: RequestInit = {}) => handler(new Request(`http://localhost${path}`, init))
const list = () => at('/items/notes')
const quick = { headers: { authorization: 'Bearer quick' } }

describe('of four requests', () => {
  beforeEach(() => {
    handler = serve(4)
  })

  it('three are for several items, and the last place is for one by its key', async () => {
    const lists = [list(), list(), list()]
    const refused = await list()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await refused.json()).toMatchObject({
      errors: [{ message: 'Too many requests are at work.', extensions: { code: 'SERVICE_UNAVAILABLE' } }],
    })
    const item = at('/items/notes/1')
    expect((await at('/items/notes/1')).status).toBe(503)
    open()
    expect((await Promise.all([...lists, item])).map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect((await list()).status).toBe(200)
  })

  it('none is one that asks which paths there are', async () => {
    const items = Array.from({ length: 4 }, () => at('/items/notes/1'))
    const paths = ['/', '/items', '/schema']
    for (const path of paths) expect((await at(path, quick)).status).toBe(200)
    expect((await at('/items/notes', { ...quick, method: 'OPTIONS' })).status).toBe(204)
    expect((await at('/items/notes/1', quick)).status).toBe(503)
    open()
    await Promise.all(items)
  })

  it('none is one whose client has not sent its body', async () => {
    const endless = Array.from({ length: 10 }, () => {
      const cut = new AbortController()
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode('{"id":')),
      })
      const init = {
        method: 'POST',
        body,
        duplex: 'half',
        signal: cut.signal,
        headers: { ...quick.headers, 'content-type': 'application/json' },
      }
      return { cut, answer: at('/items/notes', init as RequestInit) }
    })
    // Each has its turn to read.
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect((await at('/items/notes', quick)).status).toBe(200)
    for (const { cut } of endless) cut.abort()
  })

  it('a place is free again after whatever fails', async () => {
    for (let time = 0; time < 10; time++) {
      expect((await at('/items/nothing', quick)).status).toBe(404)
      const broken = {
        ...quick,
        method: 'POST',
        body: '{',
        headers: { ...quick.headers, 'content-type': 'application/json' },
      }
      expect((await at('/items/notes', broken)).status).toBe(400)
    }
    open()
    expect((await Promise.all([list(), list(), list()])).map(({ status }) => status)).toEqual([200, 200, 200])
  })
})

describe('of six requests, of which three are at work', () => {
  beforeEach(() => {
    handler = serve(6)
    for (let count = 0; count < 3; count++) void list()
  })

  const search = (method: string, path: string, query: object) => () =>
    at(path, {
      method,
      body: JSON.stringify({ query }),
      headers: { ...quick.headers, 'content-type': 'application/json' },
    })
  const get = (query: string) => () => at(`/items/notes?${query}`, quick)

  it.each<[string, () => Promise<Response>]>([
    ['an export', get('export=csv')],
    ['an aggregate', get('aggregate[count]=*')],
    ['groups', get('groupBy=text')],
    ['a search', get('search=one')],
    ['a count', get('meta=filter_count')],
    ['groups by SEARCH', search('SEARCH', '/items/notes', { groupBy: ['text'] })],
    ['an export by POST', search('POST', '/items/notes/search', { export: 'json' })],
  ])('none more is %s, until one has ended', async (_, ask) => {
    const read: string[] = []
    engine.on('items.read', ({ collection }) => void read.push(collection), { when: 'after' })
    const refused = await ask()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    expect(read).toEqual([])
    expect((await get('fields=text')()).status).toBe(200)
    expect((await get('limit=1')()).status).toBe(200)
    expect((await at('/items/notes/1', quick)).status).toBe(200)
    open()
    while ((await ask()).status !== 200) await list()
  })

  it('a document of GraphQL has no groups, and all else', async () => {
    const query = '{ notes_by_id(id: 1) { text } notes { text } notes_aggregated { count { id } } }'
    const response = await at(`/graphql?query=${encodeURIComponent(query)}`, quick)
    expect(await response.json()).toMatchObject({
      errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE', retryAfter: 1 } }],
    })
    const others = encodeURIComponent('{ notes_by_id(id: 1) { text } notes { text } }')
    expect(await (await at(`/graphql?query=${others}`, quick)).json()).toEqual({
      data: { notes_by_id: { text: 'one' }, notes: [{ text: 'one' }] },
    })
  })

  it('one whose hook catches a refusal keeps its place, and its engine reads on once it is over', async () => {
    const refusals: unknown[] = []
    const kept: Engine<typeof schema>[] = []
    let end = (): void => undefined
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    const counted = (own: Engine<typeof schema>) => listItems(own, 'notes', { aggregate: { count: '*' } })
    engine.on(
      'items.read',
      async ({ engine: own }) => {
        if (kept.push(own) > 1) return
        await counted(own).catch((error: unknown) => refusals.push(error))
        await ended
      },
      { when: 'after' },
    )
    const caught = at('/items/notes', quick)
    await expect.poll(() => refusals).toMatchObject([{ code: 'SERVICE_UNAVAILABLE' }])
    expect((await at('/items/notes', quick)).status).toBe(503)
    end()
    expect((await caught).status).toBe(200)
    open()
    expect(await counted(kept[0] ?? engine)).toMatchObject({ data: [{ count: 1 }] })
    while ((await get('aggregate[count]=*')()).status !== 200) await list()
  })

  it('one that has written goes on to whatever its hooks read', async () => {
    const counted: unknown[] = []
    engine.on(
      'items.create',
      async ({ engine: own }) => {
        const { data } = await listItems(own, 'notes', { aggregate: { count: '*' } })
        counted.push(...data)
      },
      { when: 'after' },
    )
    const headers = { ...quick.headers, 'content-type': 'application/json' }
    const body = JSON.stringify({ id: 2, text: 'two' })
    expect((await at('/items/notes', { method: 'POST', body, headers })).status).toBe(200)
    expect(counted).toEqual([{ count: 2 }])
  })
})

it('of a crowd that all wants groups, only those beyond half of the places are refused', async () => {
  handler = serve(8)
  const crowd = Array.from({ length: 6 }, () => at('/items/notes?groupBy=text'))
  open()
  const statuses = (await Promise.all(crowd)).map(({ status }) => status)
  expect(statuses.sort()).toEqual([200, 200, 200, 200, 503, 503])
})

it('what a reader would run is refused like groups, and what it would not is no such read', async () => {
  await withNotes(await openWithReaders())
  await engine.db.insertInto('notes').values({ id: 6_000, text: 'last' }).execute()
  handler = serve(6)
  for (let count = 0; count < 3; count++) void list()
  expect((await at('/items/notes?filter[text]=last', quick)).status).toBe(503)
  expect((await at('/items/notes?filter[id]=6000', quick)).status).toBe(200)
  open()
})

it('by default they are five hundred', async () => {
  handler = serve(undefined)
  const items = Array.from({ length: 500 }, () => at('/items/notes/1'))
  expect((await at('/items/notes/1')).status).toBe(503)
  open()
  expect(new Set((await Promise.all(items)).map(({ status }) => status))).toEqual(new Set([200]))
})

it.each([0, -1, 1.5, Number.NaN, '10'])('refuses %s', (most) => {
  expect(() => serve(most as number)).toThrow('"maxRequests" is a whole number of 1 or more.')
})
