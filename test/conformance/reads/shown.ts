// Items of the read cases, as they look when nothing was asked of their relations.
export const first = {
  id: 1,
  title: 'Hello',
  status: 'published',
  views: 100,
  featured: true,
  score: 1.5,
  published_at: '2023-01-15T10:20:30.000Z',
  meta: { color: 'red', size: { w: 10 }, list: [1, 'a'], flag: true },
  author: 1,
  parent: null,
  children: [2, 3],
  comments: [1, 2, 3],
  tags: [1, 2],
  blocks: [1, 2],
}

export const third = {
  id: 3,
  title: 'Ångström',
  status: 'published',
  views: null,
  featured: null,
  score: -2.25,
  published_at: null,
  meta: null,
  author: 2,
  parent: 1,
  children: [],
  comments: [],
  tags: [4],
  blocks: [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 30, 31, 32, 33, 34],
}

export const fifth = {
  id: 5,
  title: '100% foo',
  status: null,
  views: 42,
  featured: true,
  score: 3.75,
  published_at: '2024-02-29T12:00:00.000Z',
  meta: { color: 'blue', size: { w: '10' } },
  author: 3,
  parent: null,
  children: [],
  comments: [5],
  tags: [5],
  blocks: [51],
}

export const bob = { id: 2, name: 'Bob', email: null, age: 50, born: '1974-01-31' }
export const comment = {
  one: { id: 1, text: 'nice', likes: 3, article: 1 },
  five: { id: 5, text: 'great', likes: 10, article: 5 },
  six: { id: 6, text: 'orphan', likes: 1, article: null },
}
