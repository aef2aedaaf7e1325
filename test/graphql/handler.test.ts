// GraphQL over HTTP: what a request may be, and with which status it is answered.
import { beforeAll, describe, expect, it } from 'vitest'
import { createGraphQLHandler, type GraphQLHandlerOptions } from '../../src/graphql.ts'
import { createEngine, defineSchema } from '../../src/index.ts'
import type { OpenDatabase } from '../support/databases.ts'
import { openTags, type Tags } from '../support/tags.ts'

let database: OpenDatabase
let engine: Tags

beforeAll(async () => {
  ;({ database, engine } = await openTags())
})

const authenticate = (token: string | null) =>
  token === 'secret' ? { admin: true } : token === 'reader' ? { rules: { tags: { read: true } } } : null

interface Sent extends RequestInit {
  readonly path?: string
  readonly options?: Partial<GraphQLHandlerOptions>
}

async function send({ path = '/graphql', options = {}, headers, ...rest }: Sent) {
  const handler = createGraphQLHandler(engine, { authenticate, ...options })
  const all = { authorization: 'Bearer secret', 'content-type': 'application/json', ...headers }
  const answer = await handler(new Request(`http://localhost${path}`, { headers: all, ...rest }))
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

const post = (body: unknown, rest: Sent = {}) =>
  send({ method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body), ...rest })

const list = '{ tags { id } }'
const two = '{"data":{"tags":[{"id":"1"},{"id":"2"}]}}'

describe('GraphQL over HTTP', () => {
  it('answers a POST with JSON', async () => {
    const { status, headers, text } = await post({ query: list })
    expect([status, text]).toEqual([200, two])
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(headers.get('cache-control')).toBe('private, no-cache')
    expect(headers.get('vary')).toBe('Authorization, Cookie, Accept')
  })

  it('answers in the media type of GraphQL when it is asked for', async () => {
    const accept = 'application/graphql-response+json, application/json;q=0.9'
    const { headers } = await post({ query: list }, { headers: { accept } })
    expect(headers.get('content-type')).toBe('application/graphql-response+json; charset=utf-8')
  })

  it('answers a GET, with variables as JSON', async () => {
    const query = encodeURIComponent('query Q($n: Int) { tags(limit: $n) { name } }')
    const { status, text } = await send({ path: `/graphql?query=${query}&variables={"n":1}&operationName=Q` })
    expect([status, text]).toEqual([200, '{"data":{"tags":[{"name":"hot"}]}}'])
  })

  it('is found under its prefix alone', async () => {
    expect((await send({ path: '/graphql/system' })).status).toBe(404)
    expect((await post({ query: list }, { path: '/api/q', options: { prefix: '/api/q/' } })).status).toBe(200)
  })

  it('prints the schema of the caller', async () => {
    const { status, text, headers } = await send({ path: '/graphql/schema' })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(text).toContain('type Mutation')
    const seen = await send({ path: '/graphql/schema', headers: { authorization: 'Bearer reader' } })
    expect(seen.text).toContain('type tags')
    expect(seen.text).not.toContain('Mutation')
    expect((await send({ path: '/graphql/schema', options: { introspection: false } })).status).toBe(404)
  })

  const refused: Readonly<
    Record<string, readonly [sent: () => ReturnType<typeof send>, status: number, says: RegExp]>
  > = {
    'a caller without a token': [
      () => post({ query: list }, { headers: { authorization: '' } }),
      401,
      /credentials/,
    ],
    'a list of requests': [() => post([{ query: list }]), 400, /one document/],
    'a request without a document': [() => post({ variables: {} }), 400, /document, as the text "query"/],
    'a body that is no JSON': [() => post('{'), 400, /not valid JSON/],
    'a body of another type': [
      () => post(list, { headers: { 'content-type': 'application/graphql' } }),
      415,
      /application\/json/,
    ],
    'a form, which any page may send': [
      () => post('query=x', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
      415,
      /application\/json/,
    ],
    'variables that are no object': [
      () => post({ query: list, variables: [1] }),
      400,
      /"variables" is an object/,
    ],
    'variables in an address that are no JSON': [
      () => send({ path: `/graphql?query=${encodeURIComponent(list)}&variables={` }),
      400,
      /"variables" is not valid JSON/,
    ],
    'a mutation by GET': [
      () =>
        send({ path: `/graphql?query=${encodeURIComponent('mutation { delete_tags_item(id: 1) { id } }')}` }),
      405,
      /by POST/,
    ],
    'another method': [() => send({ method: 'PUT', body: '{}' }), 405, /not supported/],
    'a document with mistakes': [
      () => post({ query: '{ tags { colour } }' }),
      400,
      /Cannot query field "colour"/,
    ],
    'a body that is too large': [
      () => post({ query: list }, { options: { bodyLimit: 10 } }),
      413,
      /at most 10 bytes/,
    ],
  }

  it.each(Object.entries(refused))('refuses %s', async (_title, [sent, status, says]) => {
    const answer = await sent()
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.text)).toEqual({
      errors: [expect.objectContaining({ message: expect.stringMatching(says) })],
    })
  })

  it('deletes nothing by GET', async () => {
    await send({
      path: `/graphql?query=${encodeURIComponent('mutation { delete_tags_item(id: 1) { id } }')}`,
    })
    expect((await post({ query: list })).text).toBe(two)
  })

  it('reports what is not the fault of the caller, and tells nothing of it', async () => {
    const heard: unknown[] = []
    const broken = createEngine({ db: database.db, schema: defineSchema({ gone: schemaOf }) })
    const handler = createGraphQLHandler(broken, {
      authenticate: () => ({ admin: true }),
      onError: (error) => heard.push(error),
    })
    const request = new Request('http://localhost/graphql?query={gone{id}}', {
      headers: { authorization: 'Bearer secret' },
    })
    const answer = await handler(request)
    expect(await answer.json()).toMatchObject({
      data: null,
      errors: [{ message: 'An unexpected error occurred.', extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
    })
    expect(heard).toHaveLength(1)
  })

  it.each([
    [{}, 'A handler needs "authenticate", which identifies the caller.'],
    [
      { authenticate, names: { rename: { nothing: 'x' } } },
      'There is no collection or field "nothing" to be renamed.',
    ],
    [{ authenticate, prefx: '/' }, 'There is no option "prefx".'],
  ])('refuses the options %j', (options, says) => {
    expect(() => createGraphQLHandler(engine, options as never)).toThrow(says)
  })
})

const schemaOf = { fields: { id: { type: 'integer', key: true } } } as const
