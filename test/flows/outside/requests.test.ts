// Requests that start flows: what they bring, who may start what, and what is answered.
import { beforeAll, describe, expect, it } from 'vitest'
import { Problems } from '../../../src/errors/problems.ts'
import { checkFlow } from '../../../src/flows/check/check-flow.ts'
import { outsideRoutes } from '../../../src/flows/outside/outside-routes.ts'
import type { RunStarts } from '../../../src/flows/outside/starts.ts'
import { schemes } from '../../../src/flows.ts'
import { createHandler, describeApi } from '../../../src/http.ts'
import { createEngine, EngineError } from '../../../src/index.ts'
import { openSqlite } from '../../support/databases.ts'
import { contextOf } from './checking.ts'
import { codeOf, echo, type Served, schema, serve } from './served.ts'

const open = { on: 'webhook', allow: 'public' }
const throwing = (options: object) => ({
  first: 'o',
  operations: { o: { type: 'throw-error', options } },
})
const throwingLate = (options: object) => ({
  first: 's',
  operations: {
    s: { type: 'sleep', options: { milliseconds: 300 }, resolve: 'o' },
    o: { type: 'throw-error', options },
  },
})
const sleeping = { first: 'o', operations: { o: { type: 'sleep', options: { milliseconds: 300 } } } }

/** State of a run that has not ended: it sleeps, or is about to begin. */
const underWay = expect.stringMatching(/^(ready|running)$/)

/** Sends a request where starts of runs are what a test says, of one flow that anybody may start. */
async function sendTo(starts: Partial<RunStarts>, path: string, method = 'POST'): Promise<Response> {
  const problems = new Problems('INVALID_OPTIONS')
  const flow = checkFlow(echo('known', open), [], contextOf(), problems)
  problems.throwIfAny()
  const all: RunStarts = {
    start: () => Promise.reject(new Error('no start')),
    find: async () => undefined,
    flow: (name) => (name === 'known' && flow ? { flow, author: undefined, isRow: false } : undefined),
    ...starts,
  }
  const routes = () => outsideRoutes(all, { schemes, secrets: {} })
  const handler = createHandler(served.engine, {
    authenticate: () => ({ admin: true }),
    mounts: [{ routes }],
  })
  return handler(new Request(`http://localhost${path}`, { method }))
}

let served: Served
beforeAll(async () => {
  served = await serve([
    echo('echo', { ...open, headers: ['X-Kind', 'x-none'] }),
    echo('look', { ...open, method: 'GET', returns: '$trigger.query' }),
    echo('nothing', { ...open, returns: '$trigger.body.none' }),
    echo(
      'members',
      { on: 'webhook', allow: 'authenticated', returns: '$accountability' },
      { access: 'caller' },
    ),
    echo('editors', { on: 'webhook', allow: { role: { _eq: 'editor' } }, returns: '$accountability' }),
    echo('writers', { on: 'webhook', allow: { roles: { _some: { _eq: 'writer' } } } }),
    echo('users', { on: 'webhook', allow: { user: { _nnull: true } } }),
    echo('either', { ...open, returns: '$accountability' }, { access: 'caller' }),
    echo('own', { ...open, method: 'GET', returns: '$accountability.user' }, { access: 'caller' }),
    echo('called', { on: 'flow' }),
    {
      ...echo('daily', { on: 'schedule', cron: '0 6 * * *' }),
      trigger: { on: 'schedule', cron: '0 6 * * *' },
    },
    echo('teapot', open, throwing({ code: 'TEAPOT', status: 418, message: 'Short and stout.' })),
    echo('unwell', open, throwing({ code: 'UNWELL', status: 503, message: 'Later.' })),
    echo('broken', open, throwing({ code: 'BROKEN', status: 500, message: 'Of the host alone.' })),
    echo(
      'hidden',
      { ...open, returns: '$last' },
      {
        access: 'nobody',
        first: 'o',
        operations: { o: { type: 'item-read', options: { collection: 'articles', key: 1 } } },
      },
    ),
    echo('sleepy', { ...open, waitMs: 20 }, sleeping),
    echo('asleep', { ...open, waitMs: 0, returns: '$trigger.body' }, sleeping),
  ])
})

describe('the body of a request to a flow', () => {
  const bodyOf = async (init: Parameters<Served['send']>[1]) => {
    const { status, body } = await served.send('/flows/trigger/echo', init)
    return status === 200 ? (body as { body: unknown }).body : status
  }
  const typed = (type: string, body: string) => ({ headers: { 'content-type': type }, body })

  it('is JSON, of any kind', async () => {
    for (const json of [{ a: [1, null, { b: 'ü' }] }, [1, 2], 'text', 7, true, null])
      expect(await bodyOf({ json })).toEqual(json)
    expect(await bodyOf(typed('application/cloudevents+json; charset=utf-8', '{"a":1}'))).toEqual({ a: 1 })
  })

  it('is a form, with lists of what comes again', async () => {
    const form = 'a=1&b=x+y&b=%C3%BC&c=&__proto__=z'
    const read = await bodyOf(typed('application/x-www-form-urlencoded', form))
    expect(JSON.stringify(read)).toBe('{"a":"1","b":["x y","ü"],"c":"","__proto__":"z"}')
  })

  it('is a text', async () => {
    expect(await bodyOf(typed('text/plain;charset=UTF-8', 'a=1\n{}'))).toBe('a=1\n{}')
  })

  it('is an empty object where there is none', async () => {
    expect(await bodyOf({})).toEqual({})
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'image/png'])
      expect(await bodyOf({ headers: { 'content-type': type } })).toEqual({})
    expect(await bodyOf(typed('application/json', '  '))).toEqual({})
  })

  it.each<[string, Parameters<Served['send']>[1], number, string]>([
    ['of no type', { body: '{}' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['of another type', typed('text/xml', '<a/>'), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'of a form with files',
      typed('multipart/form-data; boundary=x', '--x--'),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['of a type that ends in another', typed('application/json-seq', '{}'), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['that is no JSON', typed('application/json', '{"a":'), 400, 'INVALID_PAYLOAD'],
    [
      'that is no text',
      { headers: { 'content-type': 'text/plain' }, body: Uint8Array.of(255, 254) },
      400,
      'INVALID_PAYLOAD',
    ],
    [
      'that nests too deep',
      typed('application/json', '['.repeat(100) + ']'.repeat(100)),
      400,
      'INVALID_PAYLOAD',
    ],
    ['of 2 MiB', typed('text/plain', 'x'.repeat(2 * 1024 * 1024)), 413, 'CONTENT_TOO_LARGE'],
    ['that is packed', { json: {}, headers: { 'content-encoding': 'gzip' } }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ])('%s is refused', async (_, init, status, code) => {
    const answer = await served.send('/flows/trigger/echo', init)
    expect([answer.status, codeOf(answer)]).toEqual([status, code])
  })

  it('has 1 MiB', async () => {
    const text = 'x'.repeat(1024 * 1024)
    expect(await bodyOf(typed('text/plain', text))).toBe(text)
  })
})

describe('$trigger of a request', () => {
  it('has the path, the method, the query, the body, and the headers that the flow lists', async () => {
    const { body } = await served.send('/flows/trigger/echo?a=1&b=2&b=3&c', {
      json: { x: 1 },
      headers: { 'x-kind': 'push', 'x-other': 'no', cookie: 'session=ada' },
      token: 'ada',
    })
    expect(body).toEqual({
      path: '/flows/trigger/echo',
      method: 'POST',
      query: { a: '1', b: ['2', '3'], c: '' },
      body: { x: 1 },
      headers: { 'x-kind': 'push' },
    })
  })

  it('has no body of a GET', async () => {
    const answer = await served.send('/flows/trigger/look?name=Ada', { method: 'GET' })
    expect([answer.status, answer.body]).toEqual([200, { name: 'Ada' }])
  })
})

describe('a flow is found', () => {
  const status = async (path: string, init: Parameters<Served['send']>[1] = {}) =>
    (await served.send(path, init)).status

  it('by its method alone', async () => {
    expect(await status('/flows/trigger/echo', { method: 'GET' })).toBe(404)
    expect(await status('/flows/trigger/look', { token: 'ada' })).toBe(404)
    expect(await status('/flows/trigger/look', { method: 'HEAD', token: 'ada' })).toBe(404)
    expect(await status('/flows/trigger/look', { method: 'PUT', token: 'ada' })).toBe(405)
    expect(await status('/flows/trigger/look', { method: 'OPTIONS', token: 'ada' })).toBe(204)
  })

  it('by GET if anybody may start it, and else by nobody', async () => {
    for (const name of ['members', 'editors', 'none', 'called', 'daily'])
      for (const token of ['ada', 'wrong'])
        expect(await status(`/flows/trigger/${name}`, { method: 'GET', token })).toBe(404)
  })

  it('by nobody if it is none, or starts otherwise', async () => {
    for (const name of ['none', 'called', 'daily', '__proto__']) {
      const answer = await served.send(`/flows/trigger/${name}`, { token: 'admin' })
      expect([answer.status, codeOf(answer)]).toEqual([404, 'NOT_FOUND'])
      // Who is not known is not told which there are.
      expect(await status(`/flows/trigger/${name}`)).toBe(401)
    }
    expect(await status('/flows/trigger/members')).toBe(401)
  })
})

describe('who may start a flow', () => {
  const callers = ['admin', 'ada', 'bob', 'robot', 'anybody', 'wrong']
  /** The statuses for each caller, in their order. */
  const startedBy = async (name: string) => {
    const answers = callers.map((token) => served.send(`/flows/trigger/${name}`, { token }))
    return (await Promise.all(answers)).map(({ status }) => status).join(' ')
  }

  it.each([
    ['anybody, who is not even looked at', 'echo', '200 200 200 200 200 200'],
    ['who is known, by a user or a role', 'members', '200 200 200 200 404 401'],
    ['whom a filter names', 'editors', '404 200 404 404 404 401'],
    ['whom a filter on roles names', 'writers', '404 200 404 404 404 401'],
    ['a user', 'users', '200 200 200 404 404 401'],
    ['anybody with the rights that they have: a bad token is refused', 'either', '200 200 200 200 200 401'],
  ])('is %s', async (_, name, statuses) => {
    const before = served.asked.length
    expect(await startedBy(name)).toBe(statuses)
    expect(served.asked.length - before).toBe(name === 'echo' ? 0 : callers.length)
  })

  it('is whose rights the flow has', async () => {
    const { body } = await served.send('/flows/trigger/members', { token: 'ada' })
    expect(body).toEqual({ user: 7, role: 'editor', roles: ['editor', 'writer'], admin: false })
    const either = await served.send('/flows/trigger/either', { token: 'bob' })
    expect(either.body).toMatchObject({ user: 8, admin: false })
  })
})

describe('the answer of a flow', () => {
  it('is what it returns, or nothing', async () => {
    const answer = await served.send('/flows/trigger/nothing', { json: {} })
    expect([answer.status, answer.body]).toEqual([204, undefined])
    expect((await served.send('/flows/trigger/nothing', { json: { none: 0 } })).body).toBe(0)
    const text = await served.send('/flows/trigger/nothing', { json: { none: 'a text' } })
    expect([text.body, text.headers.get('content-type')]).toEqual([
      'a text',
      'application/json; charset=utf-8',
    ])
  })

  it('is the error of a reject, like one of REST', async () => {
    const teapot = await served.send('/flows/trigger/teapot')
    expect([teapot.status, teapot.body]).toEqual([
      418,
      { errors: [{ message: 'Short and stout.', extensions: { code: 'TEAPOT' } }] },
    ])
    const unwell = await served.send('/flows/trigger/unwell')
    expect([unwell.status, codeOf(unwell), unwell.headers.get('retry-after')]).toEqual([503, 'UNWELL', '1'])
    const hidden = await served.send('/flows/trigger/hidden')
    expect([hidden.status, codeOf(hidden)]).toEqual([404, 'NOT_FOUND'])
  })

  it('says nothing of an error of the host, who is told', async () => {
    const { errors } = served
    const broken = await served.send('/flows/trigger/broken')
    expect([broken.status, broken.body]).toEqual([
      500,
      {
        errors: [{ message: 'An unexpected error occurred.', extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
      },
    ])
    expect(String(errors.at(-1))).toContain('Of the host alone.')
  })

  it('is where to look, once the time to wait is over', async () => {
    const answer = await served.send('/flows/trigger/sleepy', { json: 1 })
    const { id } = answer.body as { id: string }
    expect([answer.status, answer.body]).toEqual([202, { id, state: underWay }])
    expect(answer.headers.get('location')).toBe(`/flows/runs/${id}`)
    const run = await served.send(`/flows/runs/${id}`, { method: 'GET' })
    expect([run.status, run.body]).toEqual([200, { id, state: underWay }])
  })

  it('says where to look below the prefix of the handler', async () => {
    const { mount, engine } = await serve([echo('asleep', { ...open, waitMs: 0 }, sleeping)])
    const handler = createHandler(engine, { authenticate: () => null, prefix: 'api/v 1/', mounts: [mount] })
    const response = await handler(
      new Request('http://localhost/api/v%201/flows/trigger/asleep', { method: 'POST' }),
    )
    const { id } = Object(await response.json())
    expect([response.status, response.headers.get('location')]).toEqual([202, `/api/v%201/flows/runs/${id}`])
    const found = await handler(new Request(`http://localhost${response.headers.get('location')}`))
    expect([found.status, await found.json()]).toEqual([200, { id, state: underWay }])
  })

  it('is 503 while the queue is full, with the time to wait', async () => {
    const full = new EngineError('SERVICE_UNAVAILABLE', 'There are 10,000 runs of this flow.', {
      extensions: { retryAfter: 6.5 },
    })
    const answer = await sendTo({ start: () => Promise.reject(full) }, '/flows/trigger/known')
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '7'])
  })
})

describe('a run', () => {
  const started = async (name: string, token?: string) => {
    const { body } = await served.send(`/flows/trigger/${name}`, {
      json: { a: 1 },
      ...(token !== undefined && { token }),
    })
    return (body as { id: string }).id
  }
  const look = (id: string, token?: string) =>
    served.send(`/flows/runs/${id}`, { method: 'GET', ...(token !== undefined && { token }) })

  it('is shown to who has its id, as soon as it has ended with its result', async () => {
    const id = await started('asleep')
    expect((await look(id)).body).toEqual({ id, state: underWay })
    await expect.poll(async () => (await look(id)).body).toEqual({ id, state: 'succeeded', result: { a: 1 } })
  })

  it('is shown to nobody else', async () => {
    expect((await look('aaaaaaaa-0000-4000-8000-000000000009')).status).toBe(401)
    for (const id of ['aaaaaaaa-0000-4000-8000-000000000009', 'x', '*', '%27'])
      expect((await look(id, 'admin')).status).toBe(404)
  })

  it('is shown to who may start its flow', async () => {
    const { send } = await serve([
      echo('late', { on: 'webhook', allow: { user: { _eq: 7 } }, waitMs: 0 }, sleeping),
      echo('wrong', { ...open, waitMs: 0 }, throwingLate({ code: 'X', status: 400, message: 'Wrong.' })),
      echo(
        'inner',
        { ...open, waitMs: 0 },
        throwingLate({ code: 'Y', status: 500, message: 'Of the host.' }),
      ),
    ])
    const lookAs = async (id: unknown, token?: string) =>
      await send(`/flows/runs/${id}`, { method: 'GET', ...(token !== undefined && { token }) })
    const { id } = (await send('/flows/trigger/late', { token: 'ada' })).body as { id: string }
    expect((await lookAs(id, 'ada')).status).toBe(200)
    expect((await lookAs(id, 'bob')).status).toBe(404)
    expect((await lookAs(id)).status).toBe(401)
    const other = (await send('/flows/trigger/wrong')).body as { id: string }
    const inner = (await send('/flows/trigger/inner')).body as { id: string }
    await expect
      .poll(async () => (await lookAs(other.id)).body)
      .toEqual({
        ...{ id: other.id, state: 'failed' },
        errors: [{ message: 'Wrong.', extensions: { code: 'X' } }],
      })
    await expect
      .poll(async () => (await lookAs(inner.id)).body)
      .toEqual({
        ...{ id: inner.id, state: 'failed' },
        errors: [{ message: 'An unexpected error occurred.', extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
      })
  })

  it('is shown to nobody once its flow is gone', async () => {
    const run = { id: 'aaaaaaaa-0000-4000-8000-000000000009', state: 'succeeded', result: 1 } as const
    const find = (flow: string) => ({ find: async () => ({ ...run, flow }) })
    expect((await sendTo(find('known'), `/flows/runs/${run.id}`, 'GET')).status).toBe(200)
    expect((await sendTo(find('gone'), `/flows/runs/${run.id}`, 'GET')).status).toBe(404)
  })
})

describe('the mount of flows', () => {
  it('is refused by a handler over another engine', async () => {
    const { db } = await openSqlite()
    const other = createEngine({ db, schema })
    expect(() => createHandler(other, { authenticate: () => null, mounts: [served.mount] })).toThrow(
      'The mount was made for another engine than the handler.',
    )
  })

  it('is described', () => {
    const { paths } = describeApi(served.engine, { mounts: [served.mount] })
    expect(Object.keys(paths['/flows/trigger/{name}'] ?? {}).sort()).toEqual(['get', 'parameters', 'post'])
    expect(paths['/flows/runs/{id}']?.get?.operationId).toBe('read_run')
  })
})
