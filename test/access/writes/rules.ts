import { create, failed, refused, update, updateFound } from '../../conformance/writes/case.ts'
import { titled } from '../../support/titled.ts'
import { all, by, type RuledCase } from './case.ts'

const made = { status: 'draft', views: 0 }
const forbidden = (...path: readonly (string | number)[]) =>
  refused({ code: 'FORBIDDEN', ...(path.length > 0 && { path }) })
const missing = (...path: readonly (string | number)[]) => refused({ code: 'NOT_FOUND', path })
const own = { author: { _eq: '$CURRENT_USER' } }

export const presetCases: readonly RuledCase[] = titled({
  'presets fill in what is not given, also into fields that may not be named': {
    access: by(
      { articles: { create: { fields: ['title'], presets: { author: '$CURRENT_USER', status: 'new' } } } },
      { user: 2 },
    ),
    call: create('articles', { title: 'x' }),
    expect: null,
    leaves: { articles: { 4: { id: 4, title: 'x', ...made, status: 'new', author: 2 } } },
  },
  'presets lie below what is given': {
    access: by({ articles: { create: { presets: { status: 'new', views: 7 } } } }),
    call: create('articles', { title: 'x', status: 'mine', views: null }),
    expect: null,
    leaves: { articles: { 4: { id: 4, title: 'x', status: 'mine' } } },
  },
  'presets fill in what updates leave out': {
    access: by({ articles: { read: true, update: { fields: ['title'], presets: { status: 'edited' } } } }),
    call: update('articles', 1, { title: 'x' }, { fields: ['status'] }),
    expect: { status: 'edited' },
    leaves: { articles: { 1: { title: 'x', status: 'edited' } } },
  },
  'a preset whose variable has no value allows nothing': {
    access: by({ articles: { create: { presets: { author: '$CURRENT_USER' } } } }),
    call: create('articles', { title: 'x' }),
    expect: forbidden(),
  },
  'what a preset fills in is validated with the rest': {
    access: by({ articles: { create: { presets: { status: 'x' }, validation: { status: 'draft' } } } }),
    call: create('articles', { title: 'x' }),
    expect: refused(failed('eq', 'articles', 'status', ['status'])),
  },
  'the rule that allows an item is the one whose presets it gets': {
    access: by(
      {
        articles: {
          create: [
            { filter: own, presets: { views: 1 } },
            { filter: { status: 'open' }, presets: { views: 2 } },
          ],
        },
      },
      { user: 1 },
    ),
    call: create('articles', { title: 'x', author: 2, status: 'open' }),
    expect: null,
    leaves: { articles: { 4: { id: 4, title: 'x', status: 'open', views: 2, author: 2 } } },
  },
})

export const validationCases: readonly RuledCase[] = titled({
  'a validation has nothing to say of a field that stays as it is': {
    access: by({ articles: { read: true, update: { validation: { views: { _lt: 5 } } } } }),
    call: update('articles', 1, { title: 'x' }, { fields: ['views'] }),
    expect: { views: 10 },
    leaves: { articles: { 1: { title: 'x' } } },
  },
  'a validation whose variable has no value was passed by everything': {
    access: by({ articles: { create: { validation: own } } }),
    call: create('articles', { title: 'x', author: 2 }),
    expect: refused({ code: 'FAILED_VALIDATION', path: [], collection: 'articles', type: 'validation' }),
  },
  'a branch of a validation whose variable has no value is no way out': {
    access: by({ articles: { create: { validation: { _or: [own, { title: 'y' }] } } } }),
    call: create('articles', { title: 'x', author: 2 }),
    expect: refused(failed('eq', 'articles', 'title', ['title'])),
  },
  'a validation that looks at a relation sees it as it is afterwards': {
    access: by({ ...all('authors'), articles: { create: { validation: { author: { name: 'Dee' } } } } }),
    call: create('articles', { title: 'x', author: { name: 'Dee' } }),
    expect: null,
    leaves: {
      authors: { 4: { id: 4, name: 'Dee' } },
      articles: { 4: { id: 4, title: 'x', ...made, author: 4 } },
    },
  },
  'a validation that looks at a relation undoes what does not pass it': {
    access: by({ ...all('authors'), articles: { create: { validation: { author: { name: 'Dee' } } } } }),
    call: create('articles', { title: 'x', author: { name: 'Eve' } }),
    expect: refused({ code: 'FAILED_VALIDATION', path: [], collection: 'articles', type: 'validation' }),
  },
  'a validation of a reference did not see the item that it was nested in': {
    access: by({
      ...all('articles'),
      comments: { read: true, create: { validation: { article: { _eq: 1 } } } },
    }),
    call: update('articles', 2, { comments: { create: [{ text: 'x' }] } }),
    expect: refused(failed('eq', 'comments', 'article', ['comments', 'create', 0, 'article'])),
  },
  'a validation of a reference did not see a child that was only linked': {
    access: by({
      ...all('articles'),
      comments: { read: true, update: { validation: { article: { _eq: 1 } } } },
    }),
    call: update('articles', 2, { comments: { update: [{ id: 1 }] } }),
    expect: refused(failed('eq', 'comments', 'article', ['comments', 'update', 0, 'article'])),
  },
  'a validation of a reference did not see a target that was new': {
    access: by({ ...all('authors'), articles: { create: { validation: own } } }, { user: 1 }),
    call: create('articles', { title: 'x', author: { name: 'Dee' } }),
    expect: refused(failed('eq', 'articles', 'author', ['author'])),
  },
})

/** Whoever publishes an article needs an author for it. */
const editor = {
  read: true,
  update: { validation: { _or: [{ status: { _neq: 'published' } }, { author: { _nnull: true } }] } },
  create: { validation: { _or: [{ status: { _neq: 'published' } }, { author: { _nnull: true } }] } },
} as const

export const wholeRowCases: readonly RuledCase[] = titled({
  'a validation sees what is stored beside what is given': {
    access: by({ articles: editor }),
    call: update('articles', 3, { status: 'published' }),
    expect: refused(
      failed('neq', 'articles', 'status', ['status']),
      failed('nnull', 'articles', 'author', ['author']),
    ),
  },
  'what is stored may be all that a validation asks for': {
    access: by({ articles: editor }),
    call: update('articles', 2, { status: 'published' }, { fields: ['status'] }),
    expect: { status: 'published' },
    leaves: { articles: { 2: { status: 'published' } } },
  },
  'a value that is written once more is no change for a validation to judge': {
    access: by({ articles: { read: true, update: { validation: { views: { _lt: 5 } } } } }),
    call: update('articles', 1, { title: 'x', views: 10 }, { fields: ['views'] }),
    expect: { views: 10 },
    leaves: { articles: { 1: { title: 'x' } } },
  },
  'a validation of a new item sees what is filled in where nothing is given': {
    access: by({ articles: { create: { validation: { views: { _gt: 0 } } } } }),
    call: create('articles', { title: 'x' }),
    expect: refused(failed('gt', 'articles', 'views', ['views'])),
  },
  'a validation of a new item takes a field without a value for null': {
    access: by({ articles: editor }),
    call: create('articles', { title: 'x', status: 'published' }),
    expect: refused(
      failed('neq', 'articles', 'status', ['status']),
      failed('nnull', 'articles', 'author', ['author']),
    ),
  },
  'a validation whose field is hidden says only that the item does not meet the rules': {
    access: by({
      articles: {
        read: { fields: ['id', 'title'] },
        update: {
          fields: ['title'],
          validation: { title: { _nnull: true }, status: 'archived', author: own.author },
        },
      },
    }),
    call: update('articles', 1, { title: 'x' }),
    expect: refused({ code: 'FAILED_VALIDATION', path: [], collection: 'articles', type: 'validation' }),
  },
  'a validation that depends on who writes is judged at every write': {
    access: by({ articles: { read: true, update: { validation: own } } }, { user: 2 }),
    call: update('articles', 1, { title: 'x' }),
    expect: refused(failed('eq', 'articles', 'author', ['author'])),
  },
  'a dry run of an update by a query sees what a validation refuses': {
    access: by({ articles: editor }),
    call: updateFound('articles', { filter: { id: 3 } }, { status: 'published' }, { dryRun: true }),
    expect: refused(
      failed('neq', 'articles', 'status', ['status']),
      failed('nnull', 'articles', 'author', ['author']),
    ),
  },
})

/** Of the authors the first alone is seen, and of the heroes none but the second. */
const partly = by({
  articles: { read: true, create: true, update: true },
  authors: { read: { filter: { id: 1 } } },
  heroes: { read: { filter: { id: { _neq: 1 } } } },
  articles_blocks: { read: true, create: true, update: true },
})
const dangling = (collection: string, field: string, path: readonly (string | number)[]) =>
  refused({ code: 'INVALID_FOREIGN_KEY', path, collection, field })

export const referenceCases: readonly RuledCase[] = titled({
  'm2o: a key of an item that is not seen may be sent back as it was shown': {
    access: partly,
    call: update('articles', 2, { title: 'x', author: 2 }, { fields: ['title', 'author'] }),
    expect: { title: 'x', author: 2 },
    leaves: { articles: { 2: { title: 'x' } } },
  },
  'm2o: a key of an item that is not seen is none for another row': {
    access: partly,
    call: update('articles', 1, { author: 2 }),
    expect: dangling('articles', 'author', ['author']),
  },
  'any: a reference to an item that is not seen is one to an item that is not there': {
    access: partly,
    call: create('articles_blocks', { kind: 'heroes', item: 1 }),
    expect: dangling('articles_blocks', 'item', ['item']),
  },
  'any: a reference through a relation to an item that is not seen is refused as well': {
    access: partly,
    call: update('articles', 1, { blocks: { create: [{ kind: 'heroes', item: 1 }] } }),
    expect: dangling('articles_blocks', 'item', ['blocks', 'create', 0, 'item']),
  },
  'any: the collection beside a reference cannot be changed to one in which the item is not seen': {
    before: [create('articles_blocks', { kind: 'texts', item: 'aaaaaaaa-0000-4000-8000-000000000001' })],
    access: partly,
    call: update('articles_blocks', 3, { kind: 'heroes' }),
    expect: dangling('articles_blocks', 'item', ['item']),
  },
  'any: the collection beside a reference cannot be changed to any text': {
    access: partly,
    call: update('articles_blocks', 1, { kind: 'nothing' }),
    expect: dangling('articles_blocks', 'kind', ['kind']),
  },
  'any: a reference to an item that is not seen may be sent back as it was shown': {
    access: partly,
    call: update('articles_blocks', 1, { kind: 'heroes', item: '1', sort: 9 }, { fields: ['sort'] }),
    expect: { sort: 9 },
    leaves: { articles_blocks: { 1: { sort: 9 } } },
  },
})

/** Articles and their authors may be written; of what hangs on articles, some is hidden. */
const writer = by({
  ...all('articles', 'tags', 'articles_blocks', 'heroes'),
  authors: { read: true, update: { filter: { id: 1 }, fields: ['name'] } },
  comments: { read: { filter: { id: { _neq: 2 } } }, create: true, update: true, delete: true },
  notes: { read: { filter: { id: { _neq: 2 } } }, create: true, update: { filter: { id: { _neq: 3 } } } },
  articles_tags: { read: true, create: true },
})

export const nestedCases: readonly RuledCase[] = titled({
  'm2o: a target is changed where a rule allows it': {
    access: writer,
    call: update('articles', 2, { author: { id: 1, name: 'Eda' } }, { fields: ['author'] }),
    expect: { author: 1 },
    leaves: { authors: { 1: { name: 'Eda' } }, articles: { 2: { author: 1 } } },
  },
  'm2o: a target that may not be changed undoes all': {
    access: writer,
    call: update('articles', 1, { title: 'x', author: { id: 2, name: 'x' } }),
    expect: forbidden('author'),
  },
  'm2o: a target is linked by who may not change it': {
    access: writer,
    call: update('articles', 1, { author: { id: 2 } }, { fields: ['author'] }),
    expect: { author: 2 },
    leaves: { articles: { 1: { author: 2 } } },
  },
  'm2o: a target that may not be created undoes all': {
    access: writer,
    call: update('articles', 1, { title: 'x', author: { name: 'Dee' } }),
    expect: forbidden('author', 'name'),
  },
  'o2m: a whole new set leaves children alone that are not seen': {
    access: writer,
    call: update(
      'articles',
      1,
      { comments: [{ text: 'new' }], notes: [] },
      { fields: ['comments', 'notes'] },
    ),
    expect: { comments: [4], notes: [] },
    leaves: {
      comments: { 1: null, 4: { id: 4, text: 'new', position: 3, article: 1 } },
      notes: { 1: { article: null } },
    },
  },
  'o2m: a child that is not seen is not taken': {
    access: writer,
    call: update('articles', 2, { comments: { update: [{ id: 2 }] } }),
    expect: missing('comments', 'update', 0),
  },
  'o2m: a child that is not seen is not deleted': {
    access: writer,
    call: update('articles', 1, { comments: { delete: [1, 2] } }),
    expect: missing('comments', 'delete', 1),
  },
  'o2m: a child that may not be changed is not taken': {
    access: writer,
    call: update('articles', 1, { notes: { update: [{ id: 3 }] } }),
    expect: forbidden('notes', 'update', 0),
  },
  'm2m: a row between that may not be deleted is not left out': {
    access: writer,
    call: update('articles', 1, { tags: [] }),
    expect: forbidden(),
  },
  'm2m: a row between is created': {
    access: writer,
    call: update('articles', 1, { tags: { create: [{ tags_name: 'cold' }] } }, { fields: ['tags'] }),
    expect: { tags: [1, 3] },
    leaves: { articles_tags: { 3: { id: 3, articles_id: 1, tags_name: 'cold' } } },
  },
  'm2a: an item of a collection that may be written is created': {
    access: writer,
    call: update(
      'articles',
      2,
      { blocks: { create: [{ kind: 'heroes', item: { headline: 'x' } }] } },
      { fields: ['blocks'] },
    ),
    expect: { blocks: [3] },
    leaves: {
      heroes: { 2: { id: 2, headline: 'x' } },
      articles_blocks: { 3: { id: 3, articles_id: 2, kind: 'heroes', item: '2', sort: 1 } },
    },
  },
  'm2a: a collection that is neither seen nor written cannot be named': {
    access: writer,
    call: update('articles', 2, { blocks: { create: [{ kind: 'texts', item: { body: 'x' } }] } }),
    expect: refused({ code: 'INVALID_PAYLOAD', path: ['blocks', 'create', 0, 'item'] }),
  },
})

/** Notes may be hung on articles that are drafts, and are marked when they move. */
const mover = by({
  ...all('articles'),
  notes: {
    read: true,
    create: true,
    update: {
      validation: { _or: [{ article: { _null: true } }, { article: { _neq: 3 } }] },
      presets: { text: 'moved' },
    },
  },
})

export const movedCases: readonly RuledCase[] = titled({
  'o2m: hanging a child in gets the presets of an update of it': {
    access: mover,
    call: update('articles', 2, { notes: [1] }, { fields: ['notes.text'] }),
    expect: { notes: [{ text: 'moved' }] },
    leaves: { notes: { 1: { text: 'moved', article: 2 } } },
  },
  'o2m: taking a child out gets the presets of an update of it': {
    access: mover,
    call: update('articles', 1, { notes: { delete: [1] } }, { fields: ['id'] }),
    expect: { id: 1 },
    leaves: { notes: { 1: { text: 'moved', article: null } } },
  },
  'o2m: a child that stays where it is is left alone': {
    access: mover,
    call: update('articles', 1, { notes: { update: [{ id: 1 }] } }, { fields: ['id'] }),
    expect: { id: 1 },
  },
  'o2m: hanging a child in is validated as the update of it that it is': {
    access: mover,
    call: update('articles', 3, { notes: { update: [{ id: 1 }] } }),
    expect: refused(
      failed('null', 'notes', 'article', ['notes', 'update', 0, 'article']),
      failed('neq', 'notes', 'article', ['notes', 'update', 0, 'article']),
    ),
  },
  'o2m: taking a child out is validated as the update of it that it is': {
    access: by({
      ...all('articles'),
      notes: { read: true, update: { validation: { article: { _nnull: true } } } },
    }),
    call: update('articles', 1, { notes: { delete: [1] } }),
    expect: refused(failed('nnull', 'notes', 'article', ['notes', 'article'])),
  },
})
