// Databases with rows that lead nowhere: each is reported, nothing fails, and no caller gains rights by it.
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { listItems } from '../../src/index.ts'
import { fuzzSeed } from '../property/seeded-random.ts'
import { insert, type TestDatabase } from '../support/databases.ts'
import { fourthOf } from '../support/long-runs.ts'
import { titled } from '../support/titled.ts'
import {
  addPolicy,
  type CmsWorld,
  type Db,
  editor,
  editorsPolicy,
  editorsRole,
  forbid,
  openCms,
  type PermissionRow,
  permit,
} from './cms-server.ts'
import { cmsDatabases } from './databases.ts'

const remarks = (list: CmsWorld['schema']['report']) =>
  list.map(({ message, ...place }) => [Object.values(place).join('.'), message])

interface SchemaCase {
  readonly title: string
  readonly change: (db: Db) => Promise<unknown>
  readonly report: readonly (readonly [place: string, message: string | RegExp])[]
  /** Fields that are left, by collection. */
  readonly types?: Readonly<Record<string, string | undefined>>
}

const field = (db: Db, collection: string, name: string, options: object = {}) =>
  db
    .insertInto('directus_fields')
    .values({ collection, field: name, ...options })
    .execute()
const relation = (db: Db, row: Readonly<Record<string, unknown>>) =>
  db
    .insertInto('directus_relations')
    .values({ one_deselect_action: 'nullify', ...row })
    .execute()

const schemaCases: readonly SchemaCase[] = titled({
  'a collection without a table is told of once, with its fields': {
    change: async (db) => {
      await db.insertInto('directus_collections').values({ collection: 'gone' }).execute()
      await field(db, 'gone', 'title')
    },
    report: [
      ['gone', 'It has no table: it is a folder, or its table is gone.'],
      ['gone.title', 'Its collection is not here.'],
    ],
    types: { 'gone.title': undefined },
  },
  'a field without a column is told of, and one that is only for forms is not': {
    change: async (db) => {
      await field(db, 'tags', 'lost')
      await field(db, 'tags', 'line', { special: 'alias,no-data', interface: 'presentation-divider' })
    },
    report: [['tags.lost', 'It has neither a column nor a relation.']],
    types: { 'tags.lost': undefined, 'tags.line': undefined },
  },
  'a relation to a collection that is gone leaves the key': {
    change: async (db) => {
      await db.deleteFrom('directus_relations').where('many_field', '=', 'owner').execute()
      await relation(db, {
        many_collection: 'pages',
        many_field: 'owner',
        one_collection: 'gone',
        one_field: 'pages',
      })
    },
    report: [
      ['pages.owner', 'It points to "gone", which is no collection here; only the key is left of it.'],
    ],
    types: { 'pages.owner': 'integer', 'block_hero.owner': 'm2o' },
  },
  'a list of what is gone is left out': {
    change: (db) =>
      relation(db, {
        many_collection: 'gone',
        many_field: 'tag',
        one_collection: 'tags',
        one_field: 'things',
      }),
    report: [['tags.things', 'It leads to "gone", which is no collection here.']],
    types: { 'tags.things': undefined },
  },
  'a list over a column that is gone is left out': {
    change: (db) =>
      relation(db, {
        many_collection: 'comments',
        many_field: 'gone',
        one_collection: 'tags',
        one_field: 'talk',
      }),
    report: [['tags.talk', 'It needs "comments.gone" to point to "tags", which it does not.']],
    types: { 'tags.talk': undefined },
  },
  'a relation called like a column leaves the column alone': {
    change: (db) =>
      db
        .updateTable('directus_relations')
        .set({ one_field: 'name' })
        .where('many_collection', '=', 'authors')
        .execute(),
    report: [
      ['countries.name', 'A column has the name of this relation, and keeps it.'],
      ['countries.authors', 'It has neither a column nor a relation.'],
    ],
    types: { 'countries.name': 'string' },
  },
  'a reference to any collection keeps those that are here': {
    change: (db) =>
      db
        .updateTable('directus_relations')
        .set({ one_allowed_collections: 'block_hero,gone' })
        .where('many_field', '=', 'item')
        .execute(),
    report: [['articles_blocks.item', 'It may point to "gone", which is no collection here.']],
    types: { 'articles_blocks.item': 'any' },
  },
  'a sort field that is gone is left out': {
    change: (db) =>
      db
        .updateTable('directus_collections')
        .set({ sort_field: 'gone' })
        .where('collection', '=', 'ranked')
        .execute(),
    report: [['ranked', 'There is no field "gone" to sort it by.']],
    types: { 'ranked.rank': 'integer' },
  },
  'a collection that is not active is left out, and what leads to it keeps its keys': {
    change: (db) =>
      db
        .updateTable('directus_collections')
        .set({ status: 'inactive' })
        .where('collection', '=', 'countries')
        .execute(),
    report: [
      ['countries', 'It is not active, so it is left out.'],
      ['authors.country', /^It points to "countries", which is no collection here/],
    ],
    types: { 'authors.country': 'string', 'countries.code': undefined },
  },
  'a name that queries use for themselves is no field': {
    change: (db) => db.schema.alterTable('tags').addColumn('_odd', 'integer').execute(),
    report: [['tags._odd', /its name begins with/]],
    types: { 'tags._odd': undefined, 'tags.name': 'string' },
  },
  'a column called like the prototype of objects is no field': {
    change: (db) => db.schema.alterTable('tags').addColumn('__proto__', 'integer').execute(),
    report: [['tags.__proto__', /its name/]],
    types: { 'tags.name': 'string' },
  },
  'a table without a key, and one with a key of several columns, are left out': {
    change: async (db) => {
      await db.schema.createTable('keyless').addColumn('a', 'integer').execute()
      await db.schema
        .createTable('paired')
        .addColumn('a', 'integer')
        .addColumn('b', 'integer')
        .addPrimaryKeyConstraint('paired_key', ['a', 'b'])
        .execute()
    },
    report: [
      ['keyless', 'Its table has no primary key, so it is left out.'],
      ['paired', 'Its primary key has several columns, so it is left out.'],
    ],
  },
  'a validation that is not understood keeps its field from being written': {
    change: (db) =>
      db
        .updateTable('directus_fields')
        .set({ validation: JSON.stringify({ _and: [{ title: { _submitted: true } }] }) })
        .where('collection', '=', 'articles')
        .where('field', '=', 'title')
        .execute(),
    report: [
      [
        'articles.title',
        'Its validation cannot be kept, so it cannot be written here. There is no operator "_submitted" here.',
      ],
    ],
  },
  'and so does one that names a field that is gone': {
    change: (db) =>
      db
        .updateTable('directus_fields')
        .set({ validation: JSON.stringify({ gone: { _eq: 1 } }) })
        .where('collection', '=', 'articles')
        .where('field', '=', 'title')
        .execute(),
    report: [['articles.title', /^Its validation cannot be kept, so it cannot be written here\. .*"gone"/]],
  },
  'what the service alone can fill in is not written': {
    change: (db) =>
      db
        .updateTable('directus_fields')
        .set({ special: 'role-created' })
        .where('collection', '=', 'articles')
        .where('field', '=', 'slug')
        .execute(),
    report: [['articles.slug', 'The role of who creates an item is not filled in.']],
  },
})

describe.each(cmsDatabases)(`on $name (QUERNEL_SEED=${fuzzSeed})`, (database) => {
  // What is read of the tables is the same on both, and a copy of them takes its time.
  const some = <Case>(cases: readonly Case[]) =>
    database.name === 'sqlite' ? cases : fourthOf(cases, fuzzSeed)

  describe('a schema', () => {
    it.each(some(schemaCases).map((one) => [one.title, one] as const))(
      '%s',
      async (_, { change, report, types = {} }) => {
        const world = await openCms(database, async (db) => void (await change(db)))
        expect(remarks(world.schema.report)).toEqual(
          report.map(([place, message]) => [
            place,
            typeof message === 'string' ? message : expect.stringMatching(message),
          ]),
        )
        for (const [place, type] of Object.entries(types)) {
          const [collection = '', name = ''] = place.split('.')
          expect(world.schema.definition[collection]?.fields[name]?.type).toBe(type)
        }
        for (const collection of world.schema.collections.keys())
          await expect(listItems(world.engine, collection, { fields: ['*', '*.*'] })).resolves.toBeDefined()
      },
    )
  })

  describe('a permission that cannot be kept allows nothing', () => {
    it.each<readonly [title: string, row: PermissionRow, message: RegExp]>([
      ['an unknown collection', { collection: 'gone' }, /no collection "gone"/],
      ['an unknown field', { collection: 'pages', fields: 'id,gone' }, /no field "gone"/],
      [
        'an unknown field in its filter',
        { collection: 'pages', permissions: { gone: { _eq: 1 } } },
        /no field "gone"/,
      ],
      [
        'an unknown operator',
        { collection: 'pages', permissions: { title: { _like: 'x' } } },
        /no operator "_like"/,
      ],
      [
        'an operator that its field does not take',
        { collection: 'pages', permissions: { id: { _contains: 1 } } },
        /_contains/,
      ],
      [
        'a value that its field cannot hold',
        { collection: 'pages', permissions: { id: { _eq: 'x' } } },
        /takes a whole number/,
      ],
      [
        'a pattern in a filter of rows',
        { collection: 'pages', permissions: { title: { _regex: 'x' } } },
        /_regex/,
      ],
      ['an empty branch', { collection: 'pages', permissions: { _or: [{ id: 1 }, {}] } }, /no condition/],
      ['JSON that is text', { collection: 'pages', permissions: '"{"' }, /A filter is an object/],
      ['JSON that is no object', { collection: 'pages', permissions: '[1]' }, /A filter is an object/],
      [
        'a distance in time that makes no sense',
        { collection: 'comments', permissions: { created: { _gt: '$NOW(banana)' } } },
        /\$NOW/,
      ],
      [
        'a validation of an unknown field',
        { collection: 'pages', action: 'create', validation: { gone: { _eq: 1 } } },
        /no field "gone"/,
      ],
      [
        'a preset of an unknown field',
        { collection: 'pages', action: 'create', presets: { gone: 1 } },
        /no field "gone"/,
      ],
      [
        'presets that are no object',
        { collection: 'pages', action: 'update', presets: '[1]' },
        /Presets are an object/,
      ],
    ])('%s', async (_, row, message) => {
      const { collection, action = 'read' } = row
      const world = await openCms(database, (db) => permit(db, row))
      expect(world.access.report()).toEqual([
        {
          permission: expect.any(String),
          policy: editorsPolicy,
          collection,
          message: expect.stringMatching(message),
        },
      ])
      const access = await world.access.authenticate('user-token')
      expect(Object(access?.rules)[collection]).toEqual(
        collection === 'gone' ? undefined : { [action]: [{ refused: expect.stringMatching(message) }] },
      )
      const line = { read: 'GET', create: 'POST', update: 'PATCH' }[action] ?? ''
      const { status } = await world.ask(
        'user-token',
        `${line} /items/${collection}${line === 'PATCH' ? '/1' : ''}`,
        line === 'GET' ? undefined : { title: 'x' },
      )
      expect([403, 404]).toContain(status)
    })

    it('and the others of the same policy are kept', async () => {
      const world = await openCms(database, async (db) => {
        await permit(db, { collection: 'articles', permissions: { gone: 1 } })
        await permit(db, { collection: 'pages', fields: 'id,title' })
      })
      expect((await world.ask('user-token', 'GET /items/pages')).body).toEqual({
        data: [
          { id: 1, title: 'Home' },
          { id: 2, title: 'About' },
        ],
      })
      expect((await world.ask('user-token', 'GET /items/articles?fields=id')).status).toBe(200)
    })

    it('a field that is only for forms may be named', async () => {
      const world = await openCms(database, async (db) => {
        await field(db, 'tags', 'line', { special: 'alias,no-data' })
        await forbid(db, 'tags')
        await permit(db, { collection: 'tags', fields: 'id,line' })
      })
      expect(world.access.report()).toEqual([])
      expect((await world.ask('user-token', 'GET /items/tags/1')).body).toEqual({ data: { id: 1 } })
    })
  })

  describe('roles', () => {
    const circle = async (db: Db) => {
      const other = '00000000-0000-4000-8000-00000000a002'
      await insert(db, 'directus_roles', { id: other, name: 'Others', parent: editorsRole })
      await db.updateTable('directus_roles').set({ parent: other }).where('id', '=', editorsRole).execute()
    }

    it('parents in a circle grant nothing, not even what the user has alone', async () => {
      const world = await openCms(database, async (db) => {
        await circle(db)
        await addPolicy(db, { user: editor }, { isAdmin: true })
      })
      expect(world.access.report().map(({ role }) => role)).toEqual(
        expect.arrayContaining([editorsRole, '00000000-0000-4000-8000-00000000a002']),
      )
      expect(await world.access.authenticate('user-token')).toEqual({
        user: editor,
        role: editorsRole,
        roles: [],
        policies: [],
        rules: {},
      })
      expect((await world.ask('user-token', 'GET /items/articles')).status).toBe(404)
    })

    it('what everybody has makes nobody an administrator', async () => {
      const world = await openCms(database, async (db) => {
        await addPolicy(db, {}, { isAdmin: true })
      })
      expect(await world.access.authenticate(null)).not.toHaveProperty('admin')
      expect((await world.ask(null, 'GET /items/articles')).status).toBe(404)
    })
  })

  if (database.name === 'sqlite') describe('what no other database holds', () => loose(database))
})

/** Broken JSON, and a token of two users. */
function loose(database: TestDatabase): void {
  it('JSON that is broken allows nothing', async () => {
    const world = await openCms(database, (db) => permit(db, { collection: 'pages', permissions: '{' }))
    expect(world.access.report()).toMatchObject([{ collection: 'pages' }])
    expect((await world.ask('user-token', 'GET /items/pages')).status).toBe(404)
  })

  it('a token of two users is of neither', async () => {
    const world = await openCms(database, async (db) => {
      const unique = await sql<{ name: string }>`select l.name from pragma_index_list('directus_users') as l
        join pragma_index_info(l.name) as i on i.name = 'token'`.execute(db)
      for (const { name } of unique.rows) await db.schema.dropIndex(name).execute()
      await db.updateTable('directus_users').set({ token: 'same' }).execute()
    })
    expect(await world.access.authenticate('same')).toBeNull()
    expect(world.access.report()).toHaveLength(1)
  })
}
