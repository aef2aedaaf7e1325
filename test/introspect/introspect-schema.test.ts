// What becomes a schema, on both databases.
import { describe, expect, it } from 'vitest'
import { createEngine, createItem, listItems, type SchemaDefinition } from '../../src/index.ts'
import { type IntrospectOptions, introspectSchema } from '../../src/introspect.ts'
import { databases, type TestDatabase } from '../support/databases.ts'
import { titled } from '../support/titled.ts'
import { run } from './samples/sample.ts'

interface Case {
  readonly title: string
  readonly tables: readonly string[]
  readonly options?: IntrospectOptions
  /** By collection and field, and a key of several columns as `(key)`; what is not named is not looked at. */
  readonly expect: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** The remarks that are made, each with the beginning of its sentence. */
  readonly remarks?: readonly string[]
}

const id = { type: 'integer', key: true }
const m2o = (to: string) => ({ type: 'm2o', to, nullable: true })
const o2m = (from: string) => ({ type: 'o2m', from })

const cases: readonly Case[] = titled({
  'a foreign key keeps the name of its column, and the way back has the name of the table': {
    tables: [
      'users (id integer primary key)',
      'posts (id integer primary key, author_id integer references users)',
    ],
    expect: {
      users: { id, posts: o2m('posts.author_id') },
      posts: { id, author_id: m2o('users') },
    },
  },
  'two foreign keys to one table say by which column they come': {
    tables: [
      'users (id integer primary key)',
      'messages (id integer primary key, sender integer references users, receiver integer references users, body varchar(9))',
    ],
    expect: {
      users: {
        id,
        messages_by_sender: o2m('messages.sender'),
        messages_by_receiver: o2m('messages.receiver'),
      },
    },
    remarks: ['RELATION_NAMED users', 'RELATION_NAMED users'],
  },
  'of several relations of one name, the one whose column is called like its target keeps it': {
    tables: [
      'users (id integer primary key)',
      'tickets (id integer primary key, user_id integer references users, reviewer_id integer references users, text varchar(9))',
    ],
    expect: {
      users: { id, tickets: o2m('tickets.user_id'), tickets_by_reviewer: o2m('tickets.reviewer_id') },
    },
    remarks: ['RELATION_NAMED users'],
  },
  'a name is as short as can be told apart': {
    tables: [
      '"Users" (id integer primary key)',
      'mails (id integer primary key, sender integer references "Users", sender_id integer references "Users", "CopyId" integer references "Users")',
    ],
    expect: {
      Users: {
        id,
        mails_by_sender: o2m('mails.sender'),
        mails_by_sender_id: o2m('mails.sender_id'),
        mails_by_Copy: o2m('mails.CopyId'),
      },
    },
    remarks: ['RELATION_NAMED Users', 'RELATION_NAMED Users', 'RELATION_NAMED Users'],
  },
  'of several junctions, the one that is called like both ends keeps the plain name': {
    tables: [
      'posts (id integer primary key)',
      'tags (id integer primary key)',
      'post_tag (id integer primary key, post integer references posts, tag integer references tags)',
      'bans (id integer primary key, post integer references posts, tag integer references tags)',
    ],
    expect: {
      posts: {
        id,
        tags_through_bans: { type: 'm2m', through: 'bans.post', to: 'tag' },
        tags: { type: 'm2m', through: 'post_tag.post', to: 'tag' },
      },
      tags: {
        id,
        posts_through_bans: { type: 'm2m', through: 'bans.tag', to: 'post' },
        posts: { type: 'm2m', through: 'post_tag.tag', to: 'post' },
      },
    },
    remarks: ['RELATION_NAMED posts', 'RELATION_NAMED tags'],
  },
  'a table that leads to itself has one way in each direction': {
    tables: ['pages (id integer primary key, parent integer references pages)'],
    expect: { pages: { id, parent: m2o('pages'), pages_by_parent: o2m('pages.parent') } },
  },
  'a column has its name before any relation': {
    tables: [
      'users (id integer primary key, posts integer)',
      'posts (id integer primary key, author integer references users)',
    ],
    expect: {
      users: { id, posts: { type: 'integer', nullable: true }, posts_by_author: o2m('posts.author') },
    },
    remarks: ['RELATION_NAMED users'],
  },
  'a table that only joins two others leads from one to the other': {
    tables: [
      'posts (id integer primary key)',
      'tags (name varchar(20) primary key)',
      'posts_tags (id integer primary key, post integer not null references posts, tag varchar(20) references tags)',
    ],
    expect: {
      posts: { id, tags: { type: 'm2m', through: 'posts_tags.post', to: 'tag', deselect: 'delete' } },
      tags: {
        name: { type: 'string', key: true, length: 20 },
        posts: { type: 'm2m', through: 'posts_tags.tag', to: 'post' },
      },
      posts_tags: { id, post: { type: 'm2o', to: 'posts' }, tag: m2o('tags') },
    },
  },
  'a table that says more than what it joins is a list of its own': {
    tables: [
      'posts (id integer primary key)',
      'tags (id integer primary key)',
      'posts_tags (id integer primary key, post integer references posts, tag integer references tags, since integer)',
    ],
    expect: {
      posts: { id, posts_tags: o2m('posts_tags.post') },
      tags: { id, posts_tags: o2m('posts_tags.tag') },
    },
  },
  'whoever leads to a collection directly has the plain name before a junction': {
    tables: [
      'users (id integer primary key)',
      'posts (id integer primary key, author integer references users)',
      'likes (id integer primary key, who integer references users, what integer references posts)',
    ],
    expect: {
      users: {
        id,
        posts: o2m('posts.author'),
        posts_through_likes: { type: 'm2m', through: 'likes.who', to: 'what' },
      },
      posts: { id, author: m2o('users'), users: { type: 'm2m', through: 'likes.what', to: 'who' } },
    },
    remarks: ['RELATION_NAMED users'],
  },
  'a table that joins one to itself has a name for each direction': {
    tables: [
      'users (id integer primary key)',
      'follows (id integer primary key, who integer references users, whom integer references users)',
    ],
    expect: {
      users: {
        id,
        follows_by_who: { type: 'm2m', through: 'follows.who', to: 'whom' },
        follows_by_whom: { type: 'm2m', through: 'follows.whom', to: 'who' },
      },
    },
  },
  'a key that is that of another table leads to it': {
    tables: [
      'users (id integer primary key)',
      'profiles (user_id integer primary key references users, bio varchar(9))',
    ],
    expect: {
      profiles: {
        user_id: { type: 'm2o', to: 'users', key: true },
        bio: { type: 'string', length: 9, nullable: true },
      },
      users: { id, profiles: o2m('profiles.user_id') },
    },
  },
  'a foreign key to a table that is left out is a plain value': {
    tables: [
      'users (id integer primary key)',
      'posts (id integer primary key, author integer references users)',
    ],
    options: { exclude: 'users' },
    expect: { posts: { id, author: { type: 'integer', nullable: true } } },
    remarks: ['FOREIGN_KEY_OUTSIDE posts.author'],
  },
  'a foreign key to something else than the key is a relation to it': {
    tables: [
      'users (id integer primary key, name varchar(9) not null unique)',
      'posts (id integer primary key, author varchar(9) references users (name))',
    ],
    expect: {
      users: {
        id,
        name: { type: 'string', length: 9, unique: true },
        posts: o2m('posts.author'),
      },
      posts: { id, author: { ...m2o('users'), references: 'name' } },
    },
  },
  'a foreign key of several columns to something else than the key is a relation to them': {
    tables: [
      'towns (id integer primary key, land varchar(2), name varchar(9), unique (land, name))',
      'shops (id integer primary key, land varchar(2), town varchar(9), foreign key (land, town) references towns (land, name))',
    ],
    expect: {
      shops: {
        id,
        land: { type: 'string', length: 2, nullable: true },
        town: { type: 'string', length: 9, nullable: true },
        towns: { type: 'm2o', to: 'towns', by: ['land', 'town'], references: ['land', 'name'] },
      },
    },
  },
  'a foreign key of several columns that are stored in another form than the key is plain values': {
    tables: [
      'days (day date not null, place varchar(9) not null, primary key (day, place))',
      'shows (id integer primary key, day date, place varchar(9), foreign key (day, place) references days)',
    ],
    options: {
      override: {
        days: { fields: { day: { storage: 'text' } } },
        shows: { fields: { day: { storage: 'native' } } },
      },
    },
    expect: {
      shows: {
        id,
        day: { type: 'date', nullable: true, storage: 'native' },
        place: { type: 'string', length: 9, nullable: true },
      },
    },
    remarks: ['FOREIGN_KEY_TO_NO_KEY shows.day'],
  },
  'a column that leads to two tables leads to the first': {
    tables: [
      'a (id integer primary key)',
      'b (id integer primary key)',
      'c (id integer primary key, x integer references b references a)',
    ],
    expect: { c: { id, x: m2o('b') } },
    remarks: ['FOREIGN_KEY_TWICE c.x'],
  },
  'without a primary key, a column that is unique and never null is the key': {
    tables: ['things (name varchar(9) unique, code integer not null unique)'],
    expect: {
      things: { name: { type: 'string', nullable: true, unique: true, length: 9 }, code: id },
    },
    remarks: ['KEY_GUESSED things.code'],
  },
  'a primary key of several columns is the key, in its own order': {
    tables: ['things (a integer, b integer, c varchar(9) not null unique, primary key (b, a))'],
    expect: {
      things: {
        a: { type: 'integer' },
        b: { type: 'integer' },
        c: { type: 'string', unique: true, length: 9 },
        '(key)': ['b', 'a'],
      },
    },
  },
  'without a primary key, the fewest columns that are unique together and never null are the key': {
    tables: [
      'things (a integer not null, b integer, c integer not null, d integer not null, unique (a, b), unique (a, c, d), unique (d, c))',
    ],
    expect: {
      things: {
        a: { type: 'integer' },
        b: { type: 'integer', nullable: true },
        c: { type: 'integer' },
        d: { type: 'integer' },
        '(key)': ['d', 'c'],
      },
    },
    remarks: ['KEY_GUESSED things.d'],
  },
  'a table without a key is a collection that is read, and what leads to others leads there': {
    tables: ['users (id integer primary key)', 'visits (who integer references users, path varchar(9))'],
    expect: {
      visits: { who: m2o('users'), path: { type: 'string', length: 9, nullable: true } },
      users: { id, visits: o2m('visits.who') },
    },
    remarks: ['NO_KEY visits'],
  },
  'a foreign key of several columns is a relation beside them, whatever their order': {
    tables: [
      'orders (id integer primary key)',
      'order_lines (order_id integer references orders, line integer, primary key (order_id, line))',
      'shipments (id integer primary key, line integer not null, order_id integer not null, foreign key (line, order_id) references order_lines (line, order_id))',
    ],
    expect: {
      order_lines: {
        order_id: { type: 'm2o', to: 'orders' },
        line: { type: 'integer' },
        shipments: o2m('shipments.order_lines'),
        '(key)': ['order_id', 'line'],
      },
      shipments: {
        id,
        line: { type: 'integer' },
        order_id: { type: 'integer' },
        order_lines: { type: 'm2o', to: 'order_lines', by: ['order_id', 'line'] },
      },
      orders: { id, order_lines: o2m('order_lines.order_id') },
    },
  },
  'a relation by several columns is called like the one that only it has, where that says where it leads': {
    tables: [
      'tenants (id integer primary key)',
      'projects (tenant integer references tenants, id integer, primary key (tenant, id))',
      'tasks (tenant integer references tenants, id integer, project_id integer, parent_id integer, primary key (tenant, id), foreign key (tenant, project_id) references projects, foreign key (tenant, parent_id) references tasks)',
    ],
    expect: {
      tasks: {
        tenant: { type: 'm2o', to: 'tenants' },
        id: { type: 'integer' },
        project_id: { type: 'integer', nullable: true },
        parent_id: { type: 'integer', nullable: true },
        project: { type: 'm2o', to: 'projects', by: ['tenant', 'project_id'] },
        parent: { type: 'm2o', to: 'tasks', by: ['tenant', 'parent_id'] },
        tasks_by_parent: o2m('tasks.parent'),
        '(key)': ['tenant', 'id'],
      },
      projects: {
        tenant: { type: 'm2o', to: 'tenants' },
        id: { type: 'integer' },
        tasks: o2m('tasks.project'),
        '(key)': ['tenant', 'id'],
      },
      tenants: { id, projects: o2m('projects.tenant'), tasks: o2m('tasks.tenant') },
    },
  },
  'a table whose key is two foreign keys leads from one to the other': {
    tables: [
      'playlists (id integer primary key)',
      'tracks (id integer primary key)',
      'playlist_track (playlist integer references playlists, track integer references tracks, primary key (playlist, track))',
    ],
    expect: {
      playlists: {
        id,
        tracks: { type: 'm2m', through: 'playlist_track.playlist', to: 'track', deselect: 'delete' },
      },
      tracks: {
        id,
        playlists: { type: 'm2m', through: 'playlist_track.track', to: 'playlist', deselect: 'delete' },
      },
      playlist_track: {
        playlist: { type: 'm2o', to: 'playlists' },
        track: { type: 'm2o', to: 'tracks' },
        '(key)': ['playlist', 'track'],
      },
    },
  },
  'one that says more beside its key is a list of its own, too': {
    tables: [
      'orders (id integer primary key)',
      'products (id integer primary key)',
      'order_details (product integer references products, "order" integer references orders, amount integer not null, primary key ("order", product))',
    ],
    expect: {
      orders: {
        id,
        order_details: o2m('order_details.order'),
        products: { type: 'm2m', through: 'order_details.order', to: 'product', deselect: 'delete' },
      },
      products: {
        id,
        order_details: o2m('order_details.product'),
        orders: { type: 'm2m', through: 'order_details.product', to: 'order', deselect: 'delete' },
      },
    },
  },
  'a table of two foreign keys and nothing else has both for its key': {
    tables: [
      'posts (id integer primary key)',
      'tags (id integer primary key)',
      'posts_tags (post_id integer references posts, tag_id integer references tags)',
    ],
    expect: {
      posts: { id, tags: { type: 'm2m', through: 'posts_tags.post_id', to: 'tag_id', deselect: 'delete' } },
      posts_tags: {
        post_id: { type: 'm2o', to: 'posts' },
        tag_id: { type: 'm2o', to: 'tags' },
        '(key)': ['post_id', 'tag_id'],
      },
    },
    remarks: ['KEY_UNSURE posts_tags.post_id'],
  },
  'three foreign keys in a key are lists': {
    tables: [
      'a (id integer primary key)',
      'b (id integer primary key)',
      'c (id integer primary key)',
      'abc (a integer references a, b integer references b, c integer references c, primary key (a, b, c))',
    ],
    expect: { a: { id, abc: o2m('abc.a') }, b: { id, abc: o2m('abc.b') }, c: { id, abc: o2m('abc.c') } },
  },
  'a junction by several columns leads from one to the other': {
    tables: [
      'users (tenant integer, id integer, primary key (tenant, id))',
      'groups (tenant integer, id integer, primary key (tenant, id))',
      'members (tenant integer, user_id integer, group_id integer, primary key (tenant, user_id, group_id), foreign key (tenant, user_id) references users, foreign key (tenant, group_id) references groups)',
    ],
    expect: {
      users: {
        tenant: { type: 'integer' },
        id: { type: 'integer' },
        groups: { type: 'm2m', through: 'members.user', to: 'group', deselect: 'delete' },
        '(key)': ['tenant', 'id'],
      },
    },
  },
  'a declared key counts before all others': {
    tables: [
      'things (a integer not null, b integer not null unique, primary key (a, b))',
      'others (id varchar(9) not null primary key, code integer unique)',
    ],
    options: { override: { things: { key: ['b'] }, others: { key: 'code' } } },
    expect: {
      things: { a: { type: 'integer' }, b: id },
      others: { id: { type: 'string', unique: true, length: 9 }, code: id },
    },
    remarks: ['KEY_UNSURE others.code'],
  },
  'names that no query could say are changed, and none is lost': {
    tables: [
      '"_orders" ("id" integer primary key, "unit price" integer, "a.b" integer, "a_b" integer, "(a b)" integer, "__proto__" integer, "$x" integer)',
      '"orders" ("id" integer primary key)',
      '"select" ("from" integer primary key, "Größe" integer, "日本" integer, "say ""hi""" integer)',
    ],
    expect: {
      orders: { id },
      orders_2: {
        id,
        'unit price': { type: 'integer', nullable: true },
        a_b_2: { type: 'integer', nullable: true, column: 'a.b' },
        a_b: { type: 'integer', nullable: true },
        'a b_': { type: 'integer', nullable: true, column: '(a b)' },
        proto__: { type: 'integer', nullable: true, column: '__proto__' },
        x: { type: 'integer', nullable: true, column: '$x' },
      },
      select: {
        from: id,
        Größe: { type: 'integer', nullable: true },
        日本: { type: 'integer', nullable: true },
        'say "hi"': { type: 'integer', nullable: true },
      },
    },
    remarks: [
      'NAME_CHANGED _orders',
      'NAME_CHANGED _orders.a.b',
      'NAME_CHANGED _orders.(a b)',
      'NAME_CHANGED _orders.__proto__',
      'NAME_CHANGED _orders.$x',
    ],
  },
  'the host names things otherwise, unless a name is taken or impossible': {
    tables: [
      'people (id integer primary key, full_name varchar(9))',
      'posts (id integer primary key, author_id integer references people, editor_id integer references people, editor integer, x integer)',
    ],
    options: {
      rename: ({ table, field }) =>
        table === 'people' && field === undefined
          ? 'authors'
          : field === 'x'
            ? 'a.b'
            : field?.replace(/_id$|^full_/, ''),
    },
    expect: {
      authors: {
        id,
        name: { type: 'string', length: 9, nullable: true, column: 'full_name' },
        posts: o2m('posts.author'),
        posts_by_editor: o2m('posts.editor_id'),
      },
      posts: {
        id,
        author: { ...m2o('authors'), column: 'author_id' },
        editor_id: m2o('authors'),
        editor: { type: 'integer', nullable: true },
        x: { type: 'integer', nullable: true },
      },
    },
    remarks: ['NAME_REFUSED posts.editor_id', 'NAME_REFUSED posts.x', 'RELATION_NAMED people'],
  },
  'relations are named otherwise, too, and two names may be exchanged': {
    tables: [
      'users (id integer primary key, a integer, b integer)',
      'posts (id integer primary key, author integer references users)',
    ],
    options: { rename: { 'users.posts': 'writings', 'users.a': 'b', 'users.b': 'a' } },
    expect: {
      users: {
        id,
        b: { type: 'integer', nullable: true, column: 'a' },
        a: { type: 'integer', nullable: true, column: 'b' },
        writings: o2m('posts.author'),
      },
    },
  },
  'only what is included and not excluded is there': {
    tables: [
      'shop_a (id integer primary key)',
      'shop_b (id integer primary key)',
      'log (id integer primary key)',
    ],
    options: { include: 'shop_*', exclude: ({ name }) => name.endsWith('b') },
    expect: { shop_a: { id } },
  },
  'the host says what the database does not know': {
    tables: [
      'pages (id integer primary key, meta varchar(99), words varchar(99), seen integer not null default 0, secret varchar(9))',
      'blocks (id integer primary key, page integer references pages, kind varchar(9), item varchar(9), place integer)',
      'heroes (id integer primary key)',
      'settings (id integer primary key)',
    ],
    options: {
      override: {
        pages: {
          versioned: true,
          sortField: 'seen',
          note: 'Pages.',
          fields: {
            meta: { type: 'json' },
            words: { type: 'csv', conceal: true },
            seen: { type: 'timestamp', storage: 'seconds' },
            secret: false,
            blocks: { sort: 'place', deselect: 'delete' },
            parts: { type: 'm2a', through: 'blocks.page', to: 'item' },
          },
        },
        blocks: { fields: { item: { type: 'any', to: ['heroes'], by: 'kind' } } },
        settings: { singleton: true },
      },
    },
    expect: {
      pages: {
        id,
        meta: { type: 'json', nullable: true },
        words: { type: 'csv', nullable: true, conceal: true },
        seen: { type: 'timestamp', storage: 'seconds', defaulted: true },
        blocks: { type: 'o2m', from: 'blocks.page', sort: 'place', deselect: 'delete' },
        parts: { type: 'm2a', through: 'blocks.page', to: 'item' },
      },
      blocks: {
        id,
        page: m2o('pages'),
        kind: { type: 'string', length: 9, nullable: true },
        item: { type: 'any', to: ['heroes'], by: 'kind', nullable: true },
        place: { type: 'integer', nullable: true },
      },
    },
  },
  'the host may say it of all columns at once': {
    tables: [
      'a (id integer primary key, made_at integer, b varchar(9))',
      'c (id integer primary key, seen_at integer)',
    ],
    options: {
      columns: ({ name }) =>
        name === 'b'
          ? false
          : name.endsWith('_at')
            ? { type: 'timestamp', storage: 'milliseconds' }
            : undefined,
    },
    expect: {
      a: { id, made_at: { type: 'timestamp', storage: 'milliseconds', nullable: true } },
      c: { id, seen_at: { type: 'timestamp', storage: 'milliseconds', nullable: true } },
    },
  },
  'a default that is a constant is known, and of any other it is known that there is one': {
    tables: [
      `a (id integer primary key, s varchar(9) not null default 'it''s', n integer not null default -3, f double precision default 0.5,
        t varchar(30) not null default current_timestamp, d decimal(4, 1) not null default 1.5, e varchar(9) default '')`,
    ],
    expect: {
      a: {
        id,
        s: { type: 'string', length: 9, default: "it's" },
        n: { type: 'integer', default: -3 },
        f: { type: 'float', nullable: true, default: 0.5 },
        t: { type: 'string', length: 30, defaulted: true },
        d: { type: 'decimal', precision: 4, scale: 1, defaulted: true },
        e: { type: 'string', length: 9, nullable: true, default: '' },
      },
    },
  },
})

/** The fields of a collection, and beside them its key if it is one of several. */
/** Indexes are asked for on SQLite alone, where filters depend on them. */
const withoutIndex = <Field extends object>({
  indexed: _,
  ...field
}: Field & { readonly indexed?: boolean }) => field

const shownFields = ({ fields, key }: SchemaDefinition[string]) => ({
  ...Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, withoutIndex(field)])),
  ...(key && { '(key)': key }),
})

describe.each(databases)('a schema of $name', ({ open }) => {
  it.each(cases)('$title', async ({ tables, options, expect: wanted, remarks = [] }) => {
    const { db } = await open()
    await run(db, ...tables.map((table) => `create table ${table}`))
    const { definition, report } = await introspectSchema(db, options)
    for (const [name, fields] of Object.entries(wanted)) {
      const found = definition[name]
      expect(found && shownFields(found), name).toEqual(fields)
    }
    expect(
      report.map(({ code, table, column }) => [code, [table, column ?? []].flat().join('.')].join(' ')),
    ).toEqual(remarks)
  })
})

const mistakes: readonly {
  readonly title: string
  readonly options: IntrospectOptions
  readonly says: string
  readonly path: readonly string[]
}[] = [
  {
    title: 'includes a table that there is not',
    options: { include: ['posts', 'user'] },
    says: 'No table of the database is called "user".',
    path: ['include'],
  },
  {
    title: 'overrides a collection that there is not',
    options: { override: { post: { singleton: true } } },
    says: 'There is no collection "post" to override.',
    path: ['override', 'post'],
  },
  // As JavaScript or a file may have them.
  {
    title: 'has no object for a collection',
    options: { override: { posts: null as never } },
    says: 'An override of a collection is an object, not null.',
    path: ['override', 'posts'],
  },
  {
    title: 'has a number for a key',
    options: { override: { posts: { key: 5 as never } } },
    says: '"key" is a column, or a list of columns, not 5.',
    path: ['override', 'posts', 'key'],
  },
  {
    title: 'has no object for the fields of a collection',
    options: { override: { posts: { fields: null as never } } },
    says: '"fields" is an object, not null.',
    path: ['override', 'posts', 'fields'],
  },
  {
    title: 'has a text for a field',
    options: { override: { posts: { fields: { ord: 'text' as never } } } },
    says: 'An override of a field is an object, or false for none, not "text".',
    path: ['override', 'posts', 'fields', 'ord'],
  },
  {
    title: 'declares a key that there is not',
    options: { override: { posts: { key: 'uuid' } } },
    says: 'The table "posts" has no column "uuid" to be its key.',
    path: ['override', 'posts', 'key'],
  },
  {
    title: 'declares a key that is not unique',
    options: { override: { posts: { key: 'ord' } } },
    says: 'The column "ord" of the table "posts" cannot be its key: nothing in the database keeps its values unique.',
    path: ['override', 'posts', 'key'],
  },
  {
    title: 'declares a key that is unique for some rows only',
    options: { override: { posts: { key: 'few' } } },
    says: 'The column "few" of the table "posts" cannot be its key: nothing in the database keeps its values unique.',
    path: ['override', 'posts', 'key'],
  },
  {
    title: 'declares a key that is unique together with another column',
    options: { override: { posts: { key: 'half' } } },
    says: 'The column "half" of the table "posts" cannot be its key: nothing in the database keeps its values unique.',
    path: ['override', 'posts', 'key'],
  },
  {
    title: 'describes a field that leads nowhere',
    options: { override: { posts: { fields: { tags: { type: 'o2m', from: 'tags.post' } } } } },
    says: 'Field "tags" of collection "posts" has "from" "tags", which is no collection.',
    path: ['posts', 'fields', 'tags', 'from'],
  },
  {
    title: 'leaves out a field that there is not',
    options: { override: { posts: { fields: { title: false } } } },
    says: 'There is no field "title" in "posts" to leave out.',
    path: ['override', 'posts', 'fields', 'title'],
  },
  {
    title: 'renames what there is not',
    options: { rename: { posts: 'articles', 'posts.title': 'name' } },
    says: 'There is nothing called "posts.title" to be renamed.',
    path: ['rename', 'posts.title'],
  },
  {
    title: 'excludes everything',
    options: { exclude: '*' },
    says: 'No table of the database is left by what is included and excluded.',
    path: [],
  },
  {
    title: 'looks at half a row',
    options: { sample: 0.5 },
    says: '"sample" is a whole number of rows, not 0.5.',
    path: ['sample'],
  },
]

describe.each(databases)('a host on $name is told when it', ({ name, open }) => {
  it.each(mistakes)('$title', async ({ options, says, path }) => {
    const { db } = await open()
    await run(
      db,
      'create table posts (id integer primary key, ord integer, few integer, half integer, whole integer, unique (half, whole))',
      'create unique index some_of_them on posts (few) where few > 5',
    )
    const error = await introspectSchema(db, options).catch((one: unknown) => one)
    expect(error).toMatchObject({ message: says, ...(path.length > 0 && { path }) })
  })

  it('declares a key, and is shown the columns that are unique', async () => {
    const { db } = await open()
    await run(
      db,
      'create table lines (a integer not null, b integer not null, c integer unique, d integer, primary key (a, b))',
      'create view shown as select a, c from lines',
    )
    const error = await introspectSchema(db, { override: { lines: { key: 'a' } } }).catch(
      (one: unknown) => one,
    )
    const rowid = name === 'sqlite' ? ', "rowid"' : ''
    expect(error).toMatchObject({
      hint: `Name one of ["a", "b"], "c"${rowid}, or give the column a unique index.`,
    })
    const { report } = await introspectSchema(db, { include: 'shown', override: { shown: { key: 'a' } } })
    expect(report).toMatchObject([
      {
        code: 'KEY_UNSURE',
        message:
          'The column "a" of the view "shown" is declared its key: it is not known whether its values are unique, and what is meant for one row of several with the same key fails.',
      },
    ])
  })

  it('has no table that could be a collection, and why', async () => {
    const { db } = await open()
    await expect(introspectSchema(db)).rejects.toThrow('There is no table in the database.')
    await run(db, 'create table a (x integer)')
    const columns = () => false as const
    await expect(introspectSchema(db, { columns })).rejects.toThrow(
      'No table of the database can be a collection. The table "a" has no column that a field holds.',
    )
  })
})

const nameOf: Readonly<Record<TestDatabase['name'], string>> = {
  sqlite: 'a'.repeat(300),
  postgres: 'ä'.repeat(31),
}

describe.each(databases)('long names on $name', ({ name, open }) => {
  it('are read, written and asked for', async () => {
    const { db } = await open()
    const long = nameOf[name]
    await run(db, `create table "${long}" (id integer primary key, "${long}" integer)`)
    const schema = await introspectSchema(db)
    const [collection = ''] = Object.keys(schema.definition)
    const [, field = ''] = Object.keys(schema.definition[collection]?.fields ?? {})
    expect(long.startsWith(field)).toBe(true)
    const engine = createEngine({ db, schema })
    await createItem(engine, collection, { id: 1, [field]: 7 })
    expect(await listItems(engine, collection, { fields: [field], filter: { [field]: 7 } })).toEqual({
      data: [{ [field]: 7 }],
    })
  })
})
