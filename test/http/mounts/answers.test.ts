// Answers of mounts as they are sent: headers of any case, what caches keep, and what no transport sends.
import { createServer } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import { createHandler, type Mount, type MountRoute, toNode } from '../../../src/http.ts'
import { createEngine, defineSchema, type Engine, listItems } from '../../../src/index.ts'
import { type OpenDatabase, openSqlite } from '../../support/databases.ts'
import { portOf } from '../../support/listening.ts'
import { transports } from '../transports.ts'

const schema = defineSchema({ tags: { fields: { id: { type: 'integer', key: true } } } })
let database: OpenDatabase
let engine: Engine<typeof schema>

beforeAll(async () => {
  database = await openSqlite()
  await database.run('create table tags (id integer primary key)')
  engine = createEngine({ db: database.db, schema })
})

const authenticate = () => ({ admin: true })
type Answer = Awaited<ReturnType<MountRoute['methods'][string]>>
const answering = (answer: () => Answer): Mount => ({
  routes: () => [{ path: '/mine', methods: { GET: async () => answer() } }],
})

describe.each(transports)('$title, the answer of a mount', ({ open }) => {
  const sent = async (
    answer: () => Answer,
    headers: Readonly<Record<string, string>> = {},
    method = 'GET',
  ) => {
    const errors: unknown[] = []
    const onError = (error: unknown) => void errors.push(error)
    const mounts = [answering(answer)]
    const handler = createHandler(engine, { authenticate, mounts, onError, prefix: '/api' })
    const wire = await open(handler)
    const {
      status,
      headers: got,
      text,
    } = await wire.send({ ...{ method, path: '/api/mine', headers, body: undefined } })
    await handler.stop({ drainMs: 1_000 })
    await wire.close()
    return { status, headers: got, text, errors }
  }

  it('has headers of any case, each once', async () => {
    const headers = {
      'Content-Type': 'text/plain',
      'Content-Length': '2',
      'Cache-Control': 'max-age=60',
      Vary: 'Accept',
      ETag: '"own"',
    }
    const answer = await sent(() => ({ status: 200, headers, body: 'hi' }))
    expect([answer.status, answer.text, answer.errors]).toEqual([200, 'hi', []])
    expect(answer.headers).toMatchObject({
      'content-type': 'text/plain',
      'content-length': '2',
      'cache-control': 'max-age=60',
      vary: 'Authorization, Cookie, Accept',
      etag: '"own"',
    })
  })

  it('keeps what caches go by when the client has it already', async () => {
    const headers = { 'cache-control': 'max-age=60', vary: 'Accept', etag: '"own"' }
    const answer = () => ({ status: 200, headers, body: 'hi' })
    for (const tag of ['"own"', '*']) {
      const known = await sent(answer, { 'if-none-match': tag })
      expect([known.status, known.text]).toEqual([304, ''])
      expect(known.headers).toMatchObject({ ...headers, vary: 'Authorization, Cookie, Accept' })
    }
    expect((await sent(answer, { 'if-none-match': '"other"' })).status).toBe(200)
  })

  it.each([
    [{ status: 200, headers: { 'x-name': 'a\nb' } }, 'A mount responded with a header "x-name"'],
    [{ status: 200, headers: { 'x-name': '日本' } }, 'A mount responded with a header "x-name"'],
    [{ status: 200, headers: { 'x name': 'a' } }, 'A mount responded with a header "x name"'],
    [{ status: 42, headers: {} }, 'A mount has to respond with a status from 200 to 599, not 42.'],
    [{ status: 600, headers: {} }, 'A mount has to respond with a status from 200 to 599, not 600.'],
  ])('that cannot be sent is told to the host, and its source ends: %j', async (answer, says) => {
    const cancelled: string[] = []
    const streaming = () => ({
      ...answer,
      body: new ReadableStream({ cancel: () => void cancelled.push('cancelled') }),
    })
    for (const body of [() => answer, () => ({ ...answer, body: 'text' }), streaming]) {
      const { status, errors } = await sent(body)
      expect([status, errors]).toEqual([
        500,
        [expect.objectContaining({ message: expect.stringContaining(says) })],
      ])
    }
    expect(cancelled).toEqual(['cancelled'])
  })

  it.each([
    ['for a reason of its own', () => new Error('The source is stuck.'), 2],
    ['by the error itself', (reason: unknown) => reason, 1],
    ['because it was broken off', () => new DOMException('broken off', 'AbortError'), 1],
  ])('that cannot be sent, and whose source does not end %s, is told', async (_how, failure, count) => {
    const cancel = (reason: unknown) => Promise.reject(failure(reason))
    const { status, errors } = await sent(() => ({
      status: 42,
      headers: {},
      body: new ReadableStream({ cancel }),
    }))
    expect(status).toBe(500)
    expect(errors.map(String).toSorted()).toEqual(
      [
        'EngineError: A mount has to respond with a status from 200 to 599, not 42.',
        'Error: The source is stuck.',
      ].slice(0, count),
    )
  })

  it('without a body has none', async () => {
    for (const status of [204, 205]) {
      const answer = await sent(() => ({ status, headers: {}, body: 'text' }))
      expect([answer.status, answer.text, answer.errors]).toEqual([status, '', []])
    }
  })
})

it('is left out, and its source ended, where something else has answered meanwhile', async () => {
  const cancelled: string[] = []
  let isAnswered = false
  const body = () => new ReadableStream<Uint8Array>({ cancel: () => void cancelled.push('cancelled') })
  const mount: Mount = {
    routes: () => [
      {
        path: '/mine',
        methods: {
          GET: async () => {
            await expect.poll(() => isAnswered).toBe(true)
            return { status: 200, headers: {}, body: body() }
          },
        },
      },
    ],
  }
  const handler = createHandler(engine, { authenticate, mounts: [mount] })
  const listener = toNode(handler)
  const server = createServer((message, response) => {
    void listener(message, response)
    // As a middleware does that bounds the time of requests.
    setTimeout(() => {
      response.writeHead(503).end('late')
      isAnswered = true
    }, 5)
  })
  const port = await portOf(server)
  const response = await fetch(`http://localhost:${port}/mine`)
  expect([response.status, await response.text()]).toEqual([503, 'late'])
  await handler.stop({ drainMs: 1_000 })
  expect(cancelled).toEqual(['cancelled'])
})

it('comes of one mount for all engines that are made of one', async () => {
  const events: unknown[] = []
  const mount = (made: Engine): Mount => {
    events.push('made', made === engine)
    return {
      routes: () => [
        {
          path: '/mine',
          methods: {},
          open: async ({ queryString }) => {
            // The only connection is the transaction's.
            const read = queryString === '?engine=0' ? [] : await listItems(made, 'tags')
            return { status: 200, headers: {}, body: JSON.stringify(read) }
          },
        },
      ],
      start: (started) => void events.push('start', started.db === engine.db),
      stop: () => void events.push('stop'),
    }
  }
  const inside = await database.db.startTransaction().execute()
  const engines = [engine.using(inside), engine.fresh(), engine]
  const handler = createHandler(
    ({ url }) => engines[Number(new URL(url).searchParams.get('engine'))] ?? engine,
    { authenticate, mounts: [mount] },
  )
  await handler.start()
  for (const index of engines.keys()) {
    if (index === 1) await inside.commit().execute()
    const response = await handler(new Request(`http://localhost/mine?engine=${index}`))
    expect([index, response.status]).toEqual([index, 200])
  }
  await handler.stop()
  expect(events).toEqual(['made', false, 'start', true, 'stop'])
})
