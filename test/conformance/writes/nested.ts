import { expect } from 'vitest'
import { titled } from '../../support/titled.ts'
import { create, failed, refused, update, updateEach, updateFound, type WriteCase } from './case.ts'

const made = { status: 'draft', views: 0 }
const text = '00000000-0000-4000-8000-000000000001'

export const nestedCases: readonly WriteCase[] = titled({
  // Many to one.
  'm2o: an object without a key is created and linked': {
    call: create('articles', { title: 'New', author: { name: 'Dee' } }, { fields: ['author.name'] }),
    expect: { author: { name: 'Dee' } },
    leaves: {
      authors: { 4: { id: 4, name: 'Dee' } },
      articles: { 4: { id: 4, title: 'New', ...made, author: 4 } },
    },
  },
  'm2o: an object with the key of an item changes it and links it': {
    call: update('articles', 1, { author: { id: 2, name: 'Bert' } }, { fields: ['author'] }),
    expect: { author: 2 },
    leaves: { authors: { 2: { name: 'Bert' } }, articles: { 1: { author: 2 } } },
  },
  'm2o: an object with nothing but a key links only': {
    call: update('articles', 1, { author: { id: 2 } }, { fields: ['author'] }),
    expect: { author: 2 },
    leaves: { articles: { 1: { author: 2 } } },
  },
  'm2o: an object with a new key is created with it': {
    call: update('articles', 1, { author: { id: 7, name: 'Gil' } }, { fields: ['author'] }),
    expect: { author: 7 },
    leaves: { authors: { 7: { id: 7, name: 'Gil' } }, articles: { 1: { author: 7 } } },
  },
  'm2o: null unlinks': {
    call: update('articles', 1, { author: null }, { fields: ['author'] }),
    expect: { author: null },
    leaves: { articles: { 1: { author: null } } },
  },
  'm2o: a key that leads nowhere is refused by the database, with its field': {
    call: update('articles', 1, { author: 99 }),
    expect: refused({
      code: 'INVALID_FOREIGN_KEY',
      path: ['author'],
      collection: 'articles',
      field: 'author',
    }),
  },
  'm2o: objects nest to any depth': {
    call: create(
      'articles',
      { title: 'New', author: { name: 'Dee', boss: { name: 'Eve', boss: { name: 'Fay', boss: 1 } } } },
      { fields: ['author.boss.boss.boss.name'] },
    ),
    expect: { author: { boss: { boss: { boss: { name: 'Ada' } } } } },
    leaves: {
      authors: {
        4: { id: 4, name: 'Fay', boss: 1 },
        5: { id: 5, name: 'Eve', boss: 4 },
        6: { id: 6, name: 'Dee', boss: 5 },
      },
      articles: { 4: { id: 4, title: 'New', ...made, author: 6 } },
    },
  },
  // One to many.
  'o2m: a list is the complete new set; what is left out is unlinked': {
    call: update('articles', 1, { notes: [2, { text: 'new' }, 3] }, { fields: ['notes'] }),
    expect: { notes: [2, 3, 4] },
    leaves: { notes: { 1: { article: null }, 3: { article: 1 }, 4: { id: 4, text: 'new', article: 1 } } },
  },
  'o2m: what is left out is deleted where the relation says so': {
    call: update('articles', 1, { comments: [{ id: 2, text: 'kept' }] }, { fields: ['comments'] }),
    expect: { comments: [2] },
    leaves: { comments: { 1: null, 2: { text: 'kept' } } },
  },
  'o2m: an empty list takes all out, and so does null': {
    call: update('articles', 1, { notes: [], comments: null }, { fields: ['notes', 'comments'] }),
    expect: { notes: [], comments: [] },
    leaves: { notes: { 1: { article: null }, 2: { article: null } }, comments: { 1: null, 2: null } },
  },
  'o2m: a list takes items over from another': {
    call: update('articles', 1, { comments: [1, 2, 3] }, { fields: ['comments'] }),
    expect: { comments: [1, 3, 2] },
    leaves: { comments: { 3: { article: 1 } } },
  },
  'o2m: an unknown key in a list is not found, and nothing is changed': {
    call: update('articles', 1, { title: 'Uno', notes: [1, 99] }),
    expect: refused({ code: 'NOT_FOUND', path: ['notes', 1] }),
  },
  'o2m: a place that is left free in a list is no item': {
    call: update('articles', 1, { title: 'Uno', notes: Object.assign(Array(2), { 0: 1 }) }),
    expect: refused({ code: 'INVALID_PAYLOAD', path: ['notes', 1] }),
  },
  'o2m: an object with a new key is created with it': {
    call: update('articles', 1, { notes: { create: [{ id: 9, text: 'nine' }] } }, { fields: ['notes'] }),
    expect: { notes: [1, 2, 9] },
    leaves: { notes: { 9: { id: 9, text: 'nine', article: 1 } } },
  },
  'o2m: the parts of a change are done together, and the rest stays': {
    call: update(
      'articles',
      1,
      { comments: { create: [{ text: 'new' }], update: [{ id: 2, text: 'changed' }], delete: [1] } },
      { fields: ['comments'] },
    ),
    expect: { comments: [2, 4] },
    leaves: {
      comments: { 1: null, 2: { text: 'changed' }, 4: { id: 4, text: 'new', position: 3, article: 1 } },
    },
  },
  'o2m: an item to update that is not a child yet becomes one': {
    call: update('articles', 1, { notes: { update: [{ id: 3 }] } }, { fields: ['notes'] }),
    expect: { notes: [1, 2, 3] },
    leaves: { notes: { 3: { article: 1 } } },
  },
  'o2m: an item to update that there is not is not found': {
    call: update('articles', 1, { notes: { update: [{ id: 99, text: 'x' }] } }),
    expect: refused({ code: 'NOT_FOUND', path: ['notes', 'update', 0] }),
  },
  'o2m: an item to update needs its key': {
    call: update('articles', 1, { notes: { update: [{ text: 'x' }] } }),
    expect: refused({ code: 'INVALID_PAYLOAD', path: ['notes', 'update', 0] }),
  },
  'o2m: a key to delete that is no child is not found, and nothing is changed': {
    call: update('articles', 1, { title: 'Uno', notes: { delete: [1, 3] } }),
    expect: refused({ code: 'NOT_FOUND', path: ['notes', 'delete', 1] }),
  },
  'o2m: the parts of a change are told by name': {
    call: update('articles', 1, { notes: { remove: [1], update: 5, create: [7], delete: [{}] } }),
    expect: refused(
      { code: 'INVALID_PAYLOAD', path: ['notes', 'remove'] },
      { code: 'INVALID_PAYLOAD', path: ['notes', 'delete', 0] },
      { code: 'INVALID_PAYLOAD', path: ['notes', 'create', 0] },
      { code: 'INVALID_PAYLOAD', path: ['notes', 'update'] },
    ),
  },
  'o2m: children of new items are created with them, in their order': {
    call: create(
      'authors',
      {
        name: 'Dee',
        articles: [
          { title: 'A', comments: [{ text: 'a1' }, { text: 'a2', position: 9 }, { text: 'a3' }] },
          { title: 'B', notes: [3] },
        ],
      },
      { fields: ['articles.title', 'articles.comments.position', 'articles.notes'] },
    ),
    expect: {
      articles: [
        { title: 'A', comments: [{ position: 9 }, { position: 10 }, { position: 11 }], notes: [] },
        { title: 'B', comments: [], notes: [3] },
      ],
    },
    leaves: {
      authors: { 4: { id: 4, name: 'Dee' } },
      articles: {
        4: { id: 4, title: 'A', ...made, author: 4 },
        5: { id: 5, title: 'B', ...made, author: 4 },
      },
      comments: {
        4: { id: 4, text: 'a1', position: 10, article: 4 },
        5: { id: 5, text: 'a2', position: 9, article: 4 },
        6: { id: 6, text: 'a3', position: 11, article: 4 },
      },
      notes: { 3: { article: 5 } },
    },
  },
  'o2m: what a child says of its parent does not count': {
    call: create(
      'articles',
      {
        title: 'New',
        notes: [
          { text: 'x', article: 1 },
          { text: 'y', article: { title: 'Other' } },
        ],
        comments: [{ text: 'z', article: null }],
      },
      { fields: ['notes', 'comments'] },
    ),
    expect: { notes: [4, 5], comments: [4] },
    leaves: {
      articles: { 4: { id: 4, title: 'New', ...made } },
      notes: { 4: { id: 4, text: 'x', article: 4 }, 5: { id: 5, text: 'y', article: 4 } },
      comments: { 4: { id: 4, text: 'z', position: 1, article: 4 } },
    },
  },
  'o2m: a mistake deep inside is told by its place': {
    call: update('authors', 1, {
      articles: { update: [{ id: 1, comments: [{ text: 'x' }, { position: 'x' }] }] },
    }),
    expect: refused(
      failed('type', 'comments', 'position', ['articles', 'update', 0, 'comments', 1, 'position']),
    ),
  },
  'o2m: every item that a query finds gets children of its own': {
    call: updateFound('articles', { filter: { id: { _lt: 3 } } }, { notes: { create: [{ text: 'x' }] } }),
    expect: { updated: 2, keys: [1, 2] },
    leaves: { notes: { 4: { id: 4, text: 'x', article: 1 }, 5: { id: 5, text: 'x', article: 2 } } },
  },
  'o2m: two rows of one relation may be taken over by the same call': {
    call: update(
      'authors',
      3,
      { articles: { update: [{ id: 1, title: 'Uno' }, { id: 2 }] } },
      { fields: ['articles'] },
    ),
    expect: { articles: [1, 2] },
    leaves: { articles: { 1: { title: 'Uno', author: 3 }, 2: { author: 3 } } },
  },
  'o2m: a child that moves to another item of the same call is not deleted by the one it leaves': {
    call: updateEach(
      'articles',
      [
        { id: 2, comments: [1] },
        { id: 1, comments: [2] },
      ],
      { fields: ['comments'] },
    ),
    expect: [{ comments: [1] }, { comments: [2] }],
    leaves: { comments: { 1: { article: 2 }, 3: null } },
  },
  // Many to many, through the junction.
  'm2m: what stands behind the junction is created, changed and linked': {
    call: update(
      'articles',
      1,
      {
        tags: [
          { id: 1, tags_name: { name: 'hot', label: 'Hotter' } },
          { tags_name: 'cold' },
          { tags_name: { name: 'new', label: 'New' } },
        ],
      },
      { fields: ['tags.tags_name.label'] },
    ),
    expect: {
      tags: [
        { tags_name: { label: 'Hotter' } },
        { tags_name: { label: 'Cold' } },
        { tags_name: { label: 'New' } },
      ],
    },
    leaves: {
      tags: { hot: { label: 'Hotter' }, new: { name: 'new', label: 'New' } },
      articles_tags: {
        3: { id: 3, articles_id: 1, tags_name: 'cold' },
        4: { id: 4, articles_id: 1, tags_name: 'new' },
      },
    },
  },
  "m2m: a junction's row that is left out is deleted where it cannot stand alone": {
    call: update('articles', 1, { tags: [] }, { fields: ['tags'] }),
    expect: { tags: [] },
    leaves: { articles_tags: { 1: null } },
  },
  "m2m: the junction's rows are created, changed and deleted in parts": {
    call: update(
      'articles',
      1,
      { tags: { create: [{ tags_name: 'cold' }], update: [{ id: 2, tags_name: 'hot' }], delete: [1] } },
      { fields: ['tags'] },
    ),
    expect: { tags: [2, 3] },
    leaves: {
      articles_tags: {
        1: null,
        2: { articles_id: 1, tags_name: 'hot' },
        3: { id: 3, articles_id: 1, tags_name: 'cold' },
      },
    },
  },
  'm2m: two junction rows may bring one new item': {
    call: create(
      'articles',
      { title: 'New', tags: [{ tags_name: { name: 'new' } }, { tags_name: { name: 'new', label: 'New' } }] },
      { fields: ['tags.tags_name.label'] },
    ),
    expect: { tags: [{ tags_name: { label: 'New' } }, { tags_name: { label: 'New' } }] },
    leaves: {
      articles: { 4: { id: 4, title: 'New', ...made } },
      tags: { new: { name: 'new', label: 'New' } },
      articles_tags: {
        3: { id: 3, articles_id: 4, tags_name: 'new' },
        4: { id: 4, articles_id: 4, tags_name: 'new' },
      },
    },
  },
  'm2m: a junction row needs what stands behind it': {
    call: create('articles', { title: 'New', tags: [{}] }),
    expect: refused(failed('required', 'articles_tags', 'tags_name', ['tags', 0, 'tags_name'])),
  },
  // Many to any.
  'm2a: items of several collections are created, changed and linked': {
    call: update(
      'articles',
      1,
      {
        blocks: [
          { id: 2, kind: 'texts', item: { id: text, body: 'Changed' } },
          { kind: 'heroes', item: { headline: 'New' } },
          { kind: 'heroes', item: 1 },
        ],
      },
      { fields: ['blocks.sort', 'blocks.item:heroes.headline', 'blocks.item:texts.body'] },
    ),
    expect: {
      blocks: [
        { sort: 2, item: { body: 'Changed' } },
        { sort: 3, item: { headline: 'New' } },
        { sort: 4, item: { headline: 'Hero' } },
      ],
    },
    leaves: {
      heroes: { 2: { id: 2, headline: 'New' } },
      texts: { [text]: { body: 'Changed' } },
      articles_blocks: {
        1: { articles_id: null },
        3: { id: 3, articles_id: 1, kind: 'heroes', item: '2', sort: 3 },
        4: { id: 4, articles_id: 1, kind: 'heroes', item: '1', sort: 4 },
      },
    },
  },
  'm2a: a key is stored as its collection shows it': {
    call: create('articles_blocks', { kind: 'texts', item: text.toUpperCase() }, { fields: ['item'] }),
    expect: { item: text },
    leaves: { articles_blocks: { 3: { id: 3, kind: 'texts', item: text } } },
  },
  'm2a: an item needs the name of its collection beside it': {
    call: create('articles_blocks', { item: { headline: 'New' } }),
    expect: refused({ code: 'INVALID_PAYLOAD', path: ['item'] }),
  },
  'm2a: a collection that the relation does not lead to is refused': {
    call: create('articles_blocks', { kind: 'authors', item: { name: 'Dee' } }),
    expect: refused({ code: 'INVALID_PAYLOAD', path: ['item'] }),
  },
  'm2a: a key that cannot be one of its collection is refused': {
    call: create('articles_blocks', { kind: 'heroes', item: 'one' }),
    expect: refused(failed('type', 'articles_blocks', 'item', ['item'])),
  },
  'a payload that holds itself is refused': {
    call: create('authors', loop()),
    expect: refused({ code: 'INVALID_PAYLOAD', path: expect.any(Array) }),
  },
  'everything nested at once is one write': {
    call: create(
      'comments',
      {
        text: 'top',
        article: {
          title: 'New',
          author: { name: 'Dee', articles: [{ title: 'Sister' }] },
          tags: [{ tags_name: { name: 'deep' } }],
          blocks: { create: [{ kind: 'texts', item: { id: text, body: 'Again' } }] },
        },
      },
      { fields: ['article.author.articles.title', 'article.blocks.item:texts.body'] },
    ),
    expect: {
      article: {
        author: { articles: [{ title: 'Sister' }, { title: 'New' }] },
        blocks: [{ item: { body: 'Again' } }],
      },
    },
    leaves: {
      authors: { 4: { id: 4, name: 'Dee' } },
      articles: {
        4: { id: 4, title: 'Sister', ...made, author: 4 },
        5: { id: 5, title: 'New', ...made, author: 4 },
      },
      tags: { deep: { name: 'deep' } },
      articles_tags: { 3: { id: 3, articles_id: 5, tags_name: 'deep' } },
      texts: { [text]: { body: 'Again' } },
      articles_blocks: { 3: { id: 3, articles_id: 5, kind: 'texts', item: text, sort: 1 } },
      comments: { 4: { id: 4, text: 'top', article: 5 } },
    },
  },
})

function loop(): object {
  const author: Record<string, unknown> = { name: 'Ouro' }
  author.boss = author
  return author
}
