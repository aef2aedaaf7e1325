// `quernel serve`: the API over a database at once.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import BetterSqlite from 'better-sqlite3'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadGraphQL } from '../../src/cli/serve.ts'
import { welcome } from '../../src/cli/welcome.ts'
import { defineSchema } from '../../src/index.ts'
import { openPostgresUrl } from '../examples/postgres-url.ts'
import {
  builtCommand,
  openShop,
  runHere,
  runToEnd,
  type Serving,
  type Shop,
  startServing,
} from './command.ts'

const programOf = builtCommand()

let shop: Shop
let serving: Serving | undefined
beforeEach(() => {
  shop = openShop()
})
afterEach(async () => {
  await serving?.end()
  serving = undefined
  shop.remove()
})

async function serve(words: readonly string[], environment?: NodeJS.ProcessEnv): Promise<Serving> {
  serving = await startServing(programOf('cli'), words, environment)
  return serving
}

interface Asking {
  readonly method?: string
  readonly body?: unknown
  readonly token?: string
}

async function ask(
  path: string,
  { method = 'GET', body, token }: Asking = {},
): Promise<readonly [number, unknown]> {
  const response = await fetch(`${serving?.url}${path}`, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return [response.status, text === '' ? null : JSON.parse(text)]
}

describe('quernel serve', () => {
  it('answers everything, says loudly that nobody is kept out, and ends when it is told to', async () => {
    const { url, told, end } = await serve([shop.file])
    expect(new URL(url).hostname).toBe('127.0.0.1')
    expect(told()).toContain(
      'WARNING: there is no token, so everyone on this machine may read, change and delete everything in this database.\n',
    )
    expect(await ask('/items/articles?fields=title,author.name&sort=title')).toEqual([
      200,
      {
        data: [
          { title: 'Compilers', author: { name: 'Grace' } },
          { title: 'Engines', author: { name: 'Ada' } },
        ],
      },
    ])
    expect(await ask('/items/authors?fields=name', { method: 'POST', body: { name: 'Bo' } })).toEqual([
      200,
      { data: { name: 'Bo' } },
    ])
    expect((await ask('/openapi.json'))[1]).toMatchObject({ openapi: '3.1.0' })
    expect((await ask('/openapi.json?again'))[1]).toMatchObject({ openapi: '3.1.0' })
    const [, some] = await ask('/openapi.json?collection=authors')
    expect(Object.keys(Object(some).paths)).toEqual([
      '/items/authors',
      '/items/authors/{key}',
      '/items/authors/search',
      '/schema',
    ])
    expect(await ask('/openapi.json?collection=author')).toMatchObject([
      400,
      { errors: [{ message: 'There is no collection "author".', extensions: { code: 'INVALID_QUERY' } }] },
    ])
    expect(await ask('/openapi.json', { method: 'HEAD' })).toEqual([200, null])
    serving = undefined
    expect(await end()).toBe(0)
    expect(told()).not.toMatch(/\n {4}at /)
  })

  it('takes the database of DATABASE_URL, and the driver of the folder that it is run in', async () => {
    await serve([], { DATABASE_URL: `sqlite:${shop.file}` })
    expect(await ask('/items/authors/1?fields=name')).toEqual([200, { data: { name: 'Ada' } }])
    const home = join(shop.folder, 'node_modules', 'pg')
    mkdirSync(home, { recursive: true })
    writeFileSync(
      join(home, 'index.js'),
      `exports.Pool = class { constructor() { throw new Error('this is the pg of the folder') } }`,
    )
    const words = ['introspect', 'postgres://localhost/shop']
    const { code, told } = await runToEnd(programOf('cli'), words, {}, shop.folder)
    expect([code, told]).toEqual([
      1,
      'quernel: Cannot connect to postgres://localhost/shop: this is the pg of the folder.\n',
    ])
  })

  it('invites with lines that can be run as they are', async () => {
    const { out } = await serve([shop.file, '--token', 'a$b"c'], { QUERNEL_TOKEN: 'other' })
    const lines = out.split('\n').filter((line) => line.startsWith('  curl'))
    expect(lines).toHaveLength(6)
    for (const line of lines) {
      const { stdout } = await promisify(execFile)('sh', ['-c', `${line} -s -f`], {
        env: { ...process.env, QUERNEL_TOKEN: 'a$b"c' },
      })
      if (line.includes('/graphql/schema')) expect(stdout).toContain('type authors {')
      else expect(JSON.parse(stdout), line).toBeTypeOf('object')
    }
  })

  it('lets in whoever has the token, and nobody else', async () => {
    const { told } = await serve([shop.file], { QUERNEL_TOKEN: 'secret' })
    expect(told()).not.toContain('WARNING')
    expect((await ask('/items/authors'))[0]).toBe(401)
    expect((await ask('/openapi.json'))[0]).toBe(401)
    expect((await ask('/items/authors', { token: 'secre' }))[0]).toBe(401)
    expect((await ask('/items/authors', { token: 'secret' }))[0]).toBe(200)
    expect((await ask('/openapi.json', { token: 'secret' }))[0]).toBe(200)
  })

  it('answers GraphQL beside REST, with the same token', async () => {
    const { out } = await serve([shop.file], { QUERNEL_TOKEN: 'secret' })
    expect(out).toMatch(/\/items and http:\/\/\S+\/graphql\. Try/)
    const body = { query: '{ articles(sort: ["title"]) { title author { name } } }' }
    expect(await ask('/graphql', { method: 'POST', body, token: 'secret' })).toEqual([
      200,
      {
        data: {
          articles: [
            { title: 'Compilers', author: { name: 'Grace' } },
            { title: 'Engines', author: { name: 'Ada' } },
          ],
        },
      },
    ])
    expect((await ask('/graphql', { method: 'POST', body }))[0]).toBe(401)
    expect((await ask('/graphql/schema'))[0]).toBe(401)
    expect((await ask('/graphql/system', { token: 'secret' }))[0]).toBe(404)
  })

  it('shows a page for GraphQL to whoever opens its address, and no data', async () => {
    const { out, url } = await serve([shop.file], { QUERNEL_TOKEN: 'secret' })
    expect(out).toContain(`In a browser, ${url}/graphql is a page`)
    const answer = await fetch(`${url}/graphql`, { headers: { accept: 'text/html,*/*;q=0.8' } })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(await answer.text()).not.toContain('authors')
  })

  it('says how to get GraphQL where its package is missing, and fails where it is broken', async () => {
    const missing = Object.assign(new Error("Cannot find package 'graphql'"), {
      code: 'ERR_MODULE_NOT_FOUND',
    })
    expect(await loadGraphQL(() => Promise.reject(missing))).toBeUndefined()
    const broken = new SyntaxError('no export')
    await expect(loadGraphQL(() => Promise.reject(broken))).rejects.toBe(broken)
    const schema = defineSchema({ tags: { fields: { id: { type: 'integer', key: true } } } })
    const told = { schema, place: 'shop.db', url: 'http://localhost:1', isGuarded: false, isReadonly: false }
    expect(welcome({ ...told, hasGraphQL: false })).toContain(
      'Install it beside the command: npm install quernel graphql\n\nStop',
    )
    expect(welcome({ ...told, hasGraphQL: false })).not.toContain("curl 'http://localhost:1/graphql")
    expect(welcome({ ...told, hasGraphQL: false })).not.toContain('In a browser')
  })

  it('answers no page of the web that gives its own name this address', async () => {
    const { url } = await serve([shop.file])
    const statusFor = async (host: string) => {
      const asking = request(`${url}/items/authors`, { headers: { host } })
      asking.end()
      const [response] = await once(asking, 'response')
      response.resume()
      return response.statusCode
    }
    expect(await statusFor('rebound.example')).toBe(403)
    expect(await statusFor('localhost:80')).toBe(200)
    expect(await statusFor('[::1]:80')).toBe(200)
  })

  it('changes nothing when it is for reading only', async () => {
    const { out } = await serve([shop.file, '--readonly'])
    expect(out).toContain('for reading only')
    const mutation = { query: 'mutation { delete_authors_item(id: 1) { id } }' }
    expect((await ask('/graphql', { method: 'POST', body: mutation }))[0]).toBe(400)
    expect(await ask('/items/authors?fields=name')).toEqual([
      200,
      { data: [{ name: 'Ada' }, { name: 'Grace' }] },
    ])
    const tries = [
      ['POST', '/items/authors', { name: 'x' }],
      ['PATCH', '/items/authors/1', { name: 'x' }],
      ['DELETE', '/items/authors/1', undefined],
    ] as const
    for (const [method, path, body] of tries) expect((await ask(path, { method, body }))[0], method).toBe(403)
    expect((await ask('/items/authors?aggregate[count]=*'))[1]).toEqual({ data: [{ count: 2 }] })
  })

  it('tells what the database has said to a request that failed', async () => {
    const { told } = await serve([shop.file])
    const database = new BetterSqlite(shop.file)
    database.exec('alter table authors rename to writers')
    database.close()
    expect((await ask('/items/authors'))[0]).toBe(500)
    expect(told()).toContain('no such table: authors')
  })

  it('takes the schema of a module', async () => {
    const file = join(shop.folder, 'schema.mjs')
    writeFileSync(
      file,
      `import { defineSchema } from ${JSON.stringify(programOf('index'))}
      export const schema = defineSchema({ people: { table: 'authors', fields: { id: { type: 'integer', key: true } } } })`,
    )
    await serve([shop.file, '--schema-file', file])
    expect(await ask('/items/people')).toEqual([200, { data: [{ id: 1 }, { id: 2 }] }])
    expect((await ask('/items/authors'))[0]).toBe(404)
  })

  it('takes relations, types, keys and overrides that it is told', async () => {
    const file = new BetterSqlite(shop.file)
    file.exec(`create table products (id integer primary key, sku text not null unique, since text);
      create table prices (id integer primary key, sku text, amount integer);
      create table stock (place text, amount integer);
      create unique index one_place on stock (place);
      insert into products values (1, 'tea', '2024-02-29T08:30:00Z');
      insert into prices values (7, 'tea', 3);
      insert into stock values ('here', 5)`)
    file.close()
    const overrides = join(shop.folder, 'overrides.json')
    writeFileSync(overrides, JSON.stringify({ prices: { fields: { amount: { type: 'decimal' } } } }))
    const { told } = await serve([
      shop.file,
      ...['--relation', 'prices.sku=products.sku'],
      ...['--type', 'products.since=timestamp'],
      ...['--key', 'stock=rowid'],
      ...['--overrides', overrides],
    ])
    expect(told()).not.toContain('prices.sku')
    expect(await ask('/items/prices?fields=amount,sku.id,sku.since')).toEqual([
      200,
      { data: [{ amount: '3', sku: { id: 1, since: '2024-02-29T08:30:00.000Z' } }] },
    ])
    expect(await ask('/items/products?filter[prices][amount][_gt]=2&fields=sku,prices.id')).toEqual([
      200,
      { data: [{ sku: 'tea', prices: [{ id: 7 }] }] },
    ])
    expect(await ask('/items/stock/1?fields=place')).toEqual([200, { data: { place: 'here' } }])
  })

  it.each([
    [['--relation', 'articles.title=authors.name'], 1, 'does not keep unique'],
    [['--relation', 'articles.titel=authors.id'], 1, 'titel'],
    [['--relation', 'articles=authors.id'], 2, '--relation takes collection.column=collection.column'],
    [['--type', 'articles.titel=text'], 1, 'There is no field "titel" in "articles" to override'],
    [['--type', 'articles.title=varchar'], 2, '--type takes collection.field=type'],
    [['--key', 'articles'], 2, '--key takes collection=column'],
    [['--key', 'article=id'], 1, 'There is no collection "article" to override.'],
    [['--overrides', 'none.json'], 1, '"none.json" cannot be read as JSON: ENOENT'],
    [['--schema-file', 'a.mjs', '--type', 'articles.title=text'], 2, 'A schema file says it all'],
  ])('refuses %j for the schema', async (words, code, told) => {
    const refused = await runHere(['serve', shop.file, ...words])
    expect({ ...refused, says: refused.told.includes(told) }).toMatchObject({ code, says: true })
  })

  it('says what is wrong with a module', async () => {
    const file = join(shop.folder, 'schema.mjs')
    writeFileSync(file, 'export const schema = { articles: {} }')
    const { code, told } = await runHere(['serve', shop.file, '--schema-file', file])
    expect(code).toBe(1)
    expect(told).toContain('exports no schema.\n  Let it export const schema = defineSchema({ … }).')
    expect((await runHere(['serve', shop.file, '--schema-file', 'none.mjs'])).told).toContain(
      'cannot be loaded',
    )
  })

  it('says that a port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const { code, told } = await runHere(['serve', shop.file, '--port', String(port)])
    other.close()
    expect({ code, told: told.split('\n').slice(-3, -1) }).toEqual({
      code: 1,
      told: [
        `quernel: The port ${port} is in use.`,
        '  Give another with --port, or 0 for any that is free.',
      ],
    })
  })

  it('lets pages of named origins read, the document among what they read', async () => {
    const origin = 'http://localhost:5173'
    const { url } = await serve([shop.file, '--cors', origin, '--cors', 'http://localhost:3001'])
    for (const path of ['/items/products?limit=1', '/openapi.json', '/nowhere']) {
      const { headers } = await fetch(`${url}${path}`, { headers: { origin } })
      expect(headers.get('access-control-allow-origin')).toBe(origin)
    }
    const { headers } = await fetch(`${url}/openapi.json`, { headers: { origin: 'http://localhost:9' } })
    expect(headers.get('access-control-allow-origin')).toBeNull()
    const asked = await fetch(`${url}/items/products`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'DELETE' },
    })
    expect([asked.status, asked.headers.get('access-control-max-age')]).toEqual([204, '600'])
  })

  it.each([
    [['--cors', 'localhost:5173'], '--cors: An origin is a scheme, a host and a port'],
    [['--cors', 'http://localhost:5173/app'], 'http://localhost:5173'],
    [['--cors', '*'], 'Without a token, any page that you open could read and change the database'],
  ])('refuses %j', async (words, told) => {
    const refused = await runHere(['serve', shop.file, ...words])
    expect(refused.code).toBe(2)
    expect(refused.told).toContain(told)
  })

  it('serves PostgreSQL as well, and tells no password', async () => {
    const { url, close } = await openPostgresUrl()
    const client = new pg.Client(url)
    await client.connect()
    await client.query('create table words (id int generated always as identity primary key, word text)')
    await client.query("insert into words (word) values ('one')")
    await client.query('create view loud as select id, upper(word) as word from words')
    await client.end()
    const { out, told } = await serve([url, '--readonly', '--key', 'loud=id'])
    expect(await ask('/items/words')).toEqual([200, { data: [{ id: 1, word: 'one' }] }])
    expect(await ask('/items/loud')).toEqual([200, { data: [{ id: 1, word: 'ONE' }] }])
    expect((await ask('/items/words', { method: 'POST', body: { word: 'two' } }))[0]).toBe(403)
    const { password } = new URL(url)
    expect(password).not.toBe('')
    expect(`${out}${told()}`).not.toContain(`:${password}@`)
    await serving?.end()
    serving = undefined
    await close()
  })
})
