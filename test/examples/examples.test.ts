// The examples are started and asked what they invite to ask: the servers from one build, the other as the README says.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { placeFrom } from '../../examples/magazine/welcome.ts'
import { fuzzSeed } from '../property/seeded-random.ts'
import { builtPrograms } from '../support/built.ts'
import { isLong } from '../support/long-runs.ts'
import { nodeSqlite } from '../support/sqlite-connections.ts'
import { titled } from '../support/titled.ts'
import { openPostgresUrl } from './postgres-url.ts'

const root = join(import.meta.dirname, '../..')
const tsx = join(root, 'node_modules/tsx/dist/cli.mjs')

const programOf = builtPrograms({
  express: 'examples/express/server.ts',
  koa: 'examples/koa/server.ts',
  hono: 'examples/hono/server.ts',
})
const names = ['express', 'koa', 'hono'] as const

/** How many drafts there are depends on nothing else: each server has a database of its own. */
interface Asked {
  readonly title: string
  readonly path: string
  readonly token?: string
  readonly body?: object
  readonly status: number
  readonly expect: unknown
}

const asked: readonly Asked[] = titled({
  'a list with what belongs to it': {
    path: '/items/articles?fields=title,author.name,tags.tag.name&sort=-views&limit=2',
    status: 200,
    expect: {
      data: [
        {
          title: 'A Compiler, at Last',
          author: { name: 'Grace Hopper' },
          tags: [{ tag: { name: 'compilers' } }],
        },
        {
          title: 'Notes on the Analytical Engine',
          author: { name: 'Ada Lovelace' },
          tags: [{ tag: { name: 'history' } }],
        },
      ],
    },
  },
  'a slug that a flow has made of the title': {
    path: '/items/articles?fields=title,slug',
    token: 'ada',
    body: { title: 'Tea & Çake, Again' },
    status: 200,
    expect: { data: { title: 'Tea & Çake, Again', slug: 'tea-cake-again' } },
  },
  'drafts for nobody but their author': {
    path: '/items/articles?fields=title&filter[status]=draft',
    status: 200,
    expect: { data: [] },
  },
  'drafts for their author': {
    path: '/items/articles?fields=title&filter[status]=draft&meta=filter_count',
    token: 'grace',
    status: 200,
    expect: { data: [{ title: 'Nanoseconds, by the Foot' }], meta: { filter_count: 1 } },
  },
  'an article that an author creates': {
    path: '/items/articles?fields=title,status,author.name,comments.body',
    token: 'ada',
    body: { title: 'New', comments: [{ body: 'First!' }] },
    status: 200,
    expect: {
      data: {
        title: 'New',
        status: 'draft',
        author: { name: 'Ada Lovelace' },
        comments: [{ body: 'First!' }],
      },
    },
  },
  'GraphQL, with the same rules': {
    path: '/graphql',
    body: { query: '{ articles(sort: ["-views"], limit: 1) { title author { name } } }' },
    status: 200,
    expect: {
      data: { articles: [{ title: 'A Compiler, at Last', author: { name: 'Grace Hopper' } }] },
    },
  },
  'pictures of articles': {
    path: '/items/articles?fields=image.type,image.width,image.title&sort=-views&limit=1',
    status: 200,
    expect: { data: [{ image: { type: 'image/png', width: 1200, title: 'A Compiler, at Last' } }] },
  },
  'a token that nobody knows': {
    path: '/items/articles',
    token: 'mallory',
    status: 401,
    expect: {
      errors: [
        {
          message: 'The credentials are missing or not valid.',
          extensions: { code: 'INVALID_CREDENTIALS' },
        },
      ],
    },
  },
})

let server: ChildProcess | undefined
afterEach(stop)

async function stop(): Promise<void> {
  if (server?.exitCode !== null || server.signalCode !== null) return
  server.kill()
  await once(server, 'exit')
}

const databases = [
  { database: 'embedded SQLite', openUrl: async () => ({ url: undefined, close: async () => {} }) },
  { database: 'PostgreSQL', openUrl: openPostgresUrl },
]

/** A framework knows nothing of the database, so another one is tried with PostgreSQL each run. */
const databasesOf = (name: (typeof names)[number]) =>
  databases.slice(0, isLong || names.indexOf(name) === fuzzSeed % names.length ? 2 : 1)

describe.each(names)('examples/%s', (name) => {
  it.each(databasesOf(name))(`answers on $database (QUERNEL_SEED=${fuzzSeed})`, async ({ openUrl }) => {
    const { url, close } = await openUrl()
    try {
      const base = await start(name, url)
      for (const one of asked) {
        const { title, status, expect: wanted } = one
        expect({ title, ...(await ask(base, one)) }).toEqual({ title, status, answer: wanted })
      }
      const page = await fetch(new URL('/', base))
      expect([page.headers.get('content-type'), await page.text()]).toEqual([
        expect.stringMatching(/^text\/html/i),
        expect.stringContaining('in pictures'),
      ])
      const explorer = await fetch(new URL('/api/graphql', base), { headers: { accept: 'text/html' } })
      expect(await explorer.text()).toMatch(/^<!doctype html>.*<title>GraphQL<\/title>/s)
      const document = await (await fetch(new URL('/openapi.json', base))).json()
      expect(document).toMatchObject({ openapi: '3.1.0', servers: [{ url: '/api' }] })
      for (const reached of addressesOfOthers(base))
        await expect(fetch(reached)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
    } finally {
      await stop()
      await close()
    }
  })
})

it('examples/express keeps a letter whose server is killed before it is a comment', async () => {
  const { url, close } = await openPostgresUrl()
  try {
    const letter = { article: 1, body: 'Sent before the end.' }
    const sent = await fetch(`${await start('express', url)}/flows/trigger/letter`, {
      method: 'POST',
      body: JSON.stringify(letter),
      headers: { 'content-type': 'application/json' },
    })
    const { id } = Object(await sent.json())
    expect([sent.status, sent.headers.get('location')]).toEqual([202, `/api/flows/runs/${id}`])
    server?.kill('SIGKILL')
    if (server) await once(server, 'exit')
    const base = await start('express', url)
    const read = async (path: string) => (await fetch(base + path)).json()
    await vi.waitFor(
      async () => expect(await read(`/flows/runs/${id}`)).toMatchObject({ id, state: 'succeeded' }),
      { timeout: 60_000, interval: 500 },
    )
    const path = '/items/comments?fields=article,body,author&filter[body]=Sent before the end.'
    expect(await read(path)).toEqual({ data: [{ ...letter, author: null }] })
  } finally {
    await stop()
    await close()
  }
}, 90_000)

/** Makes better-sqlite3 a package that is not installed. */
const withoutNative = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({ resolve: (name, context, next) => next(name === 'better-sqlite3' ? 'not-installed' : name, context) })
`)}`

// Older versions of Node have no SQLite of their own.
it.each(nodeSqlite ? ['express' as const] : [])(
  'examples/%s answers without better-sqlite3',
  async (name) => {
    const base = await start(name, undefined, [`--import=${withoutNative}`])
    for (const one of asked) {
      const { title, status, expect: wanted } = one
      expect({ title, ...(await ask(base, one)) }).toEqual({ title, status, answer: wanted })
    }
  },
)

it.each(names)('examples/%s does not say that it listens where another does', async (name) => {
  const other = createServer().listen(0)
  await once(other, 'listening')
  const address = other.address()
  if (address === null || typeof address === 'string') throw new Error('a server without a port')
  const started = promisify(execFile)(process.execPath, [programOf(name)], {
    cwd: root,
    env: { ...process.env, PORT: String(address.port) },
  })
  await expect(started).rejects.toMatchObject({ stdout: '', stderr: expect.stringContaining('EADDRINUSE') })
  other.close()
})

const alone = '127.0.0.1'
it.each([
  [{}, { host: alone, port: 3000 }],
  [
    { HOST: '', PORT: '' },
    { host: alone, port: 3000 },
  ],
  [
    { HOST: '0.0.0.0', PORT: '3001' },
    { host: '0.0.0.0', port: 3001 },
  ],
])('an example told %j listens on %j', (environment, place) => {
  expect(placeFrom(environment)).toEqual(place)
})

it('examples/quickstart says what it did', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [tsx, 'examples/quickstart/quickstart.ts'], {
    cwd: root,
  })
  expect(stdout.trim().split('\n')).toEqual([
    'A Compiler, at Last, by Grace Hopper: 1 comments',
    'Notes on the Analytical Engine, by Ada Lovelace: 2 comments',
    'Fjords and Functions, by Åse Nordmann: 0 comments',
    'Tea, and How to Wait, by Bo Ek: 1 comments',
    '2 drafts are gone.',
  ])
})

/** Starts a server and waits until it says that it listens. */
async function start(
  name: (typeof names)[number],
  url: string | undefined,
  options: readonly string[] = [],
): Promise<string> {
  const port = await freePort()
  const { DATABASE_URL: _own, ...environment } = process.env
  server = spawn(process.execPath, [...options, programOf(name)], {
    cwd: root,
    env: { ...environment, PORT: String(port), ...(url && { DATABASE_URL: url }) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  for await (const chunk of server.stdout ?? []) {
    said += String(chunk)
    if (said.includes('Stop it with')) break
  }
  expect(said).toContain(`http://localhost:${port}/api/items`)
  return `http://localhost:${port}/api`
}

/** Where others would reach a server that does not listen on this machine alone. */
function addressesOfOthers(base: string): readonly string[] {
  const { port, pathname } = new URL(base)
  return Object.values(networkInterfaces()).flatMap((places = []) =>
    places.flatMap(({ internal, family, address }) =>
      internal || family === 'IPv6' ? [] : [`http://${address}:${port}${pathname}`],
    ),
  )
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0)
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string') throw new Error('a server without a port')
  return address.port
}

async function ask(base: string, { path, token, body }: Asked): Promise<{ status: number; answer: unknown }> {
  const response = await fetch(base + path, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
  })
  return { status: response.status, answer: await response.json() }
}
