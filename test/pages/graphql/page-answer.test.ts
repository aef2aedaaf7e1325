// The page of GraphQL over HTTP: who gets it, and what it may do in a browser.
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { createGraphQLHandler, type GraphQLHandlerOptions, graphql } from '../../../src/graphql.ts'
import { createHandler, toNode } from '../../../src/http.ts'
import { createEngine, defineSchema, type Engine } from '../../../src/index.ts'
import { openSqlite } from '../../support/databases.ts'
import { portOf } from '../../support/listening.ts'

const schema = defineSchema({ tags: { fields: { id: { type: 'integer', key: true } } } })
let engine: Engine<typeof schema>

beforeAll(async () => {
  const database = await openSqlite()
  await database.run('create table tags (id integer primary key)')
  engine = createEngine({ db: database.db, schema })
})

const ofBrowser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

interface Opened {
  readonly path?: string
  readonly method?: string
  readonly accept?: string
  readonly headers?: Record<string, string>
  readonly options?: Partial<GraphQLHandlerOptions>
}

/** Opens the path without a token. */
async function open({
  path = '/graphql',
  method = 'GET',
  accept = ofBrowser,
  headers,
  options,
}: Opened = {}) {
  const handler = createGraphQLHandler(engine, {
    authenticate: (token) => (token === 'secret' ? { admin: true } : null),
    page: true,
    ...options,
  })
  return handler(new Request(`http://localhost${path}`, { method, headers: { accept, ...headers } }))
}

const typeOf = (response: Response) => response.headers.get('content-type')
const html = 'text/html; charset=utf-8'
const json = 'application/json; charset=utf-8'

describe('the page of GraphQL', () => {
  it('is shown to a browser, and nobody is asked who it is', async () => {
    const asked: unknown[] = []
    const authenticate = (token: string | null) => {
      asked.push(token)
      return null
    }
    const page = await open({ options: { authenticate } })
    expect([page.status, typeOf(page)]).toEqual([200, html])
    expect(await page.text()).toMatch(/^<!doctype html>/)
    expect(asked).toEqual([])
  })

  it('is not shown unless it is switched on', async () => {
    expect((await open({ options: { page: false } })).status).toBe(401)
    expect((await open({ options: { page: undefined } })).status).toBe(401)
  })

  it('has a head alone for HEAD', async () => {
    const [head, page] = [await open({ method: 'HEAD' }), await open()]
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect([...head.headers]).toEqual([...page.headers])
  })

  it.each([
    ['text/html', html],
    ['TEXT/HTML;Q=0.8', html],
    ['application/json;q=0.5, text/html', html],
    ['text/html;q=0.5, application/json', json],
    ['text/html, application/json', json],
    ['text/html;q=0, */*', json],
    ['text/html;q=x, */*', json],
    ['text/*', json],
    ['*/*', json],
    ['', json],
    ['application/json', json],
    ['application/graphql-response+json', json],
  ])('answers Accept: %s with %s', async (accept, type) => {
    const headers = { authorization: 'Bearer secret' }
    const response = await open({ accept, headers })
    expect(typeOf(response)?.replace('graphql-response+json', 'json')).toBe(type)
  })

  it.each(['query={__typename}', 'documentId=x', 'query=', 'variables={}&query={__typename}'])(
    'leaves an address with a document to GraphQL: ?%s',
    async (query) => {
      const path = `/graphql?${query}`
      expect((await open({ path })).status).toBe(401)
      expect(typeOf(await open({ path, headers: { authorization: 'Bearer secret' } }))).toBe(json)
    },
  )

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('is for GET and HEAD, and not for %s', async (method) => {
    expect((await open({ method, headers: { 'content-type': 'application/json' } })).status).toBe(401)
  })

  it('is at its own path alone', async () => {
    expect((await open({ path: '/graphql/schema' })).status).toBe(401)
    expect((await open({ path: '/' })).status).toBe(401)
    expect((await open({ path: '/q', options: { prefix: '/q' } })).status).toBe(200)
  })

  it('may run its own script, look as it looks, and send to its own server, and nothing else', async () => {
    const page = await open()
    const text = await page.text()
    const inside = (name: string) => [...text.matchAll(new RegExp(`<${name}>([\\s\\S]*?)</${name}>`, 'g'))]
    const hashes = (name: string) =>
      inside(name).map(([, one = '']) => `'sha256-${createHash('sha256').update(one).digest('base64')}'`)
    expect(hashes('script')).toHaveLength(1)
    expect(hashes('style')).toHaveLength(1)
    expect(page.headers.get('content-security-policy')?.split('; ')).toEqual([
      "default-src 'none'",
      `script-src ${hashes('script')}`,
      `style-src ${hashes('style')}`,
      "connect-src 'self'",
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ])
    const { headers } = page
    expect(
      ['x-content-type-options', 'referrer-policy', 'cache-control', 'vary'].map((name) => headers.get(name)),
    ).toEqual(['nosniff', 'no-referrer', 'no-cache', 'Authorization, Cookie, Accept'])
  })

  it('is one file: it names no other address, and no handler in its HTML', async () => {
    const text = await (await open()).text()
    const [markup] = text.split('<script>')
    expect(markup).not.toMatch(/\son\w+=|<link(?! rel="icon" href="data:)|\ssrc=/)
    expect(text.match(/https?:\/\/[^'" ]+/g)).toEqual(['http://www.w3.org/2000/svg'])
    expect(text).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|localStorage|sessionStorage|indexedDB|document\.cookie/,
    )
  })

  it('takes at most 25 kB with gzip', async () => {
    expect(gzipSync(await (await open()).text()).length).toBeLessThan(25_000)
  })

  it('is not sent again to a browser that has it', async () => {
    const page = await open()
    const etag = page.headers.get('etag') ?? ''
    const again = await open({ headers: { 'if-none-match': etag } })
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
  })

  it('stands beside REST, below the prefix of the handler, also over Node', async () => {
    const handler = createHandler(engine, {
      authenticate: () => null,
      prefix: '/api',
      mounts: [graphql({ page: true })],
    })
    const port = await portOf(createServer(toNode(handler)))
    const get = (path: string, method = 'GET') =>
      fetch(`http://127.0.0.1:${port}${path}`, { method, headers: { accept: ofBrowser } })
    const page = await get('/api/graphql')
    expect([page.status, typeOf(page), (await page.text()).slice(0, 15)]).toEqual([
      200,
      html,
      '<!doctype html>',
    ])
    expect((await get('/api/graphql', 'HEAD')).status).toBe(200)
    expect((await get('/api/items/tags')).status).toBe(401)
    expect((await get('/graphql')).status).toBe(401)
  })

  it('reports a page that is neither on nor off', () => {
    expect(() => graphql({ page: 'yes' as never })).toThrow('"page" is')
  })
})
