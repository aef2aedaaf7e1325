// What a query finds is changed as long as it is found, and nothing else.
import { expect, it } from 'vitest'
import { updateItem } from '../../../src/index.ts'
import { databases } from '../../support/databases.ts'
import { requestOf } from '../../support/request-of.ts'
import { waiting } from '../../support/wait-until.ts'
import { openWorld } from '../magazine.ts'

const manyConnections = databases.filter(({ name }) => name === 'postgres')

it.each(manyConnections)('on $name a row was changed that the query found no more', async (database) => {
  const { engine, handler, opened } = await openWorld(database)
  const patch = (token: string) =>
    handler(
      requestOf(
        'PATCH',
        '/api/items/articles?fields=id,views',
        { query: { filter: { status: 'published' } }, data: { views: 1 } },
        { authorization: `Bearer ${token}` },
      ),
    )
  let patched: Promise<Response> | undefined
  await engine.transaction(async (inside) => {
    await updateItem(inside, 'articles', 1, { status: 'draft', views: 99 })
    patched = patch('admin')
    await waiting(opened, [patched], 'articles')
  })
  const answer = await patched
  expect(await answer?.json()).toEqual({ data: [{ id: 3, views: 1 }] })
  expect(await opened.db.selectFrom('articles').select(['id', 'views']).orderBy('id').execute()).toEqual([
    { id: 1, views: 99 },
    { id: 2, views: 5 },
    { id: 3, views: 1 },
  ])
})

it.each(databases)('on $name a query changes all that it finds, or nothing', async (database) => {
  const { handler, opened } = await openWorld(database)
  const refused = await handler(
    new Request('http://localhost/api/items/articles', {
      method: 'PATCH',
      headers: { authorization: 'Bearer admin', 'content-type': 'application/json' },
      body: JSON.stringify({ query: { limit: -1 }, data: { code: 'same' } }),
    }),
  )
  expect(refused.status).toBe(400)
  const codes = await opened.db.selectFrom('articles').select('code').orderBy('id').execute()
  expect(codes).toEqual([{ code: 'T' }, { code: 'C' }, { code: null }])
})
