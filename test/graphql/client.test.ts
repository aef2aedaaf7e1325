// The official client of the reference service, which knows nothing of us, by GraphQL.
import { createServer, type Server } from 'node:http'
import { createDirectus, graphql as graphqlClient, readItems, rest, staticToken } from '@directus/sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import { graphql } from '../../src/graphql.ts'
import { createHandler, toNode } from '../../src/http.ts'
import { createEngine, defineSchema } from '../../src/index.ts'
import { openSqlite } from '../support/databases.ts'
import { key, maybeOne, text } from '../support/fields.ts'
import { portOf } from '../support/listening.ts'

const schema = defineSchema({ tags: { fields: { id: key, name: text, parent: maybeOne('tags') } } })

interface Tags {
  tags: { id: number; name: string | null; parent: number | null }[]
}

let server: Server
let url: string
/** What the client sent. */
const sent: string[] = []

beforeAll(async () => {
  const database = await openSqlite()
  await database.run('create table tags (id integer primary key, name text, parent integer)')
  await database.run("insert into tags values (1, 'hot', null), (2, 'cold', 1)")
  const handler = createHandler(createEngine({ db: database.db, schema }), {
    authenticate: (token) =>
      token === 'admin' ? { admin: true } : { rules: { tags: { read: { fields: ['id', 'name'] } } } },
    prefix: '/api',
    mounts: [graphql()],
  })
  const answer = toNode(handler)
  server = createServer((request, response) => {
    sent.push(`${request.method} ${request.url}`)
    void answer(request, response)
  })
  url = `http://127.0.0.1:${await portOf(server)}/api`
})

const client = (token: string) =>
  createDirectus<Tags>(url).with(staticToken(token)).with(graphqlClient()).with(rest())

describe('graphql() of the official client', () => {
  it('posts a query to /graphql, and gets its data', async () => {
    sent.length = 0
    const query = 'query Q($n: Int) { tags(limit: $n, sort: ["id"]) { id name parent { name } } }'
    expect(await client('admin').query(query, { n: 2 })).toEqual({
      tags: [
        { id: '1', name: 'hot', parent: null },
        { id: '2', name: 'cold', parent: { name: 'hot' } },
      ],
    })
    expect(sent).toEqual(['POST /api/graphql'])
  })

  it('writes by a mutation, which the REST API of the same handler shows', async () => {
    const mutation = 'mutation ($data: create_tags_input!) { create_tags_item(data: $data) { id name } }'
    const admin = client('admin')
    const data = { id: 3, name: 'warm', parent: { id: 1 } }
    expect(await admin.query(mutation, { data })).toEqual({ create_tags_item: { id: '3', name: 'warm' } })
    expect(await admin.request(readItems('tags', { filter: { id: { _eq: 3 } } }))).toEqual([
      { id: 3, name: 'warm', parent: 1 },
    ])
  })

  it('rejects with the errors of the answer', async () => {
    const failed = client('admin').query('{ tags_by_id(id: 99) { id } }')
    await expect(failed).rejects.toMatchObject({
      errors: [
        {
          message: 'There is no such item, or you may not see it.',
          path: ['tags_by_id'],
          extensions: { code: 'NOT_FOUND' },
        },
      ],
    })
  })

  it('shows each caller what they may read', async () => {
    expect(await client('reader').query('{ tags(limit: 1) { id name } }')).toEqual({
      tags: [{ id: '1', name: 'hot' }],
    })
    await expect(client('reader').query('{ tags { parent } }')).rejects.toMatchObject({
      errors: [{ message: 'Cannot query field "parent" on type "tags".' }],
    })
  })

  it('finds nothing in the scope of the service itself', async () => {
    const failed = client('admin').query('{ users { id } }', {}, 'system')
    await expect(failed).rejects.toMatchObject({ response: { status: 404 } })
  })
})
