// Pages of two other origins in a real browser: `npm run test:browser`.

import { createServer, type RequestListener } from 'node:http'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createHandler, toNode } from '../../src/http.ts'
import { createEngine, defineSchema, listFiles, type Schema } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage.ts'
import { type ChromiumPage, openChromiumPage } from '../support/chromium-page.ts'
import { openSqlite } from '../support/databases.ts'
import { portOf } from '../support/listening.ts'

const schema = defineSchema({
  notes: { fields: { id: { type: 'integer', key: true }, text: { type: 'string', nullable: true } } },
})

let page: ChromiumPage
let api = ''
let listed = ''
let strange = ''
let engine: ReturnType<typeof createEngine<typeof schema>>

const listen = async (listener: RequestListener): Promise<string> =>
  `http://127.0.0.1:${await portOf(createServer(listener))}`

beforeAll(async () => {
  const opened = await openSqlite()
  await sql`create table notes (id integer primary key, text text)`.execute(opened.db)
  engine = createEngine({ db: opened.db, schema, storage: memoryStorage() })
  await engine.install()
  const empty: RequestListener = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>page</title>')
  }
  listed = await listen(empty)
  strange = await listen(empty)
  const handler = toNode(
    createHandler(engine, {
      authenticate: (token) => (token === 'secret' ? { admin: true } : null),
      token: (request) => /session=(\w+)/.exec(request.headers.get('cookie') ?? '')?.[1],
      cors: { origins: [listed], credentials: true, maxAge: 60 },
    }),
  )
  api = await listen((request, response) => {
    if (request.url !== '/sign-in') return void handler(request, response)
    response
      .writeHead(200, { 'set-cookie': 'session=secret; Path=/; SameSite=Lax', 'content-type': 'text/html' })
      .end('<!doctype html><title>signed in</title>')
  })
  page = await openChromiumPage()
}, 60_000)

afterAll(() => page?.close())

/** What a script of the page sees of a response: its status, a header and its text, or that it sees nothing. */
const seen = (path: string, options: object = {}): Promise<unknown> =>
  page.evaluate(`fetch(${JSON.stringify(api + path)}, ${JSON.stringify(options)}).then(
    async (response) => [response.status, response.headers.get('etag') !== null, await response.text()],
    () => 'nothing')`)

const bearer = { authorization: 'Bearer secret' }
const json = { 'content-type': 'application/json' }

it('a page of a listed origin reads and writes with a token', async () => {
  await page.open(listed)
  const created = { method: 'POST', headers: { ...bearer, ...json }, body: '{"id":1,"text":"milk"}' }
  expect(await seen('/items/notes', created)).toEqual([200, false, '{"data":{"id":1,"text":"milk"}}'])
  expect(await seen('/items/notes', { headers: bearer })).toEqual([
    200,
    true,
    '{"data":[{"id":1,"text":"milk"}]}',
  ])
  const changed = { method: 'PATCH', headers: { ...bearer, ...json }, body: '{"text":"bread"}' }
  expect(await seen('/items/notes/1', changed)).toEqual([200, false, '{"data":{"id":1,"text":"bread"}}'])
  const searched = { method: 'SEARCH', headers: { ...bearer, ...json }, body: '{"query":{"fields":["id"]}}' }
  expect(await seen('/items/notes', searched)).toEqual([200, true, '{"data":[{"id":1}]}'])
  expect(await seen('/items/none', { headers: bearer })).toMatchObject([
    404,
    false,
    expect.stringContaining('NOT_FOUND'),
  ])
  expect(await seen('/items/notes')).toMatchObject([
    401,
    false,
    expect.stringContaining('INVALID_CREDENTIALS'),
  ])
})

it('a page of a listed origin uses the cookie of its visitor', async () => {
  await page.open(`${api}/sign-in`)
  await page.open(listed)
  const answer = [200, true, '{"data":[{"id":1,"text":"bread"}]}']
  expect(await seen('/items/notes', { credentials: 'include' })).toEqual(answer)
  expect(await seen('/items/notes')).toMatchObject([
    401,
    false,
    expect.stringContaining('INVALID_CREDENTIALS'),
  ])
  const upload = `(() => { const form = new FormData(); form.append('file', new Blob(['Tea']), 'a.txt')
    return fetch(${JSON.stringify(`${api}/files`)}, { method: 'POST', body: form, credentials: 'include' }).then(({ status }) => status, () => 'nothing') })()`
  expect(await page.evaluate(upload)).toBe(200)
  await page.open(strange)
  expect(await page.evaluate(upload)).toBe('nothing')
  const { data } = await listFiles(engine as never as ReturnType<typeof createEngine<Schema>>)
  expect(data).toHaveLength(1)
})

it('a page of another origin sees nothing, with a token and with the cookie', async () => {
  await page.open(strange)
  expect(await seen('/items/notes', { headers: bearer })).toBe('nothing')
  expect(await seen('/items/notes', { credentials: 'include' })).toBe('nothing')
  const changed = { method: 'PATCH', headers: json, body: '{"text":"cake"}', credentials: 'include' }
  expect(await seen('/items/notes/1', changed)).toBe('nothing')
  await page.open(listed)
  expect(await seen('/items/notes/1', { credentials: 'include' })).toMatchObject([
    200,
    true,
    '{"data":{"id":1,"text":"bread"}}',
  ])
})
