// Tokens: read from a header only, unless the host says otherwise.
import { beforeAll, describe, expect, it } from 'vitest'
import { createHandler, type HandlerOptions } from '../../src/http.ts'
import { openSqlite } from '../support/databases.ts'
import { answered, type Exchange } from './exchange.ts'
import { type Magazine, openWorld, type World } from './magazine.ts'

const read = 'GET /items/articles/1?fields=id'
const taken = (authorization: string): Exchange => ({
  title: `"${authorization}" is taken`,
  as: null,
  send: read,
  headers: { authorization },
  status: 200,
  answer: { data: { id: 1 } },
})
const refused = (authorization: string): Exchange => ({
  title: `"${authorization}" is refused`,
  as: null,
  send: read,
  headers: { authorization },
  status: 401,
  fault: ['INVALID_CREDENTIALS'],
})

answered([
  taken('Bearer admin'),
  taken('bearer admin'),
  taken('BEARER admin'),
  taken('Bearer   admin'),
  taken('Bearer admin '),
  taken('Bearer a+b/c~d.e_f-g=='),
  refused('admin'),
  refused('Bearer'),
  refused('Bearer '),
  refused('Beareradmin'),
  refused('Bearer:admin'),
  refused('Bearer admin admin'),
  refused('Bearer "admin"'),
  refused('Basic YWRtaW46YWRtaW4='),
  refused('Token admin'),
  refused('Bearer ADMIN'),
  refused('Bearer __proto__'),
  refused('Bearer constructor'),
  refused('Bearer admin, Bearer admin'),
  {
    title: 'a token in the URL is not read',
    as: null,
    send: 'GET /items/articles/1?access_token=admin',
    status: 401,
    fault: ['INVALID_CREDENTIALS'],
  },
  {
    title: 'nor is one in a cookie',
    as: null,
    send: read,
    headers: { cookie: 'access_token=admin; directus_session_token=admin' },
    status: 401,
    fault: ['INVALID_CREDENTIALS'],
  },
  {
    title: 'headers that mean nothing change nothing',
    send: read,
    headers: {
      'x-large': 'x'.repeat(10_000),
      'x-http-method-override': 'DELETE',
      'x-forwarded-prefix': '/y',
    },
    status: 200,
    answer: { data: { id: 1 } },
  },
])

describe('the host', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ name: 'sqlite', open: openSqlite })
  })

  const answers = async (
    options: HandlerOptions<Magazine>,
    headers: Readonly<Record<string, string>> = {},
    path = '/items/articles',
  ) =>
    (await createHandler(world.engine, options)(new Request(`http://localhost${path}`, { headers }))).status

  it('is asked for each request, with null where there is no token', async () => {
    const asked: (string | null)[] = []
    const authenticate = (token: string | null) => {
      asked.push(token)
      return null
    }
    await answers({ authenticate })
    await answers({ authenticate }, { authorization: 'Basic x' })
    await answers({ authenticate }, { authorization: 'Bearer one' })
    await answers({ authenticate }, {}, '/nowhere')
    expect(asked).toEqual([null, null, 'one', null])
  })

  it('may let anybody in', async () => {
    expect(await answers({ authenticate: () => ({ rules: { articles: { read: true } } }) })).toBe(200)
    expect(await answers({ authenticate: () => ({}) })).toBe(404)
  })

  it('may take tokens from elsewhere, for those who send no bearer', async () => {
    const options: HandlerOptions<Magazine> = {
      authenticate: (token) => (token === 'admin' ? { admin: true } : null),
      token: (request) => /(?:^|; )session=(\w+)/.exec(request.headers.get('cookie') ?? '')?.[1],
    }
    expect(await answers(options, { cookie: 'session=admin' })).toBe(200)
    expect(await answers(options, { cookie: 'session=other' })).toBe(401)
    expect(await answers(options, { cookie: 'session=admin', authorization: 'Bearer other' })).toBe(401)
    expect(await answers(options)).toBe(401)
  })

  it('sees the request that it is asked about', async () => {
    const options: HandlerOptions<Magazine> = {
      authenticate: (_, { method, url, headers }) =>
        method === 'GET' && new URL(url).pathname === '/items/articles' && headers.get('x-key') === 'k'
          ? { admin: true }
          : null,
    }
    expect(await answers(options, { 'x-key': 'k' })).toBe(200)
    expect(await answers(options)).toBe(401)
  })
})
