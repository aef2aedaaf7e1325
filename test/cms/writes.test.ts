// Items that are written through the schema that was read: the rows are those that the service would have stored.
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  compareVersion,
  createItem,
  createVersion,
  deleteItem,
  getItem,
  getSingleton,
  listVersions,
  promoteVersion,
  saveVersion,
  updateItem,
  updateSingleton,
} from '../../src/index.ts'
import { addPolicy, type CmsWorld, editor, openCms, permit } from './cms-server.ts'
import { cmsDatabases } from './databases.ts'

const article = {
  title: 'New',
  views: 7,
  big: '9007199254740993',
  price: '10.50',
  featured: true,
  published_on: '2024-02-29',
  published_at: '2024-02-29T08:30:00',
  created_ts: '2024-02-29T08:30:00.250Z',
  start_time: '08:30:00',
  meta_json: { a: [1, 'b'] },
  labels: ['x', 'y'],
  ref: '00000000-0000-4000-8000-00000000F001',
}

/** The columns as they are, in words that both databases have. */
const stored = {
  sqlite: {
    title: 'New',
    views: '7',
    big: '9007199254740993',
    price: '10.5',
    featured: '1',
    published_on: '1709164800000',
    published_at: '1709195400000',
    created_ts: '1709195400250',
    start_time: '08:30:00',
    meta_json: '{"a":[1,"b"]}',
    labels: 'x,y',
    ref: '00000000-0000-4000-8000-00000000f001',
  },
  postgres: {
    title: 'New',
    views: '7',
    big: '9007199254740993',
    price: '10.50',
    featured: 'true',
    published_on: '2024-02-29',
    published_at: '2024-02-29 08:30:00',
    created_ts: '2024-02-29 08:30:00.25+00',
    start_time: '08:30:00',
    meta_json: '{"a":[1,"b"]}',
    labels: 'x,y',
    ref: '00000000-0000-4000-8000-00000000f001',
  },
}

/** On a database without exact numbers, a price is what its column holds. */
const asRead = (name: keyof typeof stored) => ({
  ...article,
  price: name === 'sqlite' ? 10.5 : '10.50',
  ref: article.ref.toLowerCase(),
})

describe.each(cmsDatabases)('on $name', (database) => {
  let world: CmsWorld
  beforeAll(async () => {
    world = await openCms(database, async (db) => {
      await sql`set time zone 'UTC'`.execute(db).catch(() => {})
      await db
        .updateTable('directus_fields')
        .set({ special: 'user-created' })
        .where('collection', '=', 'things')
        .where('field', '=', 'label')
        .execute()
      await db
        .updateTable('directus_fields')
        .set({ validation: JSON.stringify({ _and: [{ name: { _regex: '/^[a-z]+$/' } }] }) })
        .where('collection', '=', 'tags')
        .where('field', '=', 'name')
        .execute()
    })
  })

  async function rowOf(table: string, key: unknown, columns: readonly string[]) {
    const texts = columns.map((name) => sql`cast(${sql.id(name)} as text) as ${sql.id(name)}`)
    const { rows } = await sql`select ${sql.join(texts)} from ${sql.id(table)} where id = ${key}`.execute(
      world.db,
    )
    return rows[0]
  }

  it('values are stored as the service stores them, and read as they were given', async () => {
    const { id } = await createItem(world.engine, 'articles', article)
    expect(await rowOf('articles', id, Object.keys(article))).toEqual(stored[database.name])
    expect(await getItem(world.engine, 'articles', Number(id))).toMatchObject(asRead(database.name))
    await updateItem(world.engine, 'articles', Number(id), { featured: false, published_on: null })
    expect(await rowOf('articles', id, ['featured', 'published_on'])).toEqual({
      featured: database.name === 'sqlite' ? '0' : 'false',
      published_on: null,
    })
    await deleteItem(world.engine, 'articles', Number(id))
    expect(await rowOf('articles', id, ['id'])).toBeUndefined()
  })

  it('nested items go through relations of every kind', async () => {
    const { id } = await createItem(world.engine, 'articles', {
      title: 'Nested',
      author: { name: 'Zoe', country: 'no' },
      comments: [{ text: 'first' }, { text: 'second' }],
      tags: [{ tags_id: { name: 'fresh' } }, { tags_id: 1 }],
      blocks: [
        { collection: 'block_hero', item: { headline: 'H' }, sort: 2 },
        { collection: 'block_text', item: { content: 'T' }, sort: 1 },
      ],
    })
    const read = await getItem(world.engine, 'articles', Number(id), {
      fields: [
        'author.name',
        'comments.text',
        'tags.tags_id.name',
        'blocks.collection',
        'blocks.item:block_hero.headline',
        'blocks.item:block_text.content',
      ],
    })
    expect(read).toEqual({
      author: { name: 'Zoe' },
      comments: [{ text: 'first' }, { text: 'second' }],
      tags: [{ tags_id: { name: 'fresh' } }, { tags_id: { name: 'news' } }],
      blocks: [
        { collection: 'block_text', item: { content: 'T' } },
        { collection: 'block_hero', item: { headline: 'H' } },
      ],
    })
    await updateItem(world.engine, 'articles', Number(id), { comments: [] })
    const { rows } = await sql`select text, article from comments where text in ('first', 'second')`.execute(
      world.db,
    )
    expect(rows).toEqual([
      { text: 'first', article: null },
      { text: 'second', article: null },
    ])
  })

  it('a singleton has its defaults until there is one', async () => {
    expect(await getSingleton(world.engine, 'site_empty')).toEqual({ id: null, name: null, motto: 'hello' })
    expect(await updateSingleton(world.engine, 'site_empty', { name: 'Mine' })).toEqual({
      id: expect.any(Number),
      name: 'Mine',
      motto: 'hello',
    })
  })

  it('a validation of the service is kept', async () => {
    const wrong = createItem(world.engine, 'tags', { name: 'UP' })
    await expect(wrong).rejects.toMatchObject({
      code: 'FAILED_VALIDATION',
      extensions: { field: 'name', type: 'regex' },
    })
  })

  it('what the service fills in is filled in, and taken from nobody', async () => {
    const mine = world.engine.as({ admin: true, user: editor })
    const made = await createItem(mine, 'things', { qty: 1 })
    expect(made).toEqual({ id: expect.stringMatching(/^[0-9a-f]{8}-/), label: editor, qty: 1 })
    const forged = await createItem(mine, 'things', { label: 'somebody else' })
    expect(forged).toMatchObject({ label: editor })
  })

  it('who may sign in, and how, is not written here', async () => {
    for (const given of [{ password: 'x' }, { tfa_secret: 'x' }, { provider: 'x' }])
      await expect(updateItem(world.engine, 'directus_users', editor, given)).rejects.toMatchObject({
        code: 'INVALID_PAYLOAD',
      })
  })

  describe('versions', () => {
    const key = 'draft'

    it('are read as the service saved them, without its notes', async () => {
      const [draft, empty] = await listVersions(world.engine, 'pages', 1)
      expect(draft).toMatchObject({
        key,
        delta: {
          title: 'Home (draft)',
          owner: 2,
          sections: {
            create: [{ heading: 'New section', sort: 3 }],
            update: [{ id: 1, heading: 'S1 draft' }],
            delete: [2],
          },
        },
      })
      expect(JSON.stringify(draft?.delta)).not.toMatch(/"_/)
      expect(empty).toMatchObject({ key: 'empty', delta: null })
      const { body } = await world.ask('admin-token', 'GET /versions?fields=key,delta&filter[key]=draft')
      expect(body).toEqual({ data: [{ key, delta: draft?.delta }] })
    })

    it('show the item as it would become', async () => {
      const query = { version: key, fields: ['title', 'owner.name', 'sections.id', 'sections.heading'] }
      expect(await getItem(world.engine, 'pages', 1, query)).toEqual({
        title: 'Home (draft)',
        owner: { name: 'Bob' },
        sections: [
          { id: 1, heading: 'S1 draft' },
          { id: null, heading: 'New section' },
        ],
      })
    })

    it('are made, saved and promoted in the table of the service', async () => {
      const own = world.engine.as({ admin: true, user: editor })
      await createVersion(own, 'pages', 2, { key: 'mine' })
      await saveVersion(own, 'pages', 2, 'mine', { title: 'About us' })
      const { rows } =
        await sql`select "key", collection, item, user_created from directus_versions where "key" = 'mine'`.execute(
          world.db,
        )
      expect(rows).toEqual([{ key: 'mine', collection: 'pages', item: '2', user_created: editor }])
      const { mainHash } = await compareVersion(own, 'pages', 2, 'mine')
      expect(await promoteVersion(own, 'pages', 2, 'mine', { mainHash })).toMatchObject({ title: 'About us' })
    })

    it('of the service are promoted once they were compared', async () => {
      const { outdated, mainHash } = await compareVersion(world.engine, 'pages', 1, key)
      // The service knows an item by another sum than we do.
      expect(outdated).toBe(true)
      await promoteVersion(world.engine, 'pages', 1, key, { mainHash })
      expect(
        await getItem(world.engine, 'pages', 1, { fields: ['title', 'owner', 'sections.heading'] }),
      ).toEqual({
        title: 'Home (draft)',
        owner: 2,
        sections: [{ heading: 'S1 draft' }, { heading: 'New section' }],
      })
    })
  })
})

describe.each(cmsDatabases)('permissions to write on $name', (database) => {
  let world: CmsWorld
  beforeAll(async () => {
    world = await openCms(database, async (db) => {
      const more = await addPolicy(db, { user: editor })
      await permit(db, {
        collection: 'articles',
        action: 'create',
        fields: 'title,body',
        validation: { title: { _starts_with: 'Re' } },
        presets: { status: 'draft', slug: 'a' },
      })
      await permit(db, {
        policy: more,
        collection: 'articles',
        action: 'create',
        fields: '*',
        validation: { views: { _lt: 100 } },
        presets: { slug: 'b' },
      })
      await permit(db, {
        collection: 'articles',
        action: 'update',
        fields: 'title',
        permissions: { author: { _eq: 2 } },
      })
      await permit(db, {
        collection: 'articles',
        action: 'delete',
        fields: null,
        permissions: { views: { _null: true } },
      })
    })
  })

  const create = (body: object) =>
    world.ask('user-token', 'POST /items/articles?fields=title,status,slug', body)

  it('what is created passes the validations of all, and gets the presets of all', async () => {
    expect(await create({ title: 'Reply', views: 5 })).toEqual({
      status: 200,
      body: { data: { title: 'Reply', status: 'draft', slug: 'b' } },
    })
    expect((await create({ title: 'Other', views: 5 })).status).toBe(400)
    expect((await create({ title: 'Reply', views: 500 })).status).toBe(400)
    // Nothing is no number below another.
    expect((await create({ title: 'Reply', slug: 'mine' })).status).toBe(400)
    expect((await create({ title: 'Reply', slug: 'mine', views: 5 })).body).toEqual({
      data: { title: 'Reply', status: 'draft', slug: 'mine' },
    })
  })

  it('only the rows and the fields that are meant are updated', async () => {
    expect((await world.ask('user-token', 'PATCH /items/articles/3', { title: 'x' })).status).toBe(200)
    expect((await world.ask('user-token', 'PATCH /items/articles/3', { body: 'x' })).status).toBe(403)
    expect((await world.ask('user-token', 'PATCH /items/articles/1', { title: 'x' })).status).toBe(403)
  })

  it('only the rows that are meant are deleted', async () => {
    expect((await world.ask('user-token', 'DELETE /items/articles/1')).status).toBe(403)
    expect((await world.ask('user-token', 'DELETE /items/articles/3')).status).toBe(204)
  })
})
