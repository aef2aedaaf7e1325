// A hundred clients at once, of whom some do not know how to ask and some do not wait for the answer.
import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request as ask, type IncomingMessage } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { describe, expect, inject, it } from 'vitest'
import type { Held } from '../many-clients-server.ts'

const clients = 100
/** Rounds of each client; `QUERNEL_CROWD` multiplies them. */
const rounds = Math.ceil(6 * Number(process.env.QUERNEL_CROWD ?? 1))

interface Asking {
  readonly method?: string
  readonly path: string
  readonly body?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** The client goes away when the answer begins. */
  readonly isLeft?: true
}

interface Case extends Asking {
  readonly status: number
}

const json = (method: string, path: string, body: unknown): Asking => ({
  method,
  path,
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
})
const tree = 'fields=id,title,author.name,comments.text,comments.author.name'

/** As they should be. `n` is another one every time. */
const good = (n: number): readonly Case[] => [
  { path: `/items/articles?${tree}&sort=-views&page=${(n % 20) + 1}`, status: 200 },
  { path: `/items/articles/${(n % 2_000) + 1}?${tree}`, status: 200 },
  { path: `/items/articles?filter[views][_eq]=${n % 100}&meta=filter_count`, status: 200 },
  { path: '/items/articles?aggregate[avg]=views&groupBy=author.name', status: 200 },
  { ...json('SEARCH', '/items/comments', { query: { search: `Comment ${n}`, limit: 5 } }), status: 200 },
  { ...json('POST', '/items/articles', article(n)), status: 200 },
  { ...json('PATCH', `/items/articles/${(n % 2_000) + 1}`, { views: n % 100 }), status: 200 },
  { path: `/items/comments?export=csv&limit=500&offset=${n % 5_000}`, status: 200 },
  { method: 'DELETE', path: `/items/comments/${n + 100_000_000}`, status: 404 },
]

const article = (n: number) => ({
  title: `New ${n}`,
  body: 'x',
  author: { name: `New author ${n}` },
  comments: [{ text: 'first', author: 1 }],
})

/** Wrong in as many ways. */
const bad = (n: number): readonly Case[] => [
  { path: '/items/articles?fields=nothing', status: 403 },
  { path: `/items/nothing${n}`, status: 404 },
  { path: '/items/articles?filter={"views":', status: 400 },
  { path: '/items/articles?filter[views][_eq]=many', status: 400 },
  { path: `/items/articles?${'a[b]='.repeat(20_000).slice(0, 12_000)}`, status: 400 },
  { ...json('POST', '/items/articles', { title: '', body: 1, author: n }), status: 400 },
  { ...json('POST', '/items/articles', article(n)), body: '{"title"', status: 400 },
  { ...json('POST', '/items/articles', { title: 'x'.repeat(1_100_000) }), status: 413 },
  {
    method: 'POST',
    path: '/items/articles',
    body: 'a=1',
    headers: { 'content-type': 'text/plain' },
    status: 415,
  },
  { method: 'POST', path: '/items/articles/1', status: 405 },
  { path: '/items/articles', headers: { authorization: 'Bearer unknown' }, status: 401 },
  { ...json('DELETE', '/items/articles', { query: { filter: {} } }), status: 400 },
  { path: '/items/comments?export=json&limit=-1', isLeft: true, status: 200 },
  { path: `/items/articles?limit=-1&${tree}`, isLeft: true, status: 200 },
]

/** Every tenth is a bad one. */
function caseOf(n: number): Case {
  const cases = n % 10 === 0 ? bad(n) : good(n)
  const chosen = cases[Math.floor(n / (n % 10 === 0 ? 10 : 1)) % cases.length]
  if (!chosen) throw new Error('There is no case.')
  return chosen
}

/** What is wrong with an answer, in words; nothing, if all is well. */
async function remarkOn(n: number, port: number, agent: Agent): Promise<string | undefined> {
  const one = caseOf(n)
  const { method = 'GET', path } = one
  const { status, text } = await answerTo(one, port, agent)
  const what = `${method} ${path.slice(0, 80)}: ${status}`
  if (status !== one.status) return `${what} instead of ${one.status}: ${text.slice(0, 300)}`
  if (status < 400) return undefined
  const isError = text.startsWith('{"errors":[{"message":')
  return isError && !/\bselect\b|sqlite|postgres|\.ts\b/i.test(text) ? undefined : `${what} with ${text}`
}

async function answerTo(
  { method = 'GET', path, body, headers, isLeft }: Asking,
  port: number,
  agent: Agent,
): Promise<{ readonly status: number; readonly text: string }> {
  const asking = ask({
    port,
    agent,
    host: '127.0.0.1',
    method,
    path,
    headers: {
      authorization: 'Bearer known',
      ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
      ...headers,
    },
  })
  asking.end(body)
  const [response] = (await once(asking, 'response')) as [IncomingMessage]
  const status = response.statusCode ?? 0
  if (isLeft) {
    asking.destroy()
    return { status, text: '' }
  }
  let text = ''
  response.setEncoding('utf8')
  for await (const chunk of response) text += chunk
  return { status, text }
}

/** Sends so many requests of each client, and tells what was wrong with the answers. */
async function requestsOf(port: number, from: number, turns: number): Promise<readonly string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const remarks: string[] = []
  const client = async (number: number) => {
    for (let turn = 0; turn < turns; turn++) {
      const remark = await remarkOn(from + turn * clients + number, port, agent)
      if (remark !== undefined) remarks.push(remark)
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)))
  agent.destroy()
  return remarks
}

/** What a server holds once nobody asks any more. */
async function heldBy(child: ChildProcess): Promise<Held> {
  for (;;) {
    child.send('tell')
    const [held] = (await once(child, 'message')) as [Held]
    if (held.sockets === 0 && held.busy === 0) return held
    await wait(20)
  }
}

const server = fileURLToPath(new URL('../many-clients-server.ts', import.meta.url))

async function besieged(url: string, dbSchema: string) {
  const child = fork(server, [url, dbSchema], { execArgv: ['--expose-gc', '--import', 'tsx'] })
  try {
    const [port] = (await once(child, 'message')) as [number]
    const warm = await requestsOf(port, 0, rounds)
    const before = await heldBy(child)
    const remarks = await requestsOf(port, clients * rounds, rounds * 3)
    const after = await heldBy(child)
    return {
      remarks: [...warm, ...remarks].slice(0, 5),
      troubles: after.troubles,
      grown: after.heap - before.heap,
    }
  } finally {
    child.kill()
  }
}

// What a process keeps of a hundred clients, such as buffers of connections, comes and goes by a few of these.
const little = expect.toSatisfy((bytes: number) => bytes < 8 * 1_024 * 1_024)
const unharmed = { remarks: [], troubles: [], grown: little }

describe('a hundred clients, of whose requests a tenth is wrong, are answered, and leave nothing behind', () => {
  it('on SQLite', async () => {
    expect(await besieged(':memory:', '')).toEqual(unharmed)
  })

  it('on PostgreSQL', async () => {
    const url = inject('postgres').c
    const dbSchema = `clients_${randomBytes(8).toString('hex')}`
    const pool = new pg.Pool({ connectionString: url, max: 1 })
    await pool.query(`create schema ${dbSchema}`)
    try {
      expect(await besieged(url, dbSchema)).toEqual(unharmed)
    } finally {
      await pool.query(`drop schema ${dbSchema} cascade`)
      await pool.end()
    }
  })
})
