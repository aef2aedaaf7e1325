// Documents that the host keeps, and clients name by id.
import { beforeAll, describe, expect, it } from 'vitest'
import {
  answerGraphQL,
  createGraphQLHandler,
  type GraphQLAnswerOptions,
  type GraphQLHandlerOptions,
  type GraphQLRequest,
  graphql,
} from '../../../src/graphql.ts'
import { createHandler } from '../../../src/http.ts'
import { requestOf } from '../../support/request-of.ts'
import { openTags, type Tags } from '../../support/tags.ts'

let engine: Tags

beforeAll(async () => {
  ;({ engine } = await openTags())
})

const known = new Map([
  ['first', 'query First($n: Int) { tags(limit: $n) { name } }'],
  ['long', '{ tags { id name } }'],
  ['broken', '{ tags {'],
  ['remove', 'mutation { delete_tags_item(id: 1) { id } }'],
])
const documents = (id: string) => known.get(id)
const hot = '{"data":{"tags":[{"name":"hot"}]}}'
const first = { documentId: 'first', variables: { n: 1 } }

const answered = (request: GraphQLRequest, options: GraphQLAnswerOptions = { documents }) =>
  answerGraphQL(engine, request, options)

async function send(body: object | string, options: Partial<GraphQLHandlerOptions> = { documents }) {
  const handler = createGraphQLHandler(engine, { authenticate: () => ({ admin: true }), ...options })
  const answer = await handler(
    typeof body === 'string'
      ? new Request(`http://localhost/graphql?${body}`)
      : requestOf('POST', '/graphql', body),
  )
  return { status: answer.status, text: await answer.text() }
}

describe('a document with an id', () => {
  it('is answered as its text would be', async () => {
    expect(await answered(first)).toBe(hot)
    expect(await answered(first, { documents: async (id) => known.get(id), onlyDocuments: true })).toBe(hot)
    expect(await send(first)).toEqual({ status: 200, text: hot })
    expect(await send('documentId=first&variables={"n":1}')).toEqual({ status: 200, text: hot })
    expect(await answered({ query: '{ tags(limit: 1) { name } }' })).toBe(hot)
  })

  it('is validated and limited as any', async () => {
    expect((await send({ documentId: 'broken' })).status).toBe(400)
    expect((await send('documentId=remove')).status).toBe(405)
    expect((await send({ documentId: 'long' }, { documents, limits: { tokens: 3 } })).text).toContain(
      '3 tokens',
    )
  })

  const refused: Readonly<Record<string, readonly [body: object | string, says: string]>> = {
    'an id that is not known': [{ documentId: 'none' }, 'There is no document with the id "none".'],
    'an id that objects inherit': [
      { documentId: '__proto__' },
      'There is no document with the id "__proto__".',
    ],
    'an id that is no text': [{ documentId: 1 }, '"documentId" is a text, not 1.'],
    'an id beside a text': [
      { ...first, query: '{ tags { id } }' },
      'A request has either "query" or "documentId".',
    ],
    'the extension of other protocols': [
      { extensions: { persistedQuery: { version: 1, sha256Hash: 'first' } } },
      'A request of GraphQL has a document, as the text "query".',
    ],
  }
  it.each(Object.entries(refused))('is refused for %s', async (_title, [body, says]) => {
    const { status, text } = await send(body)
    expect([status, JSON.parse(text).errors[0].message]).toEqual([400, says])
  })

  it('is refused where none is kept', async () => {
    expect(await send(first, {})).toMatchObject({ status: 400, text: expect.stringContaining('no document') })
  })
})

describe('with onlyDocuments', () => {
  const options = { documents, onlyDocuments: true }

  it('a text is refused before it is read', async () => {
    for (const query of ['{ tags { id } }', '{ no grammar', known.get('first')]) {
      const { status, text } = await send({ query }, options)
      expect(status).toBe(400)
      expect(JSON.parse(text).errors).toEqual([
        {
          message: 'Only documents that are known are answered: a request names one by its "documentId".',
          extensions: { code: 'INVALID_PAYLOAD', path: ['query'] },
        },
      ])
    }
    await expect(answered({ query: '{ tags { id } }' }, options)).rejects.toMatchObject({
      code: 'INVALID_PAYLOAD',
    })
    expect((await send({}, options)).status).toBe(400)
  })

  it('documents have to be there', async () => {
    const says = '"onlyDocuments" needs "documents"'
    await expect(answered(first, { onlyDocuments: true })).rejects.toThrow(says)
    const authenticate = () => null
    expect(() => createGraphQLHandler(engine, { authenticate, onlyDocuments: true })).toThrow(says)
    const mounts = [graphql({ onlyDocuments: true })]
    expect(() => createHandler(engine, { authenticate, mounts })).toThrow(says)
  })

  it('what is no document is the mistake of the host', async () => {
    const heard: unknown[] = []
    const wrong = { documents: () => 1 as never, onError: (error: unknown) => void heard.push(error) }
    expect((await send(first, wrong)).status).toBe(500)
    expect(heard).toMatchObject([{ message: '"documents" returns a text or undefined, not 1.' }])
  })
})
