// What is read of the collections, fields and relations that the service describes.
import { beforeAll, describe, expect, it } from 'vitest'
import { createEngine, getItem, listItems, listItemsJson } from '../../src/index.ts'
import { type CmsSchema, readCmsSchema } from '../../src/introspect.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { cmsDatabases } from './databases.ts'

describe.each(cmsDatabases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  let schema: CmsSchema
  beforeAll(async () => {
    opened = await open()
    schema = await readCmsSchema(opened.db)
  })

  const field = (collection: string, of: string) => schema.definition[collection]?.fields[of]
  const typeOf = (collection: string, of: string) => field(collection, of)?.type

  it('nothing of a sound database is left out', () => {
    expect(schema.report).toEqual([])
  })

  it('a collection is a singleton, has versions or an order where the service says so', () => {
    const said = Object.entries(schema.definition).flatMap(
      ([collection, { singleton, versioned, sortField }]) =>
        collection.startsWith('directus_') || !(singleton || versioned || sortField)
          ? []
          : [[collection, { singleton, versioned, sortField }]],
    )
    expect(Object.fromEntries(said)).toEqual({
      site: { singleton: true },
      site_empty: { singleton: true },
      pages: { versioned: true },
      ranked: { sortField: 'rank' },
    })
  })

  it.each([
    ['articles', 'id', 'integer'],
    ['articles', 'title', 'string'],
    ['articles', 'body', 'text'],
    ['articles', 'big', 'bigInteger'],
    ['articles', 'score', 'float'],
    ['articles', 'featured', 'boolean'],
    ['articles', 'published_on', 'date'],
    ['articles', 'published_at', 'dateTime'],
    ['articles', 'created_ts', 'timestamp'],
    ['articles', 'start_time', 'time'],
    ['articles', 'meta_json', 'json'],
    ['articles', 'labels', 'csv'],
    ['articles', 'ref', 'uuid'],
    ['vals', 'h', 'hash'],
    ['block_text', 'id', 'uuid'],
    ['directus_users', 'id', 'uuid'],
    ['directus_users', 'password', 'hash'],
    ['directus_versions', 'date_created', 'timestamp'],
  ])('the type of %s.%s is %s', (collection, of, type) => {
    expect(typeOf(collection, of)).toBe(type)
  })

  it('a shape is told by the column where the database has no type for it', () => {
    const types = ['pt', 'area', 'anyg'].map((of) => typeOf('places', of))
    const shapes = ['geometry.Point', 'geometry.Polygon', 'geometry']
    // The other is a PostgreSQL without PostGIS, where there is nothing but text.
    expect(types).toEqual(name === 'sqlite' ? shapes : ['text', 'text', 'text'])
  })

  it('a moment is stored as the service stores it on each database', () => {
    const storage = name === 'sqlite' ? { storage: 'milliseconds' } : {}
    expect(field('articles', 'published_on')).toEqual({ type: 'date', nullable: true, ...storage })
    expect(field('articles', 'published_at')).toEqual({ type: 'dateTime', nullable: true, ...storage })
    expect(field('articles', 'created_ts')).toEqual({ type: 'timestamp', nullable: true, ...storage })
  })

  it.each([
    ['articles', 'author', { type: 'm2o', to: 'authors', nullable: true }],
    ['authors', 'articles', { type: 'o2m', from: 'articles.author', deselect: 'nullify' }],
    [
      'articles',
      'tags',
      { type: 'm2m', through: 'articles_tags.articles_id', to: 'tags_id', deselect: 'nullify' },
    ],
    [
      'articles',
      'blocks',
      {
        type: 'm2a',
        through: 'articles_blocks.articles_id',
        to: 'item',
        sort: 'sort',
        deselect: 'nullify',
      },
    ],
    [
      'articles_blocks',
      'item',
      { type: 'any', to: ['block_hero', 'block_text'], by: 'collection', nullable: true },
    ],
    ['directus_users', 'role', { type: 'm2o', to: 'directus_roles', nullable: true }],
    ['directus_roles', 'users', { type: 'o2m', from: 'directus_users.role', deselect: 'nullify' }],
  ])('%s.%s leads where the service says', (collection, of, expected) => {
    expect(field(collection, of)).toEqual(expected)
  })

  it('a default is the value that a new item gets', () => {
    expect(field('site', 'motto')).toMatchObject({ default: 'hello' })
    expect(field('directus_users', 'status')).toMatchObject({ default: 'active' })
    expect(field('directus_policies', 'admin_access')).toMatchObject({ default: false })
    expect(field('directus_users', 'email_notifications')).toMatchObject({ default: true })
  })

  it('secrets of the service show their mask and nothing else', async () => {
    const engine = createEngine({ db: opened.db, schema, ...schema.options })
    const { data } = await listItems(engine, 'directus_users', {
      fields: ['email', 'password', 'token', 'tfa_secret', 'auth_data'],
      sort: ['email'],
    })
    expect(data).toEqual([
      {
        email: 'admin@example.com',
        password: '**********',
        token: '**********',
        tfa_secret: null,
        auth_data: null,
      },
      {
        email: 'ed@example.com',
        password: '**********',
        token: '**********',
        tfa_secret: null,
        auth_data: null,
      },
    ])
    const byToken = listItems(engine, 'directus_users', { filter: { token: { _starts_with: 'admin' } } })
    await expect(byToken).rejects.toMatchObject({ code: 'INVALID_QUERY' })
    const secrets = Object.entries(schema.definition.directus_settings?.fields ?? {})
    expect(secrets.filter(([, one]) => 'conceal' in one && one.conceal).map(([of]) => of)).toEqual([
      'mapbox_key',
      'ai_openai_api_key',
      'ai_anthropic_api_key',
      'ai_google_api_key',
      'ai_openai_compatible_api_key',
      'ai_openai_compatible_headers',
      'license_key',
      'license_token',
    ])
  })

  it('tables that only the service understands are no collections', () => {
    const names = [
      'collections',
      'fields',
      'relations',
      'sessions',
      'migrations',
      'oauth_tokens',
      'extensions',
    ]
    for (const table of names) expect(schema.collections.has(`directus_${table}`)).toBe(false)
  })

  it('a moment that the database has filled in itself is read like the others', async () => {
    const engine = createEngine({ db: opened.db, schema, ...schema.options })
    const filter = { key: { _eq: 'empty' } }
    const query = { filter, fields: ['date_updated'] }
    const expected = { data: [{ date_updated: '2026-11-21T06:56:27.000Z' }] }
    expect(await listItems(engine, 'directus_versions', query)).toEqual(expected)
    expect(JSON.parse(await listItemsJson(engine, 'directus_versions', query))).toEqual(expected)
    const version = await getItem(engine, 'directus_versions', '49bda5fc-f32b-49b3-be08-693bb83172f1', {
      fields: ['date_updated', 'user_created.email'],
    })
    expect(version).toEqual({
      date_updated: '2026-11-21T06:56:27.000Z',
      user_created: { email: 'admin@example.com' },
    })
  })

  it('what is read of one table can be read again, and is the same', async () => {
    expect((await readCmsSchema(opened.db)).definition).toEqual(schema.definition)
  })
})

describe.each(databases)('on an empty $name', ({ open }) => {
  it('the table that is missing is named', async () => {
    const { db } = await open()
    await expect(readCmsSchema(db)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: 'There is no table "directus_collections", which the service has had since its version 11.',
    })
  })
})
