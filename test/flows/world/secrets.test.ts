// Secrets: where they are sent, and that they come back nowhere.
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { redactor } from '../../../src/flows/run/redact.ts'
import { mayGetSecrets, readReach } from '../../../src/flows/world/reach.ts'
import { defineFlow, defineOperation, type FlowsOptions, operationTypes } from '../../../src/flows.ts'
import { createItem, listItems } from '../../../src/index.ts'
import { createFeed, localSource, watchItems } from '../../../src/realtime.ts'
import { databases, sqlite } from '../../support/databases.ts'
import {
  type World as AttackedWorld,
  type OpenedWorld,
  openWorld as openAttacked,
} from '../attacked-world.ts'
import { openWorld, type World } from '../runs/world.ts'
import { echo, serve, type TestServer } from './servers.ts'

const key = 'sk/live "of+the host"'
const other = 'another-secret-of-the-host'
const secrets = { API: key, OTHER: other }
/** Every form in which the secret is sent. */
const forms = [key, encodeURIComponent(key), 'sk%2Flive+', 'sk/live \\"', other]
const fetch = globalThis.fetch as NonNullable<FlowsOptions['fetch']>

let server: TestServer
let thief: TestServer
beforeAll(async () => {
  thief = await serve(echo, '127.0.0.1')
  server = await serve((request, response, body) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    if (pathname === '/moved') response.writeHead(307, { location: searchParams.get('to') ?? '' }).end()
    else if (pathname === '/broken')
      response.end(`{ no JSON: ${JSON.stringify(request.headers.authorization)} ${request.url}`)
    else {
      if (pathname === '/refused') response.statusCode = 403
      if (pathname === '/parsed') response.end(body)
      else echo(request, response, body)
    }
  }, '127.0.0.1')
})
afterAll(async () => {
  await server.close()
  await thief.close()
})

const at = (path = '') => `http://127.0.0.1:${server.port}${path}`
const atThief = (path = '') => `http://127.0.0.1:${thief.port}${path}`

/** Everything that stands in the tables of runs. */
async function stored({ db }: Pick<World, 'db'>): Promise<string> {
  const tables = ['quernel_runs', 'quernel_steps', 'quernel_flows']
  const all = await Promise.all(tables.map((table) => sql.raw(`select * from ${table}`).execute(db)))
  return JSON.stringify(all.map(({ rows }) => rows))
}

describe('the text of a secret', () => {
  const redact = redactor({ KEY: key, NAME: 'größe-of-"it"\nA' })
  it.each([
    ['as it is', `is ${key}.`],
    ['in other letters', key.toUpperCase()],
    ['in an address', `/?k=${encodeURIComponent(key)}`],
    ['in an address in small letters', `/?k=${encodeURIComponent(key).toLowerCase()}`],
    ['in a form', new URLSearchParams({ k: key }).toString()],
    ['in JSON', JSON.stringify({ key })],
    ['in JSON inside of JSON', JSON.stringify({ body: JSON.stringify({ key }) })],
    ['in JSON with slashes that are escaped', JSON.stringify({ key }).replaceAll('/', '\\/')],
    ['in HTML', `<b>${key.replaceAll('"', '&quot;')}</b>`],
    ['in base64', Buffer.from(key).toString('base64')],
    ['in base64 behind a name', Buffer.from(`name:${key}`).toString('base64')],
    ['in base64 before another text', Buffer.from(`xy${key} and so on`).toString('base64url')],
    ['in hexadecimal numbers', Buffer.from(key).toString('hex')],
  ])('is found %s', (_, text) => {
    const shown = String(redact(text))
    expect(shown).toContain('--redacted--')
    const left = [
      shown,
      Buffer.from(shown, 'base64').toString(),
      decodeURIComponent(shown.replaceAll('+', ' ')),
    ]
    for (const one of left) expect(one.toLowerCase()).not.toContain('live')
  })

  it('is found where its letters are read byte by byte, as headers are', () => {
    const text = 'größe-of-"it"\nA'
    const bytes = [Buffer.from(text).toString('latin1'), Buffer.from(text, 'latin1').toString()]
    expect(redact(bytes)).toEqual(['--redacted--', '--redacted--'])
  })

  it('is found with all of its characters', () => {
    const ascii = 'gr\\u00f6\\u00dfe-of-\\"it\\"\\nA'
    for (const text of ['größe-of-"it"\nA', 'GRÖßE-of-"it"\na', ascii])
      expect(redact([text, { [text]: 1 }])).toEqual(['--redacted--', { '--redacted--': 1 }])
  })

  it('leaves what holds none as it is', () => {
    const value = { a: ['live', 'sk', null, 1, { b: key.slice(0, -1) }] }
    expect(redact(value)).toBe(value)
  })
})

const pem =
  '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n-----END PRIVATE KEY-----\n'
const account = {
  type: 'service_account',
  project_number: 481516234299,
  private_key_id: '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
  private_key: pem,
  client_id: '103456789012345678901',
  auth_uri: 'https://accounts.example.com/o/oauth2/auth',
  database: 'postgres://app:hunter2hunter2@db.example.com/app',
}
/** Secrets of the forms that real ones have, each with what a server hands out of it, and what of that stays. */
const realForms: Readonly<Record<string, readonly [secret: string, answer: unknown, shown: unknown]>> = {
  'a key': [pem, { key: pem.trim() }, { key: '--redacted--' }],
  'a service account': [
    JSON.stringify(account, null, 2),
    { ...account, client_id: Number(account.client_id), id: 'a-b' },
    {
      ...Object.fromEntries(Object.keys(account).map((name) => [name, '--redacted--'])),
      type: 'service_account',
      auth_uri: account.auth_uri,
      id: 'a-b',
    },
  ],
  'a service account, whole': [JSON.stringify(account, null, 2), [account], ['--redacted--']],
  'a document of short values': [
    '{"user": "bob", "pin": 12}',
    { sent: { pin: 12, user: 'bob' } },
    { sent: '--redacted--' },
  ],
  'a number': [
    '4815162342',
    { pin: 4815162342, text: 'is 4815162342', of: 48151623 },
    { pin: '--redacted--', text: 'is --redacted--', of: 48151623 },
  ],
  'a large number': ['48151623424815162342', [Number('48151623424815162342')], ['--redacted--']],
  'an address with a password': [account.database, { db: account.database }, { db: '--redacted--' }],
  'a text in base64': [
    Buffer.from('admin:correct horse battery').toString('base64'),
    { basic: 'admin:correct horse battery' },
    { basic: '--redacted--' },
  ],
  'a service account in base64': [
    Buffer.from(JSON.stringify(account)).toString('base64'),
    { got: { key: account.private_key_id } },
    { got: { key: '--redacted--' } },
  ],
  'a text for addresses': [
    'p%40ss%20word%20of%20many',
    { text: 'is p@ss word of many' },
    { text: 'is --redacted--' },
  ],
  'a document in a document': [
    JSON.stringify({ config: JSON.stringify({ token: 'tok-0123456789abcdef' }) }),
    { text: 'tok-0123456789abcdef' },
    { text: '--redacted--' },
  ],
}
/** Answers of services in which no secret stands. */
const innocent = [
  {
    id: 'pi_3MtwBwLkdIwHu7ix28a3tqPa',
    object: 'payment_intent',
    amount: 2000,
    created: 1680800504,
    livemode: false,
  },
  {
    login: 'octocat',
    id: 583231,
    node_id: 'MDQ6VXNlcjU4MzIzMQ==',
    url: 'https://api.github.com/users/octocat',
  },
  { ok: true, channel: 'C123456', ts: '1503435956.000247', message: { text: 'Here it is', type: 'message' } },
  { access_token: 'ya29.another', expires_in: 3599, token_type: 'Bearer', auth_uri: account.auth_uri },
  { type: 'service_account', auth_provider_x509_cert_url: 'https://www.googleapis.com/oauth2/v1/certs' },
  [{ symbol: 'BTC', price: 67123.45, volume: 4815162343, at: '2026-11-28T20:00:00.000Z' }],
  { results: [{ lat: 52.5200066, lng: 13.404954, place_id: 'ChIJAVkDPzdOqEcRcDteW0YgIQQ' }], status: 'OK' },
  { sid: 'SM0123', status: 'queued', to: '+4915112345678', price: null, num_segments: '1' },
  { Items: [{ Id: { S: '42' }, Count: { N: '12345678' } }], ScannedCount: 1 },
  'plain text, with 12345678 and "quotes"',
]

describe('what a secret is made of', () => {
  it.each(Object.entries(realForms))('is found in values: %s', (_, [secret, answer, shown]) => {
    expect(redactor({ IT: secret })(answer)).toEqual(shown)
    const nested = String(redactor({ IT: secret })(JSON.stringify({ body: JSON.stringify(answer) })))
    expect(nested).toContain('--redacted--')
  })

  it('changes no answer in which it does not stand', () => {
    const all = Object.fromEntries(Object.values(realForms).map(([secret], at) => [`S${at}`, secret]))
    const redact = redactor(all)
    for (const answer of innocent) {
      expect(redact(answer)).toBe(answer)
      expect(JSON.stringify(redact(JSON.parse(JSON.stringify(answer))))).toBe(JSON.stringify(answer))
    }
  })
})

describe('what an operation of the host answers', () => {
  const answered = async (answer: unknown) => {
    const world = await openWorld(sqlite)
    const types = {
      ...operationTypes,
      ask: defineOperation({ kind: 'outside', doc: 'Asks.', options: {}, run: () => answer }),
    }
    const asking = defineFlow(
      {
        name: 'ask',
        trigger: { on: 'flow' },
        access: 'nobody',
        first: 'asked',
        operations: { asked: { type: 'ask', options: {} } },
      },
      { operationTypes: types },
    )
    const flows = await world.flows({ operationTypes: types, secrets, flows: [asking] })
    const end = await flows.run('ask', {}, { inline: true })
    return end.state === 'succeeded' ? end.result : [end.error.code, end.error.message]
  }

  it('holds no secret among its bytes', async () => {
    const found = await answered({ bytes: Buffer.from(`name:${key}`), at: new Date(0) })
    expect(JSON.stringify(found)).toContain('--redacted--')
    expect(Buffer.from(String(Object(found).bytes), 'base64').toString()).not.toContain('live')
  })

  it('holds none that only the second look at it finds', async () => {
    let looks = 0
    const turning = {
      get text() {
        looks++
        return looks === 1 ? 'nothing' : key
      },
    }
    expect(await answered(turning)).toEqual({ text: 'nothing' })
  })

  it('is refused where it nests without end', async () => {
    const deep: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    expect(await answered(deep)).toMatchObject(['INVALID_PAYLOAD', /nests deeper than 64 levels/])
  })
})

describe.each(databases)('on $name', (database) => {
  describe('a server that answers with what it was sent', () => {
    let world: World

    it('puts nothing of a document or a number into the chain and rows, and the answer stays one', async () => {
      world = await openWorld(database)
      const all = { ACCOUNT: JSON.stringify(account), PIN: '4815162342' }
      const flows = await world.start({
        fetch: (address, init) => fetch(address, init),
        secrets: all,
        flows: [
          defineFlow({
            name: 'call',
            trigger: { on: 'flow' },
            access: 'nobody',
            first: 'called',
            operations: {
              called: {
                type: 'request',
                options: {
                  url: at('/parsed'),
                  method: 'POST',
                  body: '{"account":{{ $env.ACCOUNT }},"pin":{{ $env.PIN }},"n":1}',
                },
              },
            },
          }),
        ],
      })
      const inline = await flows.run('call', {}, { inline: true })
      const kept = await flows.run('call', {})
      const data = { account: '--redacted--', pin: '--redacted--', n: 1 }
      for (const run of [inline, kept])
        expect(run).toMatchObject({ state: 'succeeded', result: { status: 200, data } })
      const text = (await stored(world)) + JSON.stringify([inline, kept])
      for (const part of [pem.slice(40, 60), account.private_key_id, '4815162342', '481516234299'])
        expect(text).not.toContain(part)
    })

    it.each(['/', '/refused', '/broken'])(
      'puts no secret into the chain, rows and frames: %s',
      async (path) => {
        world = await openWorld(database)
        const definition = defineFlow({
          name: 'call',
          trigger: { on: 'flow', returns: '$all' },
          access: 'nobody',
          first: 'called',
          operations: {
            called: {
              type: 'request',
              options: {
                url: `${at(path)}?key={{ $env.API }}&path={{ $env.OTHER }}`,
                method: 'POST',
                headers: [
                  { header: 'authorization', value: 'Bearer {{ $env.API }}' },
                  { header: 'x-{{ $trigger.name }}', value: '{{ $env.OTHER }}' },
                ],
                body: { key: '{{ $env.API }}', text: 'is {{ $env.OTHER }}' },
              },
              resolve: 'seen',
              reject: 'seen',
            },
            seen: { type: 'transform', options: { json: { all: '{{ called }}', last: '{{ $last }}' } } },
          },
        })
        const errors: unknown[] = []
        const flows = await world.flows({
          fetch,
          secrets,
          onError: (error) => errors.push(error),
          flows: [definition],
        })
        const feed = createFeed(world.engine, { source: localSource() })
        const frames: unknown[] = []
        const watched = watchItems(
          feed.as({ admin: true }),
          'quernel_steps' as never,
          { fields: ['*', 'run.*'] } as never,
        )
        const reading = (async () => {
          for await (const frame of watched) frames.push(frame)
        })()
        await flows.start()
        const inline = await flows.run('call', { name: 'own' }, { inline: true })
        const kept = await flows.run('call', { name: 'own' })
        expect([inline.state, kept.state]).toEqual(['succeeded', 'succeeded'])
        for (let tries = 0; tries < 500 && !JSON.stringify(frames).includes('--redacted--'); tries++)
          await pause(20)
        await watched.return()
        await reading
        await feed.stop()
        const shown = JSON.stringify([inline, kept, frames, errors])
        const rows = await stored(world)
        for (const text of [shown, rows]) {
          for (const form of forms) {
            expect(text).not.toContain(form)
            expect(text).not.toContain(JSON.stringify(form).slice(1, -1))
          }
          expect(text).toContain('--redacted--')
        }
        expect(errors).toEqual([])
      },
    )

    it('is asked once again where that may help, each time under the same key', async () => {
      world = await openWorld(database)
      const seen: unknown[] = []
      const statuses = [503, 429, 404]
      const failing = await serve(({ headers }, response) => {
        seen.push(headers['idempotency-key'])
        response.statusCode = statuses[seen.length - 1] ?? 200
        response.end()
      }, '127.0.0.1')
      const flows = await world.start({
        fetch,
        flows: [
          defineFlow({
            name: 'call',
            trigger: { on: 'flow' },
            access: 'nobody',
            first: 'called',
            retry: { times: 5, delayMs: 1 },
            operations: {
              called: {
                type: 'request',
                options: { url: `http://127.0.0.1:${failing.port}/`, method: 'POST' },
              },
            },
          }),
        ],
      })
      const run = await flows.run('call', {})
      await failing.close()
      expect(run).toMatchObject({ state: 'failed', error: { extensions: { status: 404 } } })
      expect(seen).toEqual(Array(3).fill(`${run.id}/1/called`))
    })
  })

  describe('the row of an author', () => {
    let world: OpenedWorld

    const operations = ['request', 'item-create', 'json-web-token', 'own']
    const own = defineOperation({
      kind: 'outside',
      doc: 'Sends a text somewhere.',
      options: { key: { schema: z.string(), doc: 'The key.', isSecret: true } },
      run: () => null,
    })

    async function open({ limits, ...more }: Partial<AttackedWorld> = {}) {
      world = await openAttacked(database, {
        fetch,
        secrets,
        operationTypes: { ...operationTypes, own },
        limits: { operations, secrets: { API: [at()] }, ...limits },
        engineOptions: { flows: {} },
        ...more,
      })
      return world
    }

    /** What the row of an author has done for a new article. */
    async function ran(options: object, more: Partial<AttackedWorld> = {}) {
      await open(more)
      await world.plant({
        trigger: { on: 'items.create', collections: ['articles'], when: 'after' },
        first: 'called',
        operations: { called: { type: 'request', options } },
      })
      expect(world.problems()).toEqual({})
      await createItem(world.boss, 'articles', { title: 'Hidden cake' })
      for (;;) {
        const { data } = await listItems(
          world.engine,
          'quernel_runs' as never,
          { fields: ['*', 'steps.*'] } as never,
        )
        const [run] = data as unknown as readonly Record<string, never>[]
        if (run && ['failed', 'succeeded'].includes(run.state ?? '')) return run
        await pause(20)
      }
    }

    const bearer = [{ header: 'authorization', value: 'Bearer {{ $env.API }}' }]
    const refused = {
      state: 'failed',
      error: { code: 'FORBIDDEN', message: 'This address may not be called by a flow.' },
    }
    const wide = {
      rights: { user: 7, rules: { flows: { create: true, read: true }, articles: { read: true } } },
    } as const

    it('gets nothing of a secret that is a document', async () => {
      const limits = { operations, secrets: { API: [at()] } }
      const more = { ...wide, limits, secrets: { API: JSON.stringify(account) } }
      const run = await ran({ url: at('/parsed'), method: 'POST', body: '{"a":[{{ $env.API }},7]}' }, more)
      expect(run).toMatchObject({ state: 'succeeded', result: { data: { a: ['--redacted--', 7] } } })
      expect(JSON.stringify(run)).not.toContain(account.private_key_id)
    })

    it('sends a secret to the host that is named beside it', async () => {
      const before = server.requests.length
      expect(await ran({ url: at('/ok'), headers: bearer }, wide)).toMatchObject({ state: 'succeeded' })
      expect(server.requests.slice(before)).toEqual(['GET /ok'])
    })

    it.each([
      ['directly', () => ({ url: atThief('/'), headers: bearer })],
      ['in the address', () => ({ url: `${atThief('/')}?k={{ $env.API }}` })],
      ['in the body', () => ({ url: atThief('/'), method: 'POST', body: { a: ['{{ $env.API }}'] } })],
      ['under another name', () => ({ url: `http://localhost:${server.port}/`, headers: bearer })],
      [
        'by a redirect',
        () => ({ url: `${at('/moved')}?to=${encodeURIComponent(atThief('/'))}`, headers: bearer }),
      ],
      [
        'by a redirect that takes it along',
        () => ({ url: `${at('/moved')}?to=${encodeURIComponent(`${atThief('/')}?k=`)}{{ $env.API }}` }),
      ],
      [
        'by a redirect of its body',
        () => ({
          url: `${at('/moved')}?to=${encodeURIComponent(atThief('/'))}`,
          method: 'POST',
          body: '{{ $env.API }}',
        }),
      ],
    ] as const)('sends a secret nowhere else: %s', async (_, options) => {
      expect(await ran(options(), wide)).toMatchObject(refused)
      expect(thief.requests).toEqual([])
    })

    it('sends a secret to no host that a value names, either', async () => {
      const limits = { operations, secrets: { API: [at()] }, hosts: [atThief(), at()] }
      const options = { url: '{{ $trigger.payload.title }}', headers: bearer }
      await open({ limits, ...wide })
      await world.plant({
        trigger: { on: 'items.create', collections: ['articles'], when: 'after' },
        first: 'called',
        operations: { called: { type: 'request', options } },
      })
      await createItem(world.boss, 'articles', { title: atThief('/') })
      await createItem(world.boss, 'articles', { title: at('/named') })
      await createItem(world.boss, 'articles', { title: 'https://example.com/' })
      for (;;) {
        const { data } = await listItems(
          world.engine,
          'quernel_runs' as never,
          { fields: ['state'], sort: ['number'] } as never,
        )
        const states = (data as unknown as readonly { state: string }[]).map(({ state }) => state)
        if (states.length < 3 || states.some((state) => !['failed', 'succeeded'].includes(state))) {
          await pause(20)
          continue
        }
        expect(states).toEqual(['failed', 'succeeded', 'failed'])
        break
      }
      expect(thief.requests).toEqual([])
    })

    it('names no host by a value, and no secret that is not for it', async () => {
      await open()
      const plant = (name: string, type: string, options: object) =>
        world.plant({
          name,
          trigger: { on: 'items.create', collections: ['articles'], when: 'after' },
          first: 'called',
          operations: { called: { type, options } },
        })
      await plant('host', 'request', { url: '{{ $trigger.payload.title }}' })
      await plant('unnamed', 'request', { url: at('/'), body: '{{ $env.OTHER }}', method: 'POST' })
      await plant('inherited', 'request', { url: at('/'), body: '{{ $env.constructor }}', method: 'POST' })
      await plant('chain', 'item-create', { collection: 'leaks', payload: { text: '{{ $env.API }}' } })
      await plant('own', 'own', { key: '{{ $env.API }}' })
      await plant('written', 'request', { url: `${at('/')}${key}` })
      expect(world.problems()).toEqual({
        host: ['A template names the host of this address, and no hosts are listed for that.'],
        unnamed: ['Flows of this collection may not use the secret "OTHER".'],
        inherited: ['Flows of this collection may not use the secret "constructor".'],
        chain: ['A secret stands in the options that are made for secrets alone.'],
        own: ['User-edited flows may pass secrets to built-in operations only.'],
        written: ['The text of the secret "API" stands in the definition.'],
      })
    })

    it('is checked by no secret that the collection does not list, and says nothing of those', async () => {
      await open()
      const plant = (name: string, scheme: string, secret: string) =>
        world.plant({ name, trigger: { on: 'webhook', allow: 'signed', hmac: { scheme, secret: [secret] } } })
      await plant('listed', 'github', 'API')
      await plant('unlisted', 'standard', 'OTHER')
      await plant('unknown', 'standard', 'NONE')
      await plant('text', 'github', other)
      const trigger = { on: 'items.create', collections: ['articles'], when: 'after' }
      const operations = { a: { type: 'request', options: { url: at(`/${other}`) } } }
      await world.plant({ name: 'written', trigger, first: 'a', operations })
      expect(world.problems()).toEqual({
        unlisted: ['Flows of this collection may not use the secret "OTHER".'],
        unknown: ['Flows of this collection may not use the secret "NONE".'],
        text: [`Flows of this collection may not use the secret "${other}".`],
        written: ['The text of a secret stands in the definition.'],
      })
    })
  })
})

it('the row of an author that a process without its collection takes up sends nothing', () => {
  const reach = readReach([], new Map([['flows', { secrets: { API: [at()] } }]]))
  const operation = { secrets: new Set(['API']) } as never // all that is looked at
  const allowed = (collection?: string) => mayGetSecrets(operation, reach({ isRow: true, collection }), at())
  expect([allowed('flows'), allowed('others'), allowed()]).toEqual([true, false, false])
})
