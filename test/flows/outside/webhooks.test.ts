// Webhooks that are signed, requests that come twice, and pages of others that would start something in the name of their visitors.
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import express from 'express'
import { beforeAll, describe, expect, it } from 'vitest'
import { hashOf } from '../../../src/flows/chain/chain.ts'
import { schemes } from '../../../src/flows.ts'
import { toNode } from '../../../src/http.ts'
import { portOf } from '../../support/listening.ts'
import { codeOf, echo, type SentRequest, type Served, serve } from './served.ts'

const now = new Date('2026-11-27T12:00:00Z')
const seconds = String(now.getTime() / 1_000)
const secrets = {
  NEW: `whsec_${Buffer.alloc(24, 1).toString('base64')}`,
  OLD: `whsec_${Buffer.alloc(24, 2).toString('base64')}`,
  GITHUB: 'the secret of a repository',
  STRIPE: 'whsec_5WbX5kEWLlfzsGNjH64I8lOOqUB6e8FH',
  UNLISTED: `whsec_${Buffer.alloc(24, 3).toString('base64')}`,
}
const signed = (scheme: string, ...secret: readonly string[]) => ({
  on: 'webhook',
  allow: 'signed',
  hmac: { scheme, secret },
})
const open = { on: 'webhook', allow: 'public' }

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text)

/** A request as a sender of the standard scheme signs it. */
function standard(
  json: unknown,
  {
    secret = secrets.NEW,
    time = seconds,
    id = 'msg_1',
  }: { secret?: string; time?: string; id?: string } = {},
): SentRequest {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const signature = hmac(key, `${id}.${time}.${JSON.stringify(json)}`).digest('base64')
  return {
    json,
    headers: { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': `v1,${signature}` },
  }
}

const github = (json: unknown, delivery = '72d3162e-cc78-11e3-81ab-4c9367dc0958'): SentRequest => ({
  json,
  headers: {
    'x-github-event': 'push',
    'x-github-delivery': delivery,
    'x-hub-signature-256': `sha256=${hmac(secrets.GITHUB, JSON.stringify(json)).digest('hex')}`,
  },
})

const stripe = (json: unknown): SentRequest => ({
  json,
  headers: {
    'stripe-signature': `t=${seconds},v1=${hmac(secrets.STRIPE, `${seconds}.${JSON.stringify(json)}`).digest('hex')}`,
  },
})

let served: Served
beforeAll(async () => {
  served = await serve(
    [
      echo('standard', signed('standard', 'NEW', 'OLD')),
      echo('github', {
        ...signed('github', 'GITHUB'),
        headers: ['X-GitHub-Event'],
        returns: '$trigger.headers',
      }),
      echo('stripe', { ...signed('stripe', 'STRIPE'), returns: '$trigger.body.type' }),
      echo('mine', signed('mine', 'GITHUB')),
      echo(
        'slow',
        { ...signed('standard', 'NEW'), waitMs: 0 },
        { first: 'o', operations: { o: { type: 'sleep', options: { milliseconds: 200 } } } },
      ),
      echo('open', { ...open, returns: '$trigger.body' }),
      echo('members', { on: 'webhook', allow: 'authenticated', returns: '$accountability.user' }),
      echo('either', { ...open, returns: '$accountability.user' }, { access: 'caller' }),
      echo('link', { ...open, method: 'GET', returns: '$accountability.user' }, { access: 'caller' }),
      echo('anyone', { ...open, method: 'GET', returns: '$trigger.query' }),
    ],
    {
      secrets,
      clock: () => now,
      table: {
        ...schemes,
        mine: {
          doc: 'A word.',
          verify: async (bytes, header, [secret]) =>
            header('x-word') === secret && bytes.length > 0 ? {} : undefined,
        },
      },
    },
  )
})

const start = (name: string, init?: SentRequest) => served.send(`/flows/trigger/${name}`, init)
const runs = async () => (await served.runs()).length

describe('a signed webhook', () => {
  it('starts its flow, as nobody', async () => {
    const answer = await start('standard', standard({ type: 'invoice.paid' }))
    expect([answer.status, (answer.body as { body: unknown }).body]).toEqual([200, { type: 'invoice.paid' }])
    expect((await served.runs()).at(-1)).toMatchObject({ flow: 'standard', user: null, role: null })
    expect(served.asked).toEqual([])
    expect((await start('standard', standard({}, { secret: secrets.OLD, id: 'msg_old' }))).status).toBe(200)
    expect((await start('github', github({ ref: 'refs/heads/main' }))).body).toEqual({
      'x-github-event': 'push',
    })
    expect((await start('stripe', stripe({ id: 'evt_1', type: 'payment_intent.succeeded' }))).body).toBe(
      'payment_intent.succeeded',
    )
  })

  it('starts nothing by another body, six minutes later, or by a secret that is not listed, with one answer for all', async () => {
    const before = await runs()
    const six = String(Number(seconds) - 360)
    const wrong = [
      { ...standard({ a: 1 }), json: { a: 2 } },
      standard({ a: 1 }, { time: six }),
      standard({ a: 1 }, { secret: secrets.UNLISTED }),
      { json: { a: 1 } },
    ]
    for (const init of wrong) {
      const answer = await start('standard', init)
      expect([answer.status, answer.body]).toEqual([
        401,
        {
          errors: [
            {
              message: 'The credentials are missing or not valid.',
              extensions: { code: 'INVALID_CREDENTIALS' },
            },
          ],
        },
      ])
    }
    // A token of a caller is no signature.
    expect((await start('standard', { json: {}, token: 'admin' })).status).toBe(401)
    expect(await runs()).toBe(before)
  })

  it('is asked for its signature before its body is read', async () => {
    const { headers } = standard('{')
    expect(
      (await start('standard', { body: '{', headers: { ...headers, 'content-type': 'application/json' } }))
        .status,
    ).toBe(401)
  })

  it('may be of a scheme of the host', async () => {
    expect((await start('mine', { json: {}, headers: { 'x-word': secrets.GITHUB } })).status).toBe(200)
    expect((await start('mine', { json: {}, headers: { 'x-word': 'no' } })).status).toBe(401)
  })

  it('says where its run is, and shows it to who signs', async () => {
    const answer = await start('slow', standard({ a: 1 }, { id: 'msg_slow' }))
    const path = String(answer.headers.get('location'))
    expect(answer.status).toBe(202)
    const key = Buffer.from(secrets.NEW.slice(6), 'base64')
    const signature = hmac(key, `msg_look.${seconds}.`).digest('base64')
    const headers = {
      'webhook-id': 'msg_look',
      'webhook-timestamp': seconds,
      'webhook-signature': `v1,${signature}`,
    }
    expect((await served.send(path, { method: 'GET', headers })).status).toBe(200)
    expect((await served.send(path, { method: 'GET', token: 'admin' })).status).toBe(401)
    await new Promise((resolve) => setTimeout(resolve, 250))
  })
})

describe('behind a body parser', () => {
  /** Sends a request to the handler over Node, behind a middleware of Express. */
  async function behind(
    parser: express.RequestHandler | undefined,
    path: string,
    { json, body, headers }: SentRequest,
  ) {
    const app = express()
    if (parser) app.use(parser)
    app.use(toNode(served.handler))
    const server = createServer(app)
    const port = await portOf(server)
    const response = await fetch(`http://localhost:${port}${path}`, {
      method: 'POST',
      headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
      body: body === undefined ? JSON.stringify(json) : body,
    })
    const text = await response.text()
    await new Promise((resolve) => server.close(resolve).closeAllConnections())
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }

  it('a signature is told to the host as gone, and never as wrong', async () => {
    const { errors } = served
    const answer = await behind(express.json(), '/flows/trigger/stripe', stripe({ type: 'a' }))
    expect([answer.status, answer.body.errors[0].extensions.code]).toEqual([500, 'INTERNAL_SERVER_ERROR'])
    expect(errors.at(-1)).toMatchObject({
      code: 'INVALID_OPTIONS',
      message:
        'Something before has read the body of a signed webhook, and its signature is one of the bytes.',
      hint: 'Let requests pass unread to the handler: mount it in front of express.json(), or take express.raw() there.',
    })
  })

  it('a signature is taken where the bytes are left, or nothing was read', async () => {
    const raw = express.raw({ type: '*/*' })
    expect(await behind(raw, '/flows/trigger/stripe', stripe({ type: 'raw' }))).toEqual({
      status: 200,
      body: 'raw',
    })
    expect(await behind(undefined, '/flows/trigger/stripe', stripe({ type: 'unread' }))).toEqual({
      status: 200,
      body: 'unread',
    })
    expect(
      (await behind(raw, '/flows/trigger/stripe', { ...stripe({ type: 'raw' }), json: { type: 'other' } }))
        .status,
    ).toBe(401)
  })

  it('JSON that nobody signs is taken as it was parsed', async () => {
    expect(await behind(express.json(), '/flows/trigger/open', { json: { a: [1] } })).toEqual({
      status: 200,
      body: { a: [1] },
    })
    expect(await behind(express.raw({ type: '*/*' }), '/flows/trigger/open', { json: { a: [1] } })).toEqual({
      status: 200,
      body: { a: [1] },
    })
  })

  it('a form that was parsed is told to the host', async () => {
    const form = { body: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    expect((await behind(express.urlencoded(), '/flows/trigger/open', form)).status).toBe(500)
    expect(served.errors.at(-1)).toMatchObject({ code: 'INVALID_OPTIONS' })
    expect((await behind(undefined, '/flows/trigger/open', form)).body).toEqual({ a: '1' })
  })
})

describe('a request that comes twice', () => {
  const keyed = (key: string, json: unknown, token?: string): SentRequest => ({
    json,
    headers: { 'idempotency-key': key },
    ...(token !== undefined && { token }),
  })

  it('starts one run, and gets its answer', async () => {
    const before = await runs()
    const answers = [await start('open', keyed('a', { n: 1 })), await start('open', keyed('a', { n: 1 }))]
    expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(2).fill([200, { n: 1 }]))
    expect(await runs()).toBe(before + 1)
  })

  it('is refused with another body, or another query', async () => {
    await start('open', keyed('b', { n: 1 }))
    for (const answer of [
      await start('open', keyed('b', { n: 2 })),
      await start('open?x=1', keyed('b', { n: 1 })),
    ])
      expect([answer.status, codeOf(answer)]).toEqual([422, 'UNPROCESSABLE_CONTENT'])
  })

  it('is another one of another caller, or of another flow', async () => {
    const before = await runs()
    for (const token of ['ada', 'bob', 'ada']) await start('members', keyed('c', {}, token))
    await start('open', keyed('c', {}))
    await start('either', keyed('c', {}, 'ada'))
    expect(await runs()).toBe(before + 4)
    // Nothing of it is kept in clear.
    for (const { request, body } of await served.runs())
      if (request !== null)
        expect([request, body]).toEqual(Array(2).fill(expect.stringMatching(/^[\w-]{43}$/)))
  })

  it('is another one of another caller without a user, whatever role they share', async () => {
    const before = await runs()
    const sent = (token: string) => start('members', keyed('shared', {}, token))
    for (const token of ['shop-a', 'shop-b', 'shop-c', 'host']) await sent(token)
    expect(await runs()).toBe(before + 4)
    // Neither the end of an access nor the order of its parts makes another caller.
    await sent('shop-a-later')
    expect(await runs()).toBe(before + 4)
  })

  it('has the key that it always had of a caller with a user, and of nobody', async () => {
    await start('members', keyed('kept', {}, 'ada'))
    await start('open', keyed('kept', {}))
    const found = (await served.runs()).map(({ request }) => request)
    expect(found).toContain(hashOf(['members', 7, 'editor', 'kept']))
    expect(found).toContain(hashOf(['open', null, null, 'kept']))
  })

  it('has a key of 1 to 255 characters', async () => {
    expect((await start('open', keyed('k'.repeat(255), {}))).status).toBe(200)
    for (const key of ['', 'k'.repeat(256)]) {
      const answer = await start('open', keyed(key, {}))
      expect([answer.status, codeOf(answer)]).toEqual([400, 'INVALID_PAYLOAD'])
    }
  })

  it('is known by what its sender has signed, whatever other key it has', async () => {
    const before = await runs()
    const once = standard({ n: 1 }, { id: 'msg_twice' })
    await start('standard', once)
    await start('standard', { ...once, headers: { ...once.headers, 'idempotency-key': 'another' } })
    expect(await runs()).toBe(before + 1)
    await start('github', github({ n: 1 }, 'delivery-1'))
    await start('github', github({ n: 1 }, 'delivery-1'))
    await start('github', github({ n: 1 }, 'delivery-2'))
    expect(await runs()).toBe(before + 3)
    // The id of a message is no key that anybody else could have taken before.
    await start('open', keyed('msg_twice', {}))
    expect(await runs()).toBe(before + 4)
  })
})

describe('a page of others', () => {
  const cookie = 'session=ada'
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }

  it.each<[string, SentRequest]>([
    ['a form', { body: 'a=1', headers: { ...form, ...foreign, cookie } }],
    ['a text', { body: '{}', headers: { 'content-type': 'text/plain', ...foreign, cookie } }],
    ['no body', { headers: { ...foreign, cookie } }],
    [
      'a form of an older browser',
      { body: 'a=1', headers: { ...form, origin: 'https://evil.example', cookie } },
    ],
  ])('starts nothing by %s', async (_, init) => {
    const before = await runs()
    for (const name of ['members', 'either']) {
      const answer = await start(name, init)
      expect([answer.status, codeOf(answer)]).toEqual([403, 'FORBIDDEN'])
    }
    expect(await runs()).toBe(before)
  })

  it.each<[string, Readonly<Record<string, string>>]>([
    ['a link', { 'sec-fetch-site': 'cross-site' }],
    ['a page of the same site', { 'sec-fetch-site': 'same-site' }],
    ['a request of a script', foreign],
    ['a picture of an older browser', {}],
  ])('starts nothing in the name of its visitor by %s', async (_, headers) => {
    const answer = await start('link', { method: 'GET', headers: { ...headers, cookie } })
    expect([answer.status, codeOf(answer)]).toEqual([403, 'FORBIDDEN'])
  })

  it('starts what anybody may start', async () => {
    const answer = await start('anyone?a=1', { method: 'GET', headers: { ...foreign, cookie } })
    expect([answer.status, answer.body]).toEqual([200, { a: '1' }])
  })

  it('is none where the page is our own, or a token is sent', async () => {
    const own = { origin: 'http://localhost', 'sec-fetch-site': 'same-origin', cookie }
    expect((await start('members', { body: 'a=1', headers: { ...form, ...own } })).body).toBe(7)
    expect(
      (await start('link', { method: 'GET', headers: { 'sec-fetch-site': 'same-origin', cookie } })).body,
    ).toBe(7)
    expect((await start('link', { method: 'GET', headers: { 'sec-fetch-site': 'none', cookie } })).body).toBe(
      7,
    )
    expect((await start('link', { method: 'GET', headers: foreign, token: 'bob' })).body).toBe(8)
    expect((await start('link', { method: 'GET', token: 'bob' })).body).toBe(8)
    expect((await start('members', { json: {}, headers: { cookie } })).body).toBe(7)
  })

  it('is trusted where the host says so', async () => {
    const { handler } = await serve(
      [echo('link', { ...open, method: 'GET', returns: '$accountability.user' }, { access: 'caller' })],
      { trustedOrigins: ['https://evil.example'] },
    )
    const response = await handler(
      new Request('http://localhost/flows/trigger/link', { headers: { ...foreign, cookie } }),
    )
    expect(await response.json()).toBe(7)
  })
})
