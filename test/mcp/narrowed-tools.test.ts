// Tools of some collections alone, with bounds of the host's, and a server that is connected twice.

import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { beforeEach, expect, it } from 'vitest'
import { createHandler } from '../../src/http.ts'
import { type Access, createEngine, defineSchema, type Engine } from '../../src/index.ts'
import { createMcpServer, type McpOptions, mcp } from '../../src/mcp.ts'
import { insert, type OpenDatabase, openSqlite } from '../support/databases.ts'
import { key, many, maybeOne, string } from '../support/fields.ts'
import { openAgent } from './agent.ts'

const schema = defineSchema({
  authors: { fields: { id: key, name: string, posts: many('posts.author') } },
  posts: { fields: { id: key, title: string, author: maybeOne('authors') } },
})
let opened: OpenDatabase
let engine: Engine<typeof schema>
beforeEach(async () => {
  opened = await openSqlite()
  await opened.run('create table authors (id integer primary key, name text)')
  await opened.run('create table posts (id integer primary key, title text, author integer)')
  await opened.run(`insert into authors values (1, 'zora')`)
  const posts = Array.from({ length: 40 }, (_, at) => ({ id: at + 1, title: 'x'.repeat(200), author: 1 }))
  await insert(opened.db, 'posts', posts)
  engine = createEngine({ db: opened.db, schema })
})

const toolsOf = (access: Access<typeof schema> | undefined, options: McpOptions) =>
  openAgent(createMcpServer(access ? engine.as(access) : engine, options))

it('knows the named collections alone, whoever calls', async () => {
  const narrow = {
    rules: { posts: { read: { filter: { id: { _lte: 3 } } } }, authors: { read: true } },
  } as const
  for (const [access, may, count] of [
    [undefined, 'crud', 40],
    [{ admin: true }, 'crud', 40],
    [narrow, 'r', 3],
  ] as const) {
    const { call } = await toolsOf(access, { collections: ['posts'], write: true })
    expect(await call('describe')).toBe(`posts[${may}] 3 fields`)
    const tried = [
      await call('list', { collection: 'authors' }),
      await call('list', { collection: 'posts', fields: ['author.name'] }),
      await call('list', { collection: 'posts', filter: { author: { name: { _eq: 'zora' } } } }),
      await call('list', { collection: 'posts', sort: ['author.name'] }),
      await call('get', { collection: 'posts', key: 1, fields: ['*.*'] }),
      await call('aggregate', { collection: 'posts', aggregate: { max: ['author.name'] } }),
      await call('describe', { names: ['authors'] }),
    ]
    expect(tried.join('\n')).not.toContain('zora')
    expect(tried.filter((text) => text.includes('"errors"'))).toHaveLength(6)
    expect(await call('aggregate', { collection: 'posts', aggregate: { count: '*' } })).toBe(
      `{"data":[{"count":${count}}]}`,
    )
  }
})

it('gives nobody more than their rules', async () => {
  const { call, client } = await toolsOf(
    { rules: { posts: { read: true } } },
    { collections: ['authors'], write: true },
  )
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['describe'])
  expect(await call('describe')).toBe('')
  const late = { admin: true, expiresAt: 1 }
  await expect(toolsOf(late, { collections: ['posts'] })).rejects.toThrow()
})

it('gives rights to no caller whose "admin" is something else than true', async () => {
  for (const admin of [1, 'no', 'false']) {
    const access = { user: 1, rules: { posts: { read: { filter: { id: 1 } } } }, admin } as never
    const { call, client } = await toolsOf(access, { collections: ['posts'], write: true })
    expect(await call('aggregate', { collection: 'posts', aggregate: { count: '*' } })).toBe(
      '{"data":[{"count":1}]}',
    )
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('write')
  }
})

it('ends with the access of its caller, however that was made', async () => {
  let now = new Date()
  engine = createEngine({ db: opened.db, schema, clock: () => now })
  const access = { admin: true }
  Object.defineProperty(access, 'expiresAt', { value: now.getTime() + 60_000 })
  const { call } = await toolsOf(access, { collections: ['posts'] })
  const input = { collection: 'posts', key: 1, fields: ['id'] }
  expect(await call('get', input)).toContain('"id":1')
  now = new Date(now.getTime() + 120_000)
  await expect(call('get', input)).rejects.toThrow('expired')
})

it('bounds answers by the limits of the host', async () => {
  const { call } = await toolsOf({ admin: true }, { limits: { items: 30, characters: 3_000 }, write: true })
  expect(await call('list', { collection: 'posts', fields: ['title'] })).toMatch(
    /\n14 of 40 items\. For more/,
  )
  expect(await call('list', { collection: 'posts', fields: ['id'], limit: 99 })).toMatch(
    /\n30 of 40 items\. A list has at most 30\. For more/,
  )
  const items = Array.from({ length: 31 }, () => ({ title: 'y' }))
  expect(await call('write', { collection: 'posts', data: items })).toContain('a list of at most 30.')
})

it('refuses names that no collection has, and bounds out of their range', async () => {
  await expect(toolsOf({ admin: true }, { collections: ['post'] })).rejects.toMatchObject({
    code: 'INVALID_OPTIONS',
    path: ['collections', 0],
    hint: 'Did you mean "posts"?',
  })
  const authenticate = () => ({ admin: true })
  expect(() => createHandler(engine, { authenticate, mounts: [mcp({ collections: ['post'] })] })).toThrow(
    'There is no collection "post".',
  )
  for (const limits of [
    { items: 0 },
    { items: 101 },
    { characters: 10 },
    { characters: 1e9 },
    { item: 1 },
    7,
    [],
  ])
    expect(() => mcp({ limits } as never)).toThrow(/items|characters|item|is an object/)
  expect(() => mcp({ collections: 'posts' } as never)).toThrow('"collections" is a list of names')
})

it('refuses a second transport while it has one', async () => {
  const { server, call } = await toolsOf({ admin: true }, {})
  const [, other] = InMemoryTransport.createLinkedPair()
  await expect(server.connect(other)).rejects.toThrow('Already connected')
  expect(await call('describe')).toContain('posts')
})
