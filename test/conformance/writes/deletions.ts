import { titled } from '../../support/titled.ts'
import { create, deleteAll, deleteFound, refused, remove, type WriteCase } from './case.ts'

const missing = (path?: readonly (string | number)[]) => refused({ code: 'NOT_FOUND', ...(path && { path }) })
const noSelector = refused({ code: 'INVALID_PAYLOAD' })
const gone = (...keys: readonly (number | string)[]) => Object.fromEntries(keys.map((key) => [key, null]))

export const deletionCases: readonly WriteCase[] = [
  {
    title: 'a deleted item is gone, with what the database deletes along',
    call: remove('articles', 1),
    expect: undefined,
    leaves: {
      articles: gone(1),
      comments: gone(1, 2),
      notes: { 1: { article: null }, 2: { article: null } },
      articles_tags: gone(1),
      articles_blocks: gone(1, 2),
    },
  },
  ...([99, 'four', 2 ** 40, '99999999999999999999', 0.5, '01', '+1', '1e0', '1.0'] as const).map((key) => ({
    title: `the unknown key ${JSON.stringify(key)} is not found, and nothing is deleted`,
    call: remove('notes', key),
    expect: missing(),
  })),
  ...titled<WriteCase>({
    'an item that others point to is not deleted': {
      call: remove('authors', 1),
      expect: refused({ code: 'INVALID_FOREIGN_KEY', collection: 'authors' }),
    },
    'items of a list of keys are deleted, and told in the order of the list': {
      call: deleteAll('notes', [3, 1]),
      expect: { deleted: 2, keys: [3, 1] },
      leaves: { notes: gone(1, 3) },
    },
    'keys may stand under their name, and as text': {
      call: deleteAll('notes', { keys: ['2'] }),
      expect: { deleted: 1, keys: [2] },
      leaves: { notes: gone(2) },
    },
  }),
  ...['03', '+3', '3e0', '3.0'].map((key) => ({
    title: `a list that holds ${JSON.stringify(key)}, which no number is written as, deletes nothing`,
    call: deleteAll('notes', { keys: [1, key] }),
    expect: missing(['keys', 1]),
  })),
  {
    title: 'a key that is given twice counts once',
    call: deleteAll('notes', [1, '1', 2, 1]),
    expect: { deleted: 2, keys: [1, 2] },
    leaves: { notes: gone(1, 2) },
  },
  ...[{ id: 1 }, null, true, [1]].map((key) => ({
    title: `${JSON.stringify(key)} is no key, and nothing is deleted`,
    call: deleteAll('notes', { keys: [1, key] }),
    expect: refused({ code: 'INVALID_PAYLOAD', path: ['keys', 1] }),
  })),
  {
    title: 'uuids are keys however they are written',
    call: deleteAll('texts', [
      '00000000-0000-4000-8000-000000000001',
      '00000000-0000-4000-8000-000000000001'.toUpperCase(),
    ]),
    expect: { deleted: 1, keys: ['00000000-0000-4000-8000-000000000001'] },
    leaves: { texts: gone('00000000-0000-4000-8000-000000000001') },
  },
  ...[[], { keys: [] }].map((selector) => ({
    title: `no keys in ${JSON.stringify(selector)} delete nothing`,
    call: deleteAll('notes', selector),
    expect: { deleted: 0, keys: [] },
  })),
  ...titled<WriteCase>({
    'one unknown key keeps the others from being deleted': {
      call: deleteAll('notes', [1, 99, 2]),
      expect: missing(),
    },
    'a place that is left free in a list is no key, and keeps the others from being deleted': {
      call: deleteAll('comments', Object.assign(Array(2), { 0: 1 })),
      expect: refused({ code: 'INVALID_PAYLOAD', path: [1] }),
    },
    'a key that cannot be one keeps the others from being deleted': {
      call: deleteAll('notes', [1, 'two']),
      expect: missing([1]),
    },
    'one item that others point to keeps all from being deleted': {
      call: deleteAll('authors', [3, 1]),
      expect: refused({ code: 'INVALID_FOREIGN_KEY', collection: 'authors' }),
    },
    'items of one list may point to each other': {
      before: [create('authors', { name: 'Dee', boss: { name: 'Eve' } })],
      call: deleteFound('authors', { filter: { id: { _gt: 3 } } }),
      expect: { deleted: 2, keys: [4, 5] },
      leaves: { authors: gone(4, 5) },
    },
    'a query says which items are deleted': {
      call: deleteAll('notes', { query: { filter: { article: { _nnull: true } } } }),
      expect: { deleted: 2, keys: [1, 2] },
      leaves: { notes: gone(1, 2) },
    },
    'a filter beside no selector says which items are deleted': {
      call: deleteAll('notes', undefined, { filter: { text: 'loose' } }),
      expect: { deleted: 1, keys: [3] },
      leaves: { notes: gone(3) },
    },
    'a filter in the query and one beside it both hold': {
      call: deleteAll('notes', { query: { filter: { id: { _lt: 3 } } } }, { filter: { id: { _gt: 1 } } }),
      expect: { deleted: 1, keys: [2] },
      leaves: { notes: gone(2) },
    },
    'search, sort, limit and offset may stand beside the query': {
      call: deleteAll(
        'articles',
        { query: { filter: { id: { _gt: 0 } } } },
        { search: 't', sort: ['-id'], limit: 1, offset: 1 },
      ),
      expect: { deleted: 1, keys: [2] },
      leaves: { articles: gone(2), comments: gone(3), articles_tags: gone(2) },
    },
  }),
  ...(['search', 'sort', 'limit', 'offset'] as const).map((name) => {
    const given = { search: 'a', sort: ['id'], limit: 1, offset: 1 }
    return {
      title: `"${name}" in the query and beside it is refused`,
      call: deleteAll(
        'notes',
        { query: { filter: { id: 1 }, [name]: given[name] } },
        { [name]: given[name] },
      ),
      expect: refused({ code: 'INVALID_PAYLOAD', path: ['query', name] }),
    }
  }),
  ...(['filter', 'search', 'sort', 'limit', 'offset'] as const).map((name) => {
    const given = { filter: { id: 1 }, search: 'a', sort: ['id'], limit: 1, offset: 1 }
    return {
      title: `"${name}" beside keys is refused`,
      call: deleteAll('notes', [1], { [name]: given[name] }),
      expect: refused({ code: 'INVALID_PAYLOAD', path: [name] }),
    }
  }),
  {
    title: 'fields and meta beside keys have no effect',
    call: deleteAll('notes', [1], { fields: ['text'], meta: '*' }),
    expect: { deleted: 1, keys: [1] },
    leaves: { notes: gone(1) },
  },
  {
    title: 'fields and meta in a query have no effect',
    call: deleteFound('notes', { filter: { id: 1 }, fields: ['text'], meta: '*' }),
    expect: { deleted: 1, keys: [1] },
    leaves: { notes: gone(1) },
  },
  ...(['page', 'deep', 'alias', 'groupBy', 'aggregate', 'version', 'export', 'nonsense'] as const).map(
    (name) => {
      const given = {
        page: 1,
        deep: { article: { _limit: 1 } },
        alias: { a: 'text' },
        groupBy: ['text'],
        aggregate: { count: ['*'] },
        version: 'draft',
        export: 'csv',
        nonsense: 1,
      }
      return {
        title: `"${name}" has no meaning for a deletion, so it is refused`,
        call: deleteFound('notes', { filter: { id: 1 }, [name]: given[name] }),
        expect: refused({ code: 'INVALID_QUERY', path: [name] }),
      }
    },
  ),
  ...[
    undefined,
    null,
    {},
    { keys: [1], query: { filter: { id: 1 } } },
    { query: undefined },
    { other: [1] },
    { keys: [1], other: 1 },
    'all',
    5,
    true,
  ].map((selector) => ({
    title: `${JSON.stringify(selector)} selects nothing in exactly one way, so nothing is deleted`,
    call: deleteAll('notes', selector),
    expect: noSelector,
  })),
  {
    title: 'keys are a list',
    call: deleteAll('notes', { keys: 1 }),
    expect: refused({ code: 'INVALID_PAYLOAD', path: ['keys'] }),
  },
  {
    title: 'sorting alone selects nothing',
    call: deleteAll('notes', undefined, { sort: ['id'], offset: 1 }),
    expect: noSelector,
  },
  ...[
    {},
    { filter: {} },
    { filter: { _and: [] } },
    { filter: { text: {} } },
    { filter: { _and: [{}, { text: {} }] } },
    { filter: { id: { _nin: [] } } },
    { filter: { article: { comments: { _none: {} } } } },
    { filter: { _and: [{ id: { _nin: [] } }, {}] } },
    { sort: ['id'], offset: 1 },
    { search: '  ' },
  ].map((query) => ({
    title: `the empty ${JSON.stringify(query)} deletes nothing`,
    call: deleteFound('notes', query),
    expect: refused({ code: 'INVALID_PAYLOAD', path: ['filter'] }),
  })),
  ...titled<WriteCase>({
    'an empty _or deletes nothing': {
      call: deleteFound('notes', { filter: { _or: [] }, limit: -1 }),
      expect: refused({ code: 'INVALID_QUERY', path: ['filter', '_or'] }),
    },
    'an empty filter beside no selector deletes nothing': {
      call: deleteAll('notes', undefined, { filter: {} }),
      expect: noSelector,
    },
    'an empty filter with an explicit limit is meant': {
      call: deleteFound('notes', { filter: {}, sort: ['-id'], limit: 2 }),
      expect: { deleted: 2, keys: [3, 2] },
      leaves: { notes: gone(2, 3) },
    },
    'a limit of -1 means every item': {
      call: deleteFound('notes', { limit: -1 }),
      engine: { limits: { defaultLimit: 1 } },
      expect: { deleted: 3, keys: [1, 2, 3] },
      leaves: { notes: gone(1, 2, 3) },
    },
    'a limit of 0 means none': { call: deleteFound('notes', { limit: 0 }), expect: { deleted: 0, keys: [] } },
    'a search alone says which items are deleted': {
      call: deleteFound('notes', { search: ' LOOSE ' }),
      expect: { deleted: 1, keys: [3] },
      leaves: { notes: gone(3) },
    },
    'no default limit applies to what is deleted': {
      call: deleteFound('notes', { filter: { id: { _gt: 0 } } }),
      engine: { limits: { defaultLimit: 1 } },
      expect: { deleted: 3, keys: [1, 2, 3] },
      leaves: { notes: gone(1, 2, 3) },
    },
    'the maximum of lists does not keep what a filter means': {
      call: deleteFound('notes', { filter: { id: { _gt: 0 } } }),
      engine: { limits: { maxLimit: 1 } },
      expect: { deleted: 3, keys: [1, 2, 3] },
      leaves: { notes: gone(1, 2, 3) },
    },
    'an offset without a limit keeps the first ones': {
      call: deleteFound('notes', { filter: { id: { _gt: 0 } }, offset: 1 }),
      expect: { deleted: 2, keys: [2, 3] },
      leaves: { notes: gone(2, 3) },
    },
    'items are sorted by a relation, as a list would show them': {
      call: deleteFound('articles_tags', { sort: ['tags_name.label'], limit: 1 }),
      expect: { deleted: 1, keys: [2] },
      leaves: { articles_tags: gone(2) },
    },
    'a filter over relations says which items are deleted': {
      call: deleteFound('notes', { filter: { article: { author: { name: 'Ada' } } } }),
      expect: { deleted: 2, keys: [1, 2] },
      leaves: { notes: gone(1, 2) },
    },
    'a filter over children deletes each item once': {
      call: deleteFound('articles', { filter: { comments: { text: { _nempty: true } } } }),
      expect: { deleted: 2, keys: [1, 2] },
      leaves: {
        articles: gone(1, 2),
        comments: gone(1, 2, 3),
        notes: { 1: { article: null }, 2: { article: null } },
        articles_tags: gone(1, 2),
        articles_blocks: gone(1, 2),
      },
    },
    'a mistake in a filter deletes nothing': {
      call: deleteFound('notes', { filter: { txt: 'loose' } }),
      expect: refused({ code: 'FORBIDDEN', path: ['filter', 'txt'] }),
    },
    'all mistakes of a query are told together': {
      call: deleteFound('notes', { filter: { id: { _eqq: 1 } }, limit: -5, nonsense: 1 }),
      expect: {
        problems: [
          { code: 'INVALID_QUERY', path: ['filter', 'id', '_eqq'] },
          { code: 'INVALID_QUERY', path: ['limit'] },
          { code: 'INVALID_QUERY', path: ['nonsense'] },
        ],
      },
    },
    'a dry run by keys tells what would be deleted, and deletes nothing': {
      call: deleteAll('notes', [3, 1], undefined, { dryRun: true }),
      expect: { deleted: 2, keys: [3, 1] },
    },
    'a dry run by a query tells what would be deleted, and deletes nothing': {
      call: deleteFound('notes', { filter: { id: { _gt: 1 } } }, { dryRun: true }),
      expect: { deleted: 2, keys: [2, 3] },
    },
    'more keys than may be affected delete nothing': {
      call: deleteAll('notes', [1, 2], undefined, { maxAffected: 1 }),
      expect: refused({ code: 'INVALID_PAYLOAD', path: ['maxAffected'] }),
    },
    'more found items than may be affected delete nothing': {
      call: deleteFound('notes', { filter: { id: { _gt: 0 } } }, { maxAffected: 2 }),
      expect: refused({ code: 'INVALID_PAYLOAD', path: ['maxAffected'] }),
    },
    'without keys, found items are deleted and counted': {
      call: deleteFound('notes', { filter: { id: { _gt: 1 } } }, { keys: false }),
      expect: { deleted: 2 },
      leaves: { notes: gone(2, 3) },
    },
    'without keys, the items of a page are deleted and counted': {
      call: deleteFound('notes', { filter: { id: { _gt: 0 } }, sort: '-id', limit: 2 }, { keys: false }),
      expect: { deleted: 2 },
      leaves: { notes: gone(2, 3) },
    },
    'without keys, more found items than may be affected delete nothing': {
      call: deleteFound('notes', { filter: { id: { _gt: 0 } } }, { maxAffected: 2, keys: false }),
      expect: refused({ code: 'INVALID_PAYLOAD', path: ['maxAffected'] }),
    },
    'without keys, a dry run tells the number alone': {
      call: deleteFound('notes', { filter: { id: { _gt: 1 } } }, { dryRun: true, keys: false }),
      expect: { deleted: 2 },
    },
    'without keys, keys are deleted and counted': {
      call: deleteAll('notes', [1, 2], undefined, { keys: false }),
      expect: { deleted: 2 },
      leaves: { notes: gone(1, 2) },
    },
    'as many items as may be affected are deleted': {
      call: deleteFound('notes', { filter: { id: { _gt: 0 } } }, { maxAffected: 3 }),
      expect: { deleted: 3, keys: [1, 2, 3] },
      leaves: { notes: gone(1, 2, 3) },
    },
  }),
  ...[-1, 1.5, Number.NaN].map((maxAffected) => ({
    title: `maxAffected is not ${maxAffected}`,
    call: deleteFound('notes', { filter: { id: 1 } }, { maxAffected }),
    expect: refused({ code: 'INVALID_OPTIONS', path: ['maxAffected'] }),
  })),
  {
    title: 'items of an unknown collection are not found',
    call: deleteFound('nothing', { filter: { id: 1 } }),
    expect: missing(),
  },
]
