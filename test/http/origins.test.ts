// What a page of another origin can make a browser send with the cookies of its visitor.
import { beforeAll, describe, expect, it } from 'vitest'
import { createHandler, type HandlerOptions } from '../../src/http.ts'
import { createEngine, listFiles, type Schema } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage.ts'
import { openSqlite } from '../support/databases.ts'
import { titled } from '../support/titled.ts'
import { type Magazine, schema } from './magazine.ts'
import { transports } from './transports.ts'

interface Sending {
  readonly title: string
  readonly headers: Readonly<Record<string, string>>
  readonly type?: string | undefined
  readonly method?: string
  readonly options?: Partial<HandlerOptions<Magazine>>
  readonly status: number
}

const cookie = 'session=admin'
const elsewhere = 'https://evil.example'
const form = 'multipart/form-data; boundary=x'

const refused: readonly Sending[] = [
  { title: 'another site', headers: { cookie, 'sec-fetch-site': 'cross-site', origin: elsewhere } },
  {
    title: 'a neighbouring site',
    headers: { cookie, 'sec-fetch-site': 'same-site', origin: 'https://a.example' },
  },
  { title: 'an older browser on another site', headers: { cookie, origin: elsewhere } },
  { title: 'a sandbox', headers: { cookie, origin: 'null' } },
  { title: 'another port', headers: { cookie, origin: 'https://here.example:444' } },
  { title: 'another site without a cookie', headers: { 'sec-fetch-site': 'cross-site', origin: elsewhere } },
  {
    title: 'another site with a password that the browser remembers',
    headers: { authorization: 'Basic eDp4', 'sec-fetch-site': 'cross-site' },
  },
].map((one) => ({ ...one, status: 403 }))

const taken: readonly Sending[] = [
  { title: 'the same origin', headers: { cookie, 'sec-fetch-site': 'same-origin', origin: elsewhere } },
  { title: 'an older browser on the same origin', headers: { cookie, origin: 'https://here.example' } },
  { title: 'a program', headers: { cookie } },
  {
    title: 'another site with a token of its own',
    headers: { authorization: 'Bearer admin', 'sec-fetch-site': 'cross-site', origin: elsewhere },
  },
  {
    title: 'an origin that the host trusts',
    headers: { cookie, 'sec-fetch-site': 'same-site', origin: 'https://app.example' },
    options: { trustedOrigins: ['https://app.example'] },
  },
  {
    title: 'any origin, if the host trusts all',
    headers: { cookie, 'sec-fetch-site': 'cross-site', origin: elsewhere },
    options: { trustedOrigins: ['*'] },
  },
].map((one) => ({ ...one, status: 200 }))

const others: readonly Sending[] = titled({
  // A browser asks before it sends these to another origin, and the host answers whether it may.
  'JSON of another site': {
    headers: { cookie, 'sec-fetch-site': 'cross-site', origin: elsewhere },
    type: 'application/json',
    status: 400,
  },
  'a change by another site': {
    headers: { cookie, 'sec-fetch-site': 'cross-site', origin: elsewhere },
    method: 'PATCH',
    status: 415,
  },
  'text of another site': {
    headers: { cookie, 'sec-fetch-site': 'cross-site' },
    type: 'text/plain',
    status: 403,
  },
  'a body of no type from another site': {
    headers: { cookie, 'sec-fetch-site': 'cross-site' },
    type: '',
    status: 403,
  },
})

describe('a form with a file from', () => {
  let engine: ReturnType<typeof createEngine<Magazine>>
  beforeAll(async () => {
    const opened = await openSqlite()
    engine = createEngine({ db: opened.db, schema, storage: memoryStorage() })
    await engine.install()
  })

  it.each([...refused, ...taken, ...others])('$title is answered $status', async (sending) => {
    const { headers, type = form, method = 'POST', options, status } = sending
    const handler = createHandler(engine, {
      authenticate: (token) => (token === 'admin' ? { admin: true } : null),
      token: (request) => /session=(\w+)/.exec(request.headers.get('cookie') ?? '')?.[1],
      ...options,
    })
    const count = async () =>
      (await listFiles(engine as never as ReturnType<typeof createEngine<Schema>>)).data.length
    const before = await count()
    const bytes =
      '--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nTea\r\n--x--\r\n'
    const answer = await handler(
      new Request('https://here.example/files', {
        method,
        headers: { ...headers, ...(type !== '' && { 'content-type': type }) },
        body: new TextEncoder().encode(bytes),
      }),
    )
    expect(answer.status).toBe(status)
    expect((await count()) - before).toBe(status === 200 ? 1 : 0)
  })
})

it.each(transports.slice(1))('$title the host is known', async ({ open }) => {
  const opened = await openSqlite()
  const hosts: unknown[] = []
  const handler = createHandler(createEngine({ db: opened.db, schema }), {
    authenticate: (_, request) => {
      hosts.push(request.headers.get('host'))
      return null
    },
  })
  const wire = await open(handler)
  await wire.send({ method: 'GET', path: '/api/items/words', headers: {}, body: undefined })
  expect(hosts).toEqual([expect.stringMatching(/^127\.0\.0\.1:\d+$/)])
})
