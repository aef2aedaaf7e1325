// The official client of the reference service, which knows nothing of us.
import { createServer } from 'node:http'
import {
  aggregate,
  compareContentVersion,
  createContentVersion,
  createContentVersions,
  createDirectus,
  createItem,
  createItems,
  deleteContentVersion,
  deleteContentVersions,
  deleteItem,
  deleteItems,
  promoteContentVersion,
  type Query,
  readContentVersion,
  readContentVersions,
  readItem,
  readItems,
  readSingleton,
  rest,
  saveToContentVersion,
  staticToken,
  updateItem,
  updateItems,
  updateItemsBatch,
  updateSingleton,
  withSearch,
  withToken,
} from '@directus/sdk'
import express from 'express'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { toNode } from '../../src/http.ts'
import { databases } from '../support/databases.ts'
import { firstNewKey, openWorld, version, type World } from './magazine.ts'
import { troubles } from './process.ts'
import { type Listening, overHttp } from './transports.ts'

interface Author {
  id: number
  name: string
  articles: number[] | Article[]
}
interface Comment {
  id: number
  text: string | null
  article: number | Article | null
}
interface Article {
  id: number
  title: string
  status: string
  views: number
  code: string | null
  notes: string | null
  author: number | Author | null
  comments: number[] | Comment[]
}
interface Magazine {
  authors: Author[]
  articles: Article[]
  comments: Comment[]
  words: { word: string; meaning: string | null }[]
  site: { id: number; title: string; motto: string | null }
}

const client = (port: number) =>
  createDirectus<Magazine>(`http://127.0.0.1:${port}/api`).with(staticToken('admin')).with(rest())

describe.each(databases)('on $name', (database) => {
  let world: World
  let server: Listening
  let service: ReturnType<typeof client>
  beforeAll(async () => {
    world = await openWorld(database)
    server = await overHttp(createServer(express().use('/api', toNode(world.handler))))
    service = client(server.port)
  })
  beforeEach(() => world.reset())
  afterEach(() => {
    expect(world.told()).toEqual([])
    expect(troubles()).toEqual([])
  })

  it('reads items with what is nested in them', async () => {
    const items = await service.request(
      readItems('articles', {
        fields: ['id', 'title', { author: ['name'], comments: ['text'] }],
        filter: { _or: [{ views: { _gt: 6 } }, { author: { name: { _eq: 'Nobody' } } }] },
        sort: ['-views'],
        limit: 2,
        deep: { comments: { _sort: ['-id'], _limit: 1 } },
      }),
    )
    expect(items).toEqual([
      { id: 1, title: 'Tea', author: { name: 'Ada' }, comments: [{ text: 'bad' }] },
      { id: 3, title: 'Cocoa', author: { name: 'Bo' }, comments: [] },
    ])
  })

  it('reads items by page and by search', async () => {
    const query = { fields: ['id'], limit: 1, page: 2, search: 'CO' } as const
    expect(await service.request(readItems('articles', query))).toEqual([{ id: 3 }])
  })

  it('reads items under another name', async () => {
    const query = { alias: { heading: 'title' }, fields: ['id', 'heading' as 'title'], limit: 1 } as const
    expect(await service.request(readItems('articles', query))).toEqual([{ id: 1, heading: 'Tea' }])
  })

  it('searches for items with the query in the body', async () => {
    const asked = readItems<Magazine, 'articles', Query<Magazine, Article>>('articles', {
      fields: ['id', { author: ['name'] }],
      filter: { id: { _in: [1, 3] } },
      sort: ['-id'],
      limit: 5,
    })
    expect(await service.request(withSearch(asked))).toEqual([
      { id: 3, author: { name: 'Bo' } },
      { id: 1, author: { name: 'Ada' } },
    ])
  })

  it('counts and sums', async () => {
    const asked = { aggregate: { count: '*', sum: ['views'] }, groupBy: ['status'] } as const
    // Its types know no list of fields beside "*", but it sends what we understand.
    const found = await service.request(aggregate('articles', asked as never))
    expect(found).toEqual([
      { status: 'draft', count: 1, sum: { views: 5 } },
      { status: 'published', count: 2, sum: { views: 17 } },
    ])
    const filtered = { aggregate: { count: ['id'] }, query: { filter: { author: { _eq: 1 } } } } as const
    expect(await service.request(aggregate('articles', filtered as never))).toEqual([{ count: { id: 2 } }])
  })

  it('reads an item, and one in a version', async () => {
    const fields = { fields: ['id', 'title', { author: ['name'] }] } as const
    expect(await service.request(readItem('articles', 2, fields))).toEqual({
      id: 2,
      title: 'Coffee',
      author: { name: 'Ada' },
    })
    const draft = await service.request(readItem('articles', 1, { fields: ['title'], version: 'draft' }))
    expect(draft).toEqual({ title: 'Green tea' })
  })

  it('creates items', async () => {
    expect(
      await service.request(createItem('articles', { title: 'Milk' }, { fields: ['id', 'title'] })),
    ).toEqual({ id: firstNewKey, title: 'Milk' })
    const made = await service.request(
      createItems('comments', [{ text: 'b', article: 1 }, { text: 'a' }], { fields: ['text'] }),
    )
    expect(made).toEqual([{ text: 'b' }, { text: 'a' }])
  })

  it('changes items in each of its ways', async () => {
    const fields = { fields: ['id', 'views'] } as const
    expect(await service.request(updateItem('articles', 1, { views: 1 }, fields))).toEqual({
      id: 1,
      views: 1,
    })
    expect(await service.request(updateItems('articles', [1, 2], { views: 2 }, fields))).toEqual([
      { id: 1, views: 2 },
      { id: 2, views: 2 },
    ])
    const drafts = { filter: { status: { _eq: 'draft' } } } as const
    expect(await service.request(updateItems('articles', drafts, { views: 3 }, fields))).toEqual([
      { id: 2, views: 3 },
    ])
    const batch = [
      { id: 3, views: 4 },
      { id: 1, views: 5 },
    ]
    expect(await service.request(updateItemsBatch('articles', batch, fields))).toEqual(batch)
  })

  it('deletes items in each of its ways', async () => {
    await service.request(deleteItem('comments', 1))
    await service.request(deleteItems('comments', [2]))
    await service.request(deleteItems('comments', { filter: { text: { _eq: 'black' } } }))
    expect(await service.request(readItems('comments'))).toEqual([])
  })

  it('reads and changes a singleton', async () => {
    expect(await service.request(readSingleton('site'))).toEqual({ id: 7, title: 'Here', motto: null })
    expect(await service.request(updateSingleton('site', { motto: 'Go' }, { fields: ['motto'] }))).toEqual({
      motto: 'Go',
    })
  })

  it('tells what went wrong', async () => {
    const nowhere = service.request(readItem('articles', 9))
    await expect(nowhere).rejects.toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] })
    const stranger = service.request(withToken('wrong', readItems('articles')))
    await expect(stranger).rejects.toMatchObject({
      errors: [{ extensions: { code: 'INVALID_CREDENTIALS' } }],
    })
  })

  it('makes a version of an item, and makes the item what it says', async () => {
    const made = await service.request(
      createContentVersion({ key: 'spring', name: 'Spring', collection: 'articles', item: '2' }),
    )
    expect(made).toMatchObject({ key: 'spring', name: 'Spring', collection: 'articles', item: '2' })
    const saved = await service.request(
      saveToContentVersion<Magazine, 'articles', Article>(made.id, { title: 'Mocha', views: 8 }),
    )
    expect(saved).toEqual({ title: 'Mocha', views: 8 })
    const compared = await service.request(compareContentVersion<Magazine, 'articles', Article>(made.id))
    expect(compared).toMatchObject({
      outdated: false,
      current: { title: 'Mocha' },
      main: { id: 2, title: 'Coffee' },
    })
    const { mainHash } = compared
    expect(await service.request(promoteContentVersion(made.id, mainHash, ['title'] as never))).toBe(2)
    expect(await service.request(readItem('articles', 2, { fields: ['title', 'views'] }))).toEqual({
      title: 'Mocha',
      views: 5,
    })
    const late = service.request(promoteContentVersion(made.id, mainHash))
    await expect(late).rejects.toMatchObject({ errors: [{ extensions: { code: 'VERSION_HASH_MISMATCH' } }] })
  })

  it('lists, reads and deletes versions', async () => {
    const filter = { collection: { _eq: 'articles' }, item: { _eq: '1' } } as const
    const listed = await service.request(readContentVersions({ filter, fields: ['id', 'key', 'name'] }))
    expect(listed).toEqual([{ id: version, key: 'draft', name: 'Draft' }])
    expect(await service.request(readContentVersion(version, { fields: ['key', 'item'] }))).toEqual({
      key: 'draft',
      item: '1',
    })
    const of = { collection: 'articles', item: '2' }
    const made = await service.request(
      createContentVersions(
        [
          { ...of, key: 'b' },
          { ...of, key: 'a' },
        ],
        { fields: ['id', 'key'] },
      ),
    )
    expect(made.map(({ key }) => key)).toEqual(['b', 'a'])
    await service.request(deleteContentVersions(made.map(({ id }) => id)))
    await service.request(deleteContentVersion(version))
    expect(await service.request(readContentVersions())).toEqual([])
  })
})
