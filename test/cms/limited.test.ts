// What the limited user of the fixture sees: what the rows of permissions say, worked out by hand.
import { beforeAll, describe, expect, it } from 'vitest'
import {
  addPolicy,
  type CmsWorld,
  editor,
  editorsPolicy,
  editorsRole,
  forbid,
  openCms,
  permit,
} from './cms-server.ts'
import { cmsDatabases } from './databases.ts'

const ids = (...keys: readonly number[]) => ({ status: 200, body: { data: keys.map((id) => ({ id })) } })
const fault = (status: number, code: string) => ({
  status,
  body: { errors: [expect.objectContaining({ extensions: expect.objectContaining({ code }) })] },
})

describe.each(cmsDatabases)('on $name', (database) => {
  describe('as the fixture has it', () => {
    let world: CmsWorld
    beforeAll(async () => {
      world = await openCms(database)
    })

    it('nothing is remarked about sound permissions', () => expect(world.access.report()).toEqual([]))

    it.each(['articles', 'authors', 'tags', 'vals'])('all of %s is seen', async (collection) => {
      const own = await world.ask('user-token', `GET /items/${collection}?fields=id`)
      const all = await world.ask('admin-token', `GET /items/${collection}?fields=id`)
      expect(own).toEqual(all)
    })

    it.each([
      'comments',
      'countries',
      'articles_tags',
      'pages',
      'site',
      'directus_users',
      'directus_permissions',
    ])('%s is not there', async (collection) => {
      expect(await world.ask('user-token', `GET /items/${collection}`)).toEqual(fault(404, 'NOT_FOUND'))
    })

    it('relations into what is not there are not there', async () => {
      const { body } = await world.ask('user-token', 'GET /items/articles/1')
      const [{ data }, names] = [body as { data: object }, Object.keys((body as { data: object }).data)]
      expect(data).toMatchObject({ id: 1, author: 1, children: [2, 3] })
      for (const name of ['comments', 'tags', 'blocks']) expect(names).not.toContain(name)
      expect(await world.ask('user-token', 'GET /items/articles?fields=comments.text')).toEqual(
        fault(403, 'FORBIDDEN'),
      )
      expect(await world.ask('user-token', 'GET /items/articles/1?fields=author.country')).toEqual({
        status: 200,
        body: { data: { author: { country: 'no' } } },
      })
    })

    it.each(['POST', 'PATCH', 'DELETE'])('%s is forbidden', async (method) => {
      const path = method === 'POST' ? '/items/tags' : '/items/tags/1'
      expect(
        await world.ask('user-token', `${method} ${path}`, method === 'DELETE' ? undefined : { name: 'x' }),
      ).toEqual(fault(403, 'FORBIDDEN'))
    })

    it('the administrator may do everything, and is known by name', async () => {
      expect(await world.access.authenticate('admin-token')).toEqual({
        user: '2516410d-70a0-45ff-83e6-195da0962478',
        role: '2cf6acc9-616f-4429-af07-b3867c37e4ec',
        roles: ['2cf6acc9-616f-4429-af07-b3867c37e4ec'],
        policies: ['86d13f78-d118-4cf4-acfa-89bed449980c'],
        admin: true,
      })
    })

    it('the limited user is known by role and policies', async () => {
      const rule = [{ fields: ['*'] }]
      expect(await world.access.authenticate('user-token')).toEqual({
        user: editor,
        role: editorsRole,
        roles: [editorsRole],
        policies: [editorsPolicy],
        rules: {
          articles: { read: rule },
          authors: { read: rule },
          tags: { read: rule },
          vals: { read: rule },
        },
      })
    })

    it.each([null, ''])('without a token (%j) nothing is seen that nobody may see', async (token) => {
      if (token === '') expect(await world.access.authenticate('')).toBeNull()
      else expect(await world.ask(null, 'GET /items/articles')).toEqual(fault(404, 'NOT_FOUND'))
    })

    it.each(['nobody-token', 'admin-toke', 'ADMIN-TOKEN', 'admin-token '])(
      'the token %j is nobody’s',
      async (token) => {
        expect(await world.access.authenticate(token)).toBeNull()
      },
    )

    it('a user is found by their key, too', async () => {
      expect(await world.access.accessOf(editor)).toEqual(await world.access.authenticate('user-token'))
      for (const key of [null, '', 'x', "' or 1=1", '00000000-0000-4000-8000-00000000c999'])
        expect(await world.access.accessOf(key)).toBeNull()
    })
  })

  describe('with rules for rows and fields', () => {
    let world: CmsWorld
    beforeAll(async () => {
      world = await openCms(database, async (db) => {
        await forbid(db, 'articles')
        await permit(db, {
          collection: 'articles',
          fields: 'id,title,status,author',
          permissions: { _and: [{ status: { _eq: 'published' } }] },
        })
        const more = await addPolicy(db, { user: editor })
        await permit(db, {
          policy: more,
          collection: 'articles',
          fields: 'id,views',
          permissions: { _and: [{ views: { _gt: 10 } }] },
        })
        await permit(db, {
          collection: 'comments',
          fields: 'id,text,article',
          permissions: { _and: [{ article: { status: { _eq: 'published' } } }, { likes: { _gte: 3 } }] },
        })
      })
    })

    it('of several permissions any may show an item, with its own fields', async () => {
      expect(await world.ask('user-token', 'GET /items/articles?fields=id,title,views,author')).toEqual({
        status: 200,
        body: {
          data: [
            { id: 1, title: 'Hello World', views: 100, author: 1 },
            { id: 3, title: 'Ångström Ünïcode', views: null, author: 2 },
            { id: 5, title: 'Foo Bar', views: 42, author: 4 },
            { id: 6, title: null, views: 42, author: null },
          ],
        },
      })
    })

    it('what is hidden is not found by looking for it', async () => {
      expect(await world.ask('user-token', 'GET /items/articles?fields=id&filter[title]=42')).toEqual(ids())
      expect(await world.ask('user-token', 'GET /items/articles?fields=id&filter[slug]=foo-bar')).toEqual(
        fault(403, 'FORBIDDEN'),
      )
      expect(await world.ask('user-token', 'GET /items/articles/2')).toEqual(fault(404, 'NOT_FOUND'))
    })

    it('a permission may look at what its owner does not see', async () => {
      expect(await world.ask('user-token', 'GET /items/comments?fields=id')).toEqual(ids(1, 5))
      expect(await world.ask('user-token', 'GET /items/comments?aggregate[count]=*')).toEqual({
        status: 200,
        body: { data: [{ count: 2 }] },
      })
    })
  })
})
