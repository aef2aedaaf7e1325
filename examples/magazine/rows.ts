/** What the magazine holds in the beginning. The database counts the keys. */
export const rows = {
  authors: [
    { name: 'Ada Lovelace', country: 'GB' },
    { name: 'Åse Nordmann', country: 'NO' },
    { name: 'Grace Hopper', country: 'US' },
  ],
  articles: [
    {
      title: 'Notes on the Analytical Engine',
      status: 'published',
      views: 1843,
      published_at: '2024-03-01T09:00:00.000Z',
      meta: '{"color":"red","tags":["history"]}',
      author: 1,
    },
    {
      title: 'A Compiler, at Last',
      status: 'published',
      views: 1952,
      published_at: '2024-05-04T12:30:00.000Z',
      meta: '{"color":"blue"}',
      author: 3,
    },
    {
      title: 'Fjords and Functions',
      status: 'published',
      views: 730,
      published_at: '2025-01-15T08:00:00.000Z',
      meta: null,
      author: 2,
    },
    {
      title: 'Nanoseconds, by the Foot',
      status: 'draft',
      views: 12,
      published_at: null,
      meta: '{"tags":["hardware","history"]}',
      author: 3,
    },
    { title: 'Unsigned', status: 'draft', views: 0, published_at: null, meta: null, author: null },
  ],
  comments: [
    { body: 'A beautiful machine.', article: 1, author: 2 },
    { body: 'When will it be built?', article: 1, author: 3 },
    { body: 'I keep one of these on my desk.', article: 4, author: 1 },
    { body: 'Works on my machine.', article: 2, author: 1 },
  ],
  tags: [{ name: 'history' }, { name: 'compilers' }, { name: 'norway' }],
  articles_tags: [
    { article: 1, tag: 1 },
    { article: 2, tag: 2 },
    { article: 3, tag: 3 },
    { article: 4, tag: 1 },
  ],
}
