import {
  create,
  createAll,
  deleteAll,
  deleteFound,
  failed,
  refused,
  remove,
  update,
  updateAll,
  updateEach,
  updateFound,
  updateSingle,
} from '../../conformance/writes/case.ts'
import { titled } from '../../support/titled.ts'
import { all, by, type RuledCase } from './case.ts'

const made = { status: 'draft', views: 0 }
const forbidden = (...path: readonly (string | number)[]) =>
  refused({ code: 'FORBIDDEN', ...(path.length > 0 && { path }) })
const missing = (...path: readonly (string | number)[]) =>
  refused({ code: 'NOT_FOUND', ...(path.length > 0 && { path }) })

const drafts = { status: 'draft' }
/** Sees all articles but the second, and may change those of the first author. */
const editor = by({
  articles: {
    read: { filter: { id: { _neq: 2 } } },
    update: { filter: { author: 1 }, fields: ['title', 'views'] },
    delete: { filter: { author: 1 } },
  },
})

export const itemCases: readonly RuledCase[] = titled({
  'who may create and not read is answered nothing': {
    access: by({ authors: { create: true } }),
    call: create('authors', { name: 'Dee' }),
    expect: null,
    leaves: { authors: { 4: { id: 4, name: 'Dee' } } },
  },
  'who may create many and not read is answered nothing of each': {
    access: by({ authors: { create: true } }),
    call: createAll('authors', [{ name: 'Dee' }, { name: 'Eve' }]),
    expect: [null, null],
    leaves: { authors: { 4: { id: 4, name: 'Dee' }, 5: { id: 5, name: 'Eve' } } },
  },
  'a new item that its creator does not see is answered as nothing': {
    access: by({ articles: { create: true, read: { filter: { status: 'published' } } } }),
    call: createAll('articles', [{ title: 'a' }, { title: 'b', status: 'published' }], { fields: ['title'] }),
    expect: [null, { title: 'b' }],
    leaves: {
      articles: { 4: { id: 4, title: 'a', ...made }, 5: { id: 5, title: 'b', ...made, status: 'published' } },
    },
  },
  'a new item has to be one of those that a rule speaks of': {
    access: by({ articles: { create: { filter: drafts } } }),
    call: createAll('articles', [{ title: 'a' }, { title: 'b', status: 'published' }]),
    expect: forbidden(1),
  },
  'of two rules the later one may allow a new item': {
    access: by({ articles: { create: [{ filter: drafts }, { filter: { status: 'published' } }] } }),
    call: create('articles', { title: 'a', status: 'published' }),
    expect: null,
    leaves: { articles: { 4: { id: 4, title: 'a', ...made, status: 'published' } } },
  },
  'fields of one rule and rows of another allow no new item': {
    access: by({
      articles: {
        create: [
          { filter: drafts, fields: ['title', 'status', 'views'] },
          { filter: { status: 'published' }, fields: ['title', 'status'] },
        ],
      },
    }),
    call: create('articles', { title: 'a', status: 'published', views: 3 }),
    expect: forbidden(),
  },
  'an item is updated where a rule allows its row and its fields': {
    access: editor,
    call: update('articles', 1, { title: 'Uno' }, { fields: ['title'] }),
    expect: { title: 'Uno' },
    leaves: { articles: { 1: { title: 'Uno' } } },
  },
  'an update of an item that is not seen finds none': {
    access: editor,
    call: update('articles', 2, { title: 'x' }),
    expect: refused({ code: 'NOT_FOUND', path: [] }),
  },
  'an update of an item that is seen and no more is forbidden': {
    access: editor,
    call: update('articles', 3, { title: 'x' }),
    expect: forbidden(),
  },
  'an update of a field that no rule names is refused by its name': {
    access: editor,
    call: update('articles', 1, { title: 'x', status: 'published' }),
    expect: forbidden('status'),
  },
  'fields of one rule and rows of another allow no update': {
    access: by({
      articles: {
        read: true,
        update: [
          { filter: { id: 1 }, fields: ['title'] },
          { filter: { id: 2 }, fields: ['title', 'views'] },
        ],
      },
    }),
    call: updateEach('articles', [
      { id: 2, views: 1 },
      { id: 1, views: 1 },
    ]),
    expect: forbidden(1, 'views'),
  },
  'of several items one that is not allowed keeps all as they are': {
    access: editor,
    call: updateAll('articles', [1, 3], { title: 'x' }),
    expect: forbidden(1),
  },
  'of several items one that is not seen is told before one that is not allowed': {
    access: editor,
    call: updateAll('articles', [3, 2], { title: 'x' }),
    expect: missing(1),
  },
  'a query for an update finds what is seen, and one of it that is not allowed keeps all': {
    access: editor,
    call: updateFound('articles', { filter: { id: { _gt: 0 } } }, { title: 'x' }),
    expect: forbidden(),
  },
  'a query for an update finds nothing that is not seen': {
    access: by({ articles: { read: { filter: { id: 1 } }, update: true } }),
    call: updateFound('articles', { filter: { id: { _gt: 0 } } }, { title: 'x' }),
    expect: { updated: 1, keys: [1] },
    leaves: { articles: { 1: { title: 'x' } } },
  },
  'a dry run of an update that is not allowed is forbidden as well': {
    access: editor,
    call: updateFound('articles', { filter: { id: { _gt: 0 } } }, { title: 'x' }, { dryRun: true }),
    expect: forbidden(),
  },
  'a deletion of an item that is not seen finds none': {
    access: editor,
    call: remove('articles', 2),
    expect: missing(),
  },
  'a deletion of an item that is seen and no more is forbidden': {
    access: editor,
    call: remove('articles', 3),
    expect: forbidden(),
  },
  'of several items to delete one that is not seen keeps all': {
    access: editor,
    call: deleteAll('articles', [1, 2, 3]),
    expect: missing(),
  },
  'a deletion by a query is forbidden where one of its items is': {
    access: editor,
    call: deleteFound('articles', { filter: { id: { _gt: 0 } } }),
    expect: forbidden(),
  },
  'a dry run of a deletion tells the items that are seen': {
    access: by({ notes: { read: { filter: { id: { _gt: 1 } } }, delete: true } }),
    call: deleteFound('notes', { filter: { id: { _gt: 0 } } }, { dryRun: true }),
    expect: { deleted: 2, keys: [2, 3] },
  },
  'maxAffected counts the items that are seen': {
    access: by({ notes: { read: { filter: { id: { _gt: 1 } } }, delete: true } }),
    call: deleteFound('notes', { filter: { id: { _gt: 0 } } }, { maxAffected: 2 }),
    expect: { deleted: 2, keys: [2, 3] },
    leaves: { notes: { 2: null, 3: null } },
  },
  'maxAffected refuses more, and nothing is deleted': {
    access: by({ notes: { read: true, delete: true } }),
    call: deleteFound('notes', { filter: { id: { _gt: 0 } } }, { maxAffected: 2 }),
    expect: refused({ code: 'INVALID_PAYLOAD', path: ['maxAffected'] }),
  },
  'a deletion by a query tells no keys that may not be read': {
    access: by({ notes: { read: { fields: ['text'] }, delete: true } }),
    call: deleteFound('notes', { filter: { text: 'loose' } }),
    expect: { deleted: 1 },
    leaves: { notes: { 3: null } },
  },
  'a reference to an item that is not seen is one to an item that is not there': {
    access: by({ ...all('articles'), authors: { read: { filter: { id: 1 } } } }),
    call: update('articles', 1, { author: 2 }),
    expect: refused({
      code: 'INVALID_FOREIGN_KEY',
      path: ['author'],
      collection: 'articles',
      field: 'author',
    }),
  },
  'a singleton is created by who may create it': {
    access: by({ settings: { read: true, create: true } }),
    call: updateSingle('settings', { name: 'x' }, { fields: ['name'] }),
    expect: { name: 'x' },
    leaves: { settings: { 1: { id: 1, name: 'x', motto: 'hello' } } },
  },
  'a singleton that is there is not changed by who may only create it': {
    access: by({ settings: { read: true, create: true } }),
    before: [updateSingle('settings', { name: 'x' })],
    call: updateSingle('settings', { name: 'y' }),
    expect: forbidden('name'),
  },
  'a singleton that is not there is not created by who may only change it': {
    access: by({ settings: { read: true, update: true } }),
    call: updateSingle('settings', { name: 'x' }),
    expect: forbidden(),
  },
  'all that a rule finds wrong is told together': {
    access: by({ articles: { create: { validation: { title: { _starts_with: 'A' }, views: { _lt: 9 } } } } }),
    call: createAll('articles', [{ title: 'B', views: 10 }, { title: 'A' }, { title: 'C' }]),
    expect: refused(
      failed('starts_with', 'articles', 'title', [0, 'title']),
      failed('lt', 'articles', 'views', [0, 'views']),
      failed('starts_with', 'articles', 'title', [2, 'title']),
    ),
  },
})
