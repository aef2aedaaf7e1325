// The audits of GraphQL over HTTP, as its specification has them.

import { serverAudits } from 'graphql-http'
import { beforeAll, describe, expect, it } from 'vitest'
import { createGraphQLHandler } from '../../../src/graphql.ts'
import { createEngine, defineSchema } from '../../../src/index.ts'
import { sqlite } from '../../support/databases.ts'

const schema = defineSchema({ tags: { fields: { id: { type: 'integer', key: true } } } })
let fetchFn: (url: string, init?: RequestInit) => Promise<Response>

beforeAll(async () => {
  const database = await sqlite.open()
  await database.run('create table tags (id integer primary key)')
  const engine = createEngine({ db: database.db, schema })
  const handler = createGraphQLHandler(engine, { authenticate: () => ({ admin: true }) })
  fetchFn = (url, init) => handler(new Request(url, init))
})

const audits = serverAudits({
  url: 'http://localhost/graphql',
  fetchFn: (url: string, init?: RequestInit) => fetchFn(url, init),
})

/** A refused request is 400 in every media type, as clients of the installed base know it. */
const refusedAs400 = new Set(['572B', 'FDE2', '7B9B'])

describe('GraphQL over HTTP', () => {
  it.each(audits.map((audit) => [audit.id, audit.name, audit] as const))(
    '%s: %s',
    async (_id, _name, audit) => {
      const result = await audit.fn()
      const reason = 'reason' in result ? result.reason : undefined
      if (refusedAs400.has(audit.id))
        expect([result.status, reason]).toEqual(['warn', 'Response status code is not 200'])
      else expect([result.status, reason]).toEqual(['ok', undefined])
    },
  )

  it('has all of them', () => expect(audits.length).toBeGreaterThan(50))
})
