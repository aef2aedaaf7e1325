// The tables in which well-known libraries keep relations of many to many, as they create them.
import { describe, expect, it } from 'vitest'
import { createEngine, getItem, listItems } from '../../src/index.ts'
import { introspectSchema } from '../../src/introspect.ts'
import { databases } from '../support/databases.ts'
import { run } from './samples/sample.ts'

interface Case {
  readonly title: string
  readonly statements: readonly string[]
  /** The table between, with the columns that lead to both ends. */
  readonly junction: readonly [table: string, post: string, tag: string]
  readonly key: readonly string[]
  readonly remarks?: readonly string[]
  /** True if its rows say more than what they join, so that they are a list of their own, too. */
  readonly saysMore?: true
}

const cases: readonly Case[] = [
  {
    title: 'Prisma: two columns without names of their own, and a unique index',
    statements: [
      'create table "_PostToTag" ("A" integer not null references posts on delete cascade, "B" integer not null references tags on delete cascade)',
      'create unique index "_PostToTag_AB_unique" on "_PostToTag" ("A", "B")',
      'create index "_PostToTag_B_index" on "_PostToTag" ("B")',
    ],
    junction: ['_PostToTag', 'A', 'B'],
    key: ['A', 'B'],
    remarks: ['NAME_CHANGED _PostToTag', 'KEY_GUESSED _PostToTag'],
  },
  {
    title: 'Rails, has_and_belongs_to_many: two columns and nothing else',
    statements: [
      'create table posts_tags (post_id integer not null references posts, tag_id integer not null references tags)',
    ],
    junction: ['posts_tags', 'post_id', 'tag_id'],
    key: ['post_id', 'tag_id'],
    remarks: ['KEY_UNSURE posts_tags'],
  },
  {
    title: 'SQLAlchemy, a Table without a key: two columns that may be null',
    statements: [
      'create table association (post_id integer references posts (id), tag_id integer references tags (id))',
    ],
    junction: ['association', 'post_id', 'tag_id'],
    key: ['post_id', 'tag_id'],
    remarks: ['KEY_UNSURE association'],
  },
  {
    title: 'Doctrine, TypeORM, EF Core: both are the primary key',
    statements: [
      'create table post_tags_tag ("postId" integer not null references posts, "tagId" integer not null references tags, primary key ("postId", "tagId"))',
    ],
    junction: ['post_tags_tag', 'postId', 'tagId'],
    key: ['postId', 'tagId'],
  },
  {
    title: 'Sequelize: both are the primary key, with the times of its creation and change',
    statements: [
      `create table "PostTags" ("createdAt" timestamp not null default '2024-01-01 00:00:00', "updatedAt" timestamp not null default '2024-01-01 00:00:00',
        "PostId" integer not null references posts, "TagId" integer not null references tags, primary key ("PostId", "TagId"))`,
    ],
    junction: ['PostTags', 'PostId', 'TagId'],
    key: ['PostId', 'TagId'],
    saysMore: true,
  },
  {
    title: 'Django: a key of its own, and both are unique together',
    statements: [
      'create table blog_post_tags (id integer primary key, post_id integer not null references posts, tag_id integer not null references tags)',
      'create unique index blog_post_tags_uniq on blog_post_tags (post_id, tag_id)',
    ],
    junction: ['blog_post_tags', 'post_id', 'tag_id'],
    key: ['id'],
  },
]

describe.each(databases)('many to many on $name', ({ open }) => {
  it.each(cases)(
    '$title',
    async ({ statements, junction: [table, post, tag], key, remarks = [], saysMore }) => {
      const { db, close } = await open()
      await run(
        db,
        'create table posts (id integer primary key, title varchar(9))',
        'create table tags (id integer primary key, word varchar(9))',
        ...statements,
        "insert into posts values (1, 'Tea'), (2, 'Looms'), (3, 'Bread')",
        "insert into tags values (4, 'hot'), (5, 'dry')",
      )
      const names = [...(key.length === 1 ? key : []), post, tag].map((name) => `"${name}"`).join(', ')
      const rows = [
        [1, 4],
        [1, 5],
        [2, 5],
      ].map((row, at) => `(${key.length === 1 ? `${at + 1}, ` : ''}${row.join(', ')})`)
      await run(db, `insert into "${table}" (${names}) values ${rows.join(', ')}`)
      const schema = await introspectSchema(db)
      expect(
        schema.report
          .filter(({ code }) => code !== 'TYPE_GUESSED')
          .map(({ code, table: at }) => `${code} ${at}`),
      ).toEqual(remarks)
      const name = table.replace(/^_/, '')
      const { fields, key: composite } = schema.definition[name] ?? { fields: {} }
      expect(composite ?? Object.keys(fields).filter((one) => 'key' in (fields[one] ?? {}))).toEqual(key)
      expect(Object.keys(schema.definition.posts?.fields ?? {})).toEqual([
        'id',
        'title',
        ...(saysMore ? [name] : []),
        'tags',
      ])

      const engine = createEngine({ db, schema })
      const query = {
        fields: ['title', `tags.${tag}.word`],
        filter: { tags: { [tag]: { word: 'dry' } } },
        sort: ['id'],
      }
      expect((await listItems(engine, 'posts', query)).data).toEqual([
        { title: 'Tea', tags: [{ [tag]: { word: 'hot' } }, { [tag]: { word: 'dry' } }] },
        { title: 'Looms', tags: [{ [tag]: { word: 'dry' } }] },
      ])
      expect(await listItems(engine, 'tags', { fields: ['word', 'count(posts)'], sort: ['id'] })).toEqual({
        data: [
          { word: 'hot', posts_count: 1 },
          { word: 'dry', posts_count: 2 },
        ],
      })
      const own = key.length === 1 ? 2 : [1, 5]
      expect(await getItem(engine, name, own, { fields: [post, `${tag}.word`] })).toEqual({
        [post]: 1,
        [tag]: { word: 'dry' },
      })
      await close()
    },
  )
})
