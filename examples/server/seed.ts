import type { Database } from 'better-sqlite3'

/** Makes the tables and fills them, always with the same rows. */
export function seed(database: Database): void {
  database.exec(`
    create table authors (id integer primary key, name text not null, country text);
    create table articles (
      id integer primary key, title text not null, status text not null, views integer not null,
      published_at text, meta text, author integer references authors (id)
    );
    create table comments (
      id integer primary key, body text not null,
      article integer not null references articles (id), author integer references authors (id)
    );
    create table tags (id integer primary key, name text not null unique);
    create table articles_tags (
      id integer primary key, article integer not null references articles (id), tag integer not null references tags (id)
    );
    create table site (id integer primary key, title text not null, motto text);
    create index articles_author on articles (author);
    create index comments_article on comments (article);
    create index articles_tags_article on articles_tags (article);
  `)
  const insert = (table: string, rows: readonly (readonly unknown[])[]) => {
    const statement = database.prepare(
      `insert into ${table} values (${(rows[0] ?? []).map(() => '?').join(', ')})`,
    )
    for (const row of rows) statement.run(row)
  }
  insert('authors', authors)
  insert('articles', articles)
  insert('comments', comments)
  insert('tags', tags)
  insert('articles_tags', articlesTags)
}

const authors = [
  [1, 'Ada Lovelace', 'GB'],
  [2, 'Åse Nordmann', 'NO'],
  [3, 'Grace Hopper', 'US'],
]

const articles = [
  [
    1,
    'Notes on the Analytical Engine',
    'published',
    1843,
    '2024-03-01T09:00:00.000Z',
    '{"color":"red","tags":["history"]}',
    1,
  ],
  [2, 'A Compiler, at Last', 'published', 1952, '2024-05-04T12:30:00.000Z', '{"color":"blue"}', 3],
  [3, 'Fjords and Functions', 'published', 730, '2025-01-15T08:00:00.000Z', null, 2],
  [4, 'Nanoseconds, by the Foot', 'draft', 12, null, '{"tags":["hardware","history"]}', 3],
  [5, 'Unsigned', 'draft', 0, null, null, null],
]

const comments = [
  [1, 'A beautiful machine.', 1, 2],
  [2, 'When will it be built?', 1, 3],
  [3, 'I keep one of these on my desk.', 4, 1],
  [4, 'Works on my machine.', 2, 1],
]

const tags = [
  [1, 'history'],
  [2, 'compilers'],
  [3, 'norway'],
]

const articlesTags = [
  [1, 1, 1],
  [2, 2, 2],
  [3, 3, 3],
  [4, 4, 1],
]
