// `POST /explain`: how a query runs, and what rules allow, for those whom the host lets ask.
import { describe, expect, it } from 'vitest'
import { createHandler, type HandlerOptions } from '../../src/http.ts'
import { databases } from '../support/databases.ts'
import { authenticate, type Magazine, openWorld } from './magazine.ts'

describe.each(databases)('on $name', (database) => {
  async function asking(explain: HandlerOptions<Magazine>['explain']) {
    const { engine } = await openWorld(database)
    const handler = createHandler(engine, { authenticate, explain, onError: () => undefined })
    const ask = async (token: string, body: unknown, method = 'POST', query = '') => {
      const response = await handler(
        new Request(`http://localhost/explain${query}`, {
          method,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          ...(method === 'POST' && { body: JSON.stringify(body) }),
        }),
      )
      return [response.status, JSON.parse(await response.text())] as const
    }
    return ask
  }

  it('is not there by default, and not for those whom the host does not let ask', async () => {
    const none = await asking(undefined)
    expect((await none('admin', { collection: 'words' }))[0]).toBe(404)
    const some = await asking((access, request) => access.admin === true && request.method === 'POST')
    expect((await some('admin', { collection: 'words' }))[0]).toBe(200)
    expect((await some('reader', { collection: 'articles' }))[0]).toBe(403)
    expect((await some('mallory', {}))[0]).toBe(401)
    expect((await some('admin', {}, 'GET'))[0]).toBe(405)
    expect((await some('admin', { collection: 'words' }, 'POST', '?nope=1'))[0]).toBe(400)
  })

  it('explains a query, and with an action the rights', async () => {
    const ask = await asking(true)
    const query = { filter: { views: { _gt: 3 }, id: { _lt: 9 } }, fields: ['title'] }
    const [status, { data }] = await ask('reader', {
      collection: 'articles',
      query: { fields: ['title'] },
      database: true,
    })
    expect(status).toBe(200)
    expect(data).toMatchObject({ sql: expect.stringContaining('select'), parameters: expect.any(Array) })
    expect(data.databasePlan.length).toBeGreaterThan(0)
    expect((await ask('admin', { collection: 'articles', query }))[1].data.databasePlan).toBeUndefined()
    expect(await ask('reader', { collection: 'articles', action: 'read' })).toEqual([
      200,
      {
        data: {
          allowed: true,
          fields: { id: 'always', title: 'always', status: 'always', author: 'always' },
          rules: [{ fields: ['id', 'title', 'status', 'author'], filter: { status: { _eq: 'published' } } }],
        },
      },
    ])
    expect((await ask('reader', { collection: 'articles', action: 'delete' }))[1].data.allowed).toBe(false)
  })

  it('says of what is hidden what it says of what is not there', async () => {
    const ask = await asking(true)
    for (const rest of [{}, { action: 'read' }, { action: 'create' }]) {
      const [hidden, unknown] = [
        await ask('reader', { collection: 'words', ...rest }),
        await ask('reader', { collection: 'werds', ...rest }),
      ]
      expect(JSON.stringify(hidden).replaceAll('words', 'werds')).toBe(JSON.stringify(unknown))
      expect(hidden[0]).toBe(404)
    }
    const query = { fields: ['notes'] }
    expect((await ask('reader', { collection: 'articles', query }))[0]).toBe(403)
  })

  it.each([
    [{}],
    [[]],
    [{ collection: 7 }],
    [{ collection: 'words', quary: {} }],
    [{ collection: 'words', query: {}, action: 'read' }],
    [{ collection: 'words', query: 'x' }],
    [{ collection: 'words', database: 1 }],
    [{ collection: 'words', action: 'drop' }],
    [{ collection: 'words', action: null }],
  ])('refuses %j', async (body) => {
    const ask = await asking(true)
    const [status, { errors }] = await ask('admin', body)
    expect([status, errors[0].extensions.code]).toEqual([400, 'INVALID_PAYLOAD'])
  })
})
