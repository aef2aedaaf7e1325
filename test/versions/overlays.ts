// How versions read, case by case.
import { expect } from 'vitest'
import { titled } from '../support/titled.ts'
import type { VersionCase } from './case.ts'

const refused = (code: string, path: readonly (string | number)[], message: string) => ({
  problems: [{ code, path, message: expect.stringContaining(message) }],
})

export const overlayCases: readonly VersionCase[] = [
  ...titled<VersionCase>({
    'a field takes the place of the one before, in the form of answers': {
      delta: {
        title: 'Green',
        views: '7',
        price: 3,
        at: new Date('2024-06-01T10:00:00Z'),
        words: ['a', 'b'],
      },
      query: { fields: ['title', 'views', 'price', 'at', 'words', 'status'] },
      expect: {
        title: 'Green',
        views: 7,
        price: '3.00',
        at: '2024-06-01T10:00:00.000Z',
        words: ['a', 'b'],
        status: 'published',
      },
    },
    'null takes the place of a value': {
      delta: { views: null, author: null, day: null },
      query: { fields: ['views', 'author.name', 'year(day)'] },
      expect: { views: null, author: null, day_year: null },
    },
    'a draft need not be complete, nor pass its validations': {
      delta: { title: '', author: { born: '1900-01-01' } },
      query: { fields: ['title', 'author.name', 'author.born'] },
      expect: { title: '', author: { name: null, born: '1900-01-01' } },
    },
    'functions and aliases see the new values': {
      delta: { day: '2025-05-06', meta: { size: { w: 8 } }, title: 'New' },
      query: { fields: ['month(day)', 'json(meta, size.w)', 'count(meta)', 't'], alias: { t: 'title' } },
      expect: { day_month: 5, meta_size_w_json: 8, meta_count: 0, t: 'New' },
    },
    'a key of a many-to-one field is read by the normal path': {
      delta: { author: 3 },
      query: { fields: ['author.name', 'author.articles.title'] },
      expect: { author: { name: 'Edsger', articles: [{ title: 'Tea' }, { title: 'Cocoa' }] } },
    },
    'a target that does not exist is null': {
      delta: { author: 77 },
      query: { fields: ['author.name'] },
      expect: { author: null },
    },
    'a raw key that leads nowhere stays': {
      delta: { author: 77 },
      query: { fields: ['author'] },
      expect: { author: 77 },
    },
    'an object without a key is a new target, with a null key': {
      delta: { author: { name: 'New' } },
      query: { fields: ['author.*', 'author.count(articles)'] },
      expect: {
        author: {
          id: null,
          name: 'New',
          born: null,
          pin: null,
          token: null,
          articles: [1],
          remarks: [],
          articles_count: 1,
        },
      },
    },
    'a raw relation to what is new is null': {
      delta: { author: { name: 'New' }, comments: [{ text: 'new' }] },
      query: { fields: ['author', 'comments'] },
      expect: { author: null, comments: [null] },
    },
    'an object with a key is merged over the target': {
      delta: { author: { id: 2, name: 'Hopper' } },
      query: { fields: ['author.id', 'author.name', 'author.born'] },
      expect: { author: { id: 2, name: 'Hopper', born: '1906-12-09' } },
    },
    'what is changed in one place is changed wherever it is met': {
      delta: { author: { id: 2, name: 'Hopper' } },
      query: { fields: ['editor.name', 'comments.writer.name'] },
      expect: {
        editor: { name: 'Hopper' },
        comments: [{ writer: { name: 'Hopper' } }, { writer: { name: 'Ada' } }, { writer: null }],
      },
    },
    'a list is the complete new set of children': {
      delta: { comments: [3, 4, { id: 1, text: 'better' }, { text: 'new' }] },
      query: { fields: ['comments.id', 'comments.text', 'count(comments)'] },
      expect: {
        comments: [
          { id: 1, text: 'better' },
          { id: 3, text: 'fine' },
          { id: 4, text: 'black' },
          { id: null, text: 'new' },
        ],
        comments_count: 4,
      },
    },
    'changes create, update and delete children': {
      delta: {
        comments: { create: [{ text: 'new', likes: 4 }], update: [{ id: 1, likes: 7 }], delete: [2] },
      },
      query: { fields: ['comments.text', 'comments.likes', 'comments.article.title'] },
      expect: {
        comments: [
          { text: 'good', likes: 7, article: { title: 'Tea' } },
          { text: 'fine', likes: null, article: { title: 'Tea' } },
          { text: 'new', likes: 4, article: { title: 'Tea' } },
        ],
      },
    },
    'new children get the defaults of their fields': {
      delta: { author: { id: 3, articles: { create: [{ title: 'Milk' }] } } },
      query: { fields: ['author.articles.title', 'author.articles.status'] },
      expect: {
        author: {
          articles: [
            { title: 'Tea', status: 'published' },
            { title: 'Cocoa', status: 'draft' },
            { title: 'Milk', status: 'draft' },
          ],
        },
      },
    },
    'new children come last in the order of their relation': {
      delta: { notes: { create: [{ text: 'third' }] } },
      query: { fields: ['notes.text', 'notes.position'] },
      expect: {
        notes: [
          { text: 'first', position: 1 },
          { text: 'second', position: 2 },
          { text: 'third', position: 3 },
        ],
      },
    },
    'a junction is changed like other children': {
      delta: { tags: { create: [{ tag: 2 }, { tag: { name: 'fresh' } }], delete: [1] } },
      query: { fields: ['tags.id', 'tags.tag.name', 'tags.position'] },
      expect: {
        tags: [
          { id: 2, tag: { name: 'sweet' }, position: 2 },
          { id: null, tag: { name: 'cold' }, position: 3 },
          { id: null, tag: { name: 'fresh' }, position: 4 },
        ],
      },
    },
    'items of several collections are created and merged': {
      delta: {
        blocks: {
          create: [{ kind: 'quotes', item: { id: 'q9', text: 'new' } }],
          update: [{ id: 1, kind: 'heroes', item: { id: 1, headline: 'Hi' } }],
        },
      },
      query: { fields: ['blocks.id', 'blocks.item:heroes.*', 'blocks.item:quotes.*'] },
      expect: {
        blocks: [
          { id: 2, item: { id: 'q1', text: 'To brew' } },
          { id: 1, item: { id: 1, headline: 'Hi' } },
          { id: null, item: { id: 'q9', text: 'new' } },
        ],
      },
    },
    'deep filters, sorts and pages work on what is changed': {
      delta: { comments: { create: [{ text: 'new', likes: 8 }], update: [{ id: 2, likes: 5 }] } },
      query: {
        fields: ['comments.text', 'last.text'],
        alias: { last: 'comments' },
        deep: {
          comments: { _filter: { likes: { _gte: 3 } }, _sort: '-likes', _limit: 2, _offset: 1 },
          last: { _sort: '-writer.name', _filter: { writer: { name: { _starts_with: 'A' } } } },
        },
      },
      expect: { comments: [{ text: 'bad' }, { text: 'good' }], last: [{ text: 'bad' }] },
    },
    'a deep filter on a new target makes it null': {
      delta: { author: { name: 'New' } },
      query: { fields: ['author.name'], deep: { author: { _filter: { name: 'Old' } } } },
      expect: { author: null },
    },
    'relations that are not changed keep groups and search': {
      delta: { title: 'Green', notes: [] },
      query: {
        fields: ['comments.text', 'found.text', 'title'],
        alias: { found: 'comments' },
        deep: { comments: { _aggregate: { count: '*' } }, found: { _search: 'GOO' } },
      },
      expect: { comments: [{ count: 3 }], found: [{ text: 'good' }], title: 'Green' },
    },
    'nothing hangs on what is new, however it is asked for': {
      delta: { author: { name: 'New' } },
      query: {
        fields: ['author.remarks.text', 'author.count(remarks)', 'author.all.id', 'author.each.id'],
        deep: {
          author: {
            _alias: { all: 'remarks', each: 'remarks' },
            all: { _aggregate: { count: '*', sum: 'likes' } },
            each: { _aggregate: { count: '*' }, _groupBy: 'likes' },
          },
        },
      },
      expect: {
        author: { remarks: [], remarks_count: 0, all: [{ count: 0, sum: { likes: null } }], each: [] },
      },
    },
  }),
  ...Object.entries({
    'sum(comments.likes)': { fields: ['sum(comments.likes)'] },
    'count(hot)': {
      fields: ['count(hot)'],
      alias: { hot: 'comments' },
      deep: { hot: { _filter: { likes: 1 } } },
    },
  }).map(
    ([text, query]): VersionCase => ({
      title: `${text} of a changed relation is refused`,
      delta: { comments: [1] },
      query,
      expect: refused('INVALID_QUERY', ['fields'], `"${text}" cannot be computed of what a version changes.`),
    }),
  ),
  ...Object.entries({
    _aggregate: { _aggregate: { count: '*' } },
    _groupBy: { _groupBy: 'likes' },
    _search: { _search: 'a' },
  }).map(
    ([word, level]): VersionCase => ({
      title: `${word} on a changed relation is refused`,
      delta: { comments: [1] },
      query: { fields: ['comments.text'], deep: { comments: level } },
      expect: refused('INVALID_QUERY', ['deep', 'comments', word], 'which the version changes'),
    }),
  ),
  ...titled<VersionCase>({
    'a filter is met by the version, not by the item': {
      delta: { title: 'Green' },
      query: { fields: ['title'], filter: { title: 'Green' } },
      expect: { title: 'Green' },
    },
    'a version that does not meet the filter is not found': {
      delta: { title: 'Green' },
      query: { fields: ['title'], filter: { title: 'Tea' } },
      expect: { problems: [expect.objectContaining({ code: 'NOT_FOUND' })] },
    },
    'a version makes no groups': {
      delta: { title: 'Green' },
      query: { aggregate: { count: '*' } },
      expect: { problems: [expect.objectContaining({ code: 'INVALID_QUERY', path: ['version'] })] },
    },
    'what is concealed stays concealed': {
      delta: { pin: '9', author: { id: 1, pin: '8' } },
      query: { fields: ['pin', 'author.pin'] },
      expect: { pin: '**********', author: { pin: '**********' } },
    },
    'a raw version lays what was saved over the item, whatever was asked for': {
      delta: { title: 'Green', pin: '9', comments: { create: [{ text: 'new' }] }, author: { name: 'New' } },
      query: { fields: ['id', 'title', 'author.name', 'count(comments)'], versionRaw: true },
      expect: {
        id: 1,
        title: 'Green',
        author: { name: 'New' },
        comments_count: 3,
        pin: '**********',
        comments: { create: [{ text: 'new' }] },
      },
    },
    'main is the item itself': {
      delta: { title: 'Green' },
      query: { fields: ['title'], version: 'main' },
      expect: { title: 'Tea' },
    },
    'main is the item itself, raw or not': {
      delta: { title: 'Green' },
      query: { fields: ['title'], version: 'main', versionRaw: true },
      expect: { title: 'Tea' },
    },
    'an unknown version is not found': {
      delta: { title: 'Green' },
      query: { version: 'Draft' },
      expect: refused('NOT_FOUND', ['version'], 'no such version'),
    },
    'a wrong field is refused as it is without a version': {
      delta: {},
      query: { fields: ['titel'] },
      expect: refused('FORBIDDEN', ['fields'], 'There is no field "titel"'),
    },
    'a version without changes reads as the item': {
      delta: {},
      query: { fields: ['title', 'comments.text'], deep: { comments: { _search: 'bad' } } },
      expect: { title: 'Tea', comments: [{ text: 'bad' }] },
    },
    'a singleton has versions, too': {
      of: 'site',
      delta: { name: 'There', lead: { id: 1, name: 'Lovelace' } },
      query: { fields: ['id', 'name', 'lead.name'] },
      expect: { id: 7, name: 'There', lead: { name: 'Lovelace' } },
    },
    'a raw version of a singleton': {
      of: 'site',
      delta: { lead: { id: 1, name: 'Lovelace' } },
      query: { fields: ['name'], versionRaw: true },
      expect: { name: 'Here', lead: { id: 1, name: 'Lovelace' } },
    },
  }),
]
