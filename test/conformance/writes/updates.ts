import { titled } from '../../support/titled.ts'
import { failed, refused, update, updateAll, updateEach, updateFound, type WriteCase } from './case.ts'

const title = { fields: ['id', 'title'] }
const now = '2024-03-01T12:00:00.000Z'
const missing = (path?: readonly (string | number)[]) => refused({ code: 'NOT_FOUND', ...(path && { path }) })
const [paul, rita] = ['10000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000002'] as const

export const updateCases: readonly WriteCase[] = [
  ...titled<WriteCase>({
    'an update changes what it names and answers the item': {
      call: update('articles', 1, { title: 'Uno' }, { fields: ['id', 'title', 'views', 'author.name'] }),
      expect: { id: 1, title: 'Uno', views: 10, author: { name: 'Ada' } },
      leaves: { articles: { 1: { title: 'Uno' } } },
    },
    'a key may be given as text': {
      call: update('articles', '1', { views: '11' }, { fields: ['views'] }),
      expect: { views: 11 },
      leaves: { articles: { 1: { views: 11 } } },
    },
    'an update of nothing changes nothing and answers the item': {
      call: update('people', paul, {}, { fields: ['name', 'changed'] }),
      expect: { name: 'Paul', changed: null },
    },
    'an update sets the moment of the last change, and not that of the creation': {
      call: update(
        'people',
        paul,
        { name: 'Paula', changed: '1999-01-01T00:00:00Z' },
        { fields: ['made', 'changed'] },
      ),
      expect: { made: '2020-01-01T00:00:00.000Z', changed: now },
      leaves: { people: { [paul]: { name: 'Paula', changed: now } } },
    },
    'an update by a key in capitals finds the uuid': {
      call: update('people', paul.toUpperCase(), { name: 'Paula' }, { fields: ['id'] }),
      expect: { id: paul },
      leaves: { people: { [paul]: { name: 'Paula', changed: now } } },
    },
    'an update of an unknown key is not found': {
      call: update('articles', 99, { title: 'Uno', author: { name: 'Dee' } }),
      expect: missing([]),
    },
  }),
  ...(['four', 1.5, '', 2 ** 40, '99999999999999999999', '01', '+1', '1e0', '1.0'] as const).map((key) => ({
    title: `an update by the key ${JSON.stringify(key)}, which no item can have, is not found`,
    call: update('articles', key, { title: 'Uno' }),
    expect: missing([]),
  })),
  ...titled<WriteCase>({
    'the own key in a payload is no change of it': {
      call: update('articles', 1, { id: '1', title: 'Uno' }, title),
      expect: { id: 1, title: 'Uno' },
      leaves: { articles: { 1: { title: 'Uno' } } },
    },
    'a key cannot be changed': {
      call: update('articles', 1, { id: 7 }),
      expect: refused({ code: 'INVALID_PAYLOAD', path: ['id'] }),
    },
    'an update checks what it names only': {
      call: update('strict', 1, { level: 2 }, { fields: ['level', 'total'] }),
      expect: { level: 2, total: 4 },
      leaves: { strict: { 1: { level: 2, total: 4, stamped: now } } },
    },
    'what is wrong with an update is told together': {
      call: update('strict', 1, { level: 10, needed: null, code: 'ab', fixed: 'moved', nope: 1 }),
      expect: refused(
        { code: 'INVALID_PAYLOAD', path: ['fixed'] },
        { code: 'FORBIDDEN', path: ['nope'] },
        failed('nnull', 'strict', 'needed', ['needed']),
        failed('regex', 'strict', 'code', ['code']),
        failed('between', 'strict', 'level', ['level']),
      ),
    },
    'what can be no key in an item to update made a server error': {
      call: updateEach('articles', [{ id: {}, title: 'x' }]),
      expect: missing([0, 'id']),
    },
    'what can be no key in a nested item to update made a server error': {
      call: update('articles', 1, { comments: { update: [{ id: [1], text: 'x' }] } }),
      expect: missing(['comments', 'update', 0, 'id']),
    },
    'a place that is left free in a list is no key': {
      call: updateAll('articles', Object.assign(Array(2), { 0: 1 }), { views: 7 }),
      expect: refused({ code: 'INVALID_PAYLOAD', path: [1] }),
    },
    'a place that is left free in a list is no item to change': {
      call: updateEach('articles', Object.assign(Array(2), { 0: { id: 1, views: 7 } })),
      expect: refused({ code: 'INVALID_PAYLOAD', path: [1] }),
    },
    'items with some keys are changed alike and answered in the order of the keys': {
      call: updateAll('articles', [3, 1], { views: 7 }, { fields: ['id', 'views'] }),
      expect: [
        { id: 3, views: 7 },
        { id: 1, views: 7 },
      ],
      leaves: { articles: { 1: { views: 7 }, 3: { views: 7 } } },
    },
    'items with uuids are answered in the order of the keys': {
      call: updateAll('people', [rita, paul], { name: 'Both' }, { fields: ['id'] }),
      expect: [{ id: rita }, { id: paul }],
      leaves: { people: { [paul]: { name: 'Both', changed: now }, [rita]: { name: 'Both', changed: now } } },
    },
    'items with text keys are answered in the order of the keys': {
      call: updateAll('tags', ['hot', 'cold'], { label: 'x' }),
      expect: [
        { name: 'hot', label: 'x' },
        { name: 'cold', label: 'x' },
      ],
      leaves: { tags: { hot: { label: 'x' }, cold: { label: 'x' } } },
    },
    'one unknown key keeps the others from being changed': {
      call: updateAll('articles', [1, 99, 2], { views: 7 }),
      expect: missing([1]),
    },
  }),
  ...(
    [
      ['an unknown field', { titel: 'x' }, { code: 'FORBIDDEN', path: ['titel'] }],
      ['a field and a parameter', { views: 1, fields: ['id'] }, { code: 'FORBIDDEN', path: ['fields'] }],
      ['a value of another type', { views: 'many' }, failed('type', 'articles', 'views', ['views'])],
      ['what is no data and no query', 5, { code: 'INVALID_PAYLOAD', path: [] }],
      ['null', null, { code: 'INVALID_PAYLOAD', path: [] }],
      ['a list', [{ views: 1 }], { code: 'INVALID_PAYLOAD', path: [] }],
      ['a query with a mistake', { fields: ['titel'] }, { code: 'FORBIDDEN', path: ['fields'] }],
    ] as const
  ).map(([what, data, problem]) => ({
    title: `no keys with ${what} behind them are refused like some`,
    call: updateAll('articles', [], data as never),
    expect: refused(problem),
  })),
  ...titled<WriteCase>({
    'no items with a query behind them are none': {
      call: updateEach('articles', [], { fields: ['id', 'title'] }),
      expect: [],
    },
    'no items with a wrong query behind them are refused like some': {
      call: updateEach('articles', [], { fields: ['titel'] }),
      expect: refused({ code: 'FORBIDDEN', path: ['fields'] }),
    },
    'keys and items in one list are refused': {
      call: updateEach('articles', [1, { id: 2, views: 7 }]),
      expect: refused({ code: 'INVALID_PAYLOAD', path: [0] }),
    },
    'a list of keys needs data': {
      call: updateAll('articles', [1, 2], undefined as never),
      expect: refused({ code: 'INVALID_PAYLOAD', path: [0] }),
    },
    'no keys are none': { call: updateAll('articles', [], { views: 7 }), expect: [] },
    'a key that is given twice is changed once, and answered at each place': {
      call: updateAll('articles', [1, 1], { views: 7 }, { fields: ['views'] }),
      expect: [{ views: 7 }, { views: 7 }],
      leaves: { articles: { 1: { views: 7 } } },
    },
    'each item of a list is changed by the key it holds': {
      call: updateEach('articles', [{ id: 2, title: 'Due' }, { id: 1, views: 1, title: 'Uno' }, { id: 3 }], {
        fields: ['id', 'title', 'views'],
      }),
      expect: [
        { id: 2, title: 'Due', views: 20 },
        { id: 1, title: 'Uno', views: 1 },
        { id: 3, title: 'Three', views: null },
      ],
      leaves: { articles: { 1: { title: 'Uno', views: 1 }, 2: { title: 'Due' } } },
    },
    'an item that stands in a list several times is changed in the order of the list': {
      call: updateEach(
        'articles',
        [
          { id: 1, title: 'a' },
          { id: 1, title: 'b' },
          { id: 1, title: 'a' },
        ],
        { fields: ['title'] },
      ),
      expect: [{ title: 'a' }, { title: 'a' }, { title: 'a' }],
      leaves: { articles: { 1: { title: 'a' } } },
    },
    'an item of a list without its key is refused': {
      call: updateEach('articles', [{ id: 1, title: 'Uno' }, { title: 'Due' }]),
      expect: refused({ code: 'INVALID_PAYLOAD', path: [1] }),
    },
    'an item of a list with an unknown key keeps the others from being changed': {
      call: updateEach('articles', [
        { id: 1, title: 'Uno' },
        { id: 99, title: 'Due' },
      ]),
      expect: missing([1]),
    },
    'what is wrong with several items is told together, by their places': {
      call: updateEach('articles', [
        { id: 1, title: null },
        { id: 2, views: 'many' },
      ]),
      expect: refused(
        failed('type', 'articles', 'views', [1, 'views']),
        failed('nnull', 'articles', 'title', [0, 'title']),
      ),
    },
    'items and keys do not stand in one list': {
      call: updateEach('articles', [{ id: 1, title: 'Uno' }, 2]),
      expect: refused({ code: 'INVALID_PAYLOAD', path: [1] }),
    },
  }),
  ...([null, 5, { keys: [1] }] as const).map((items) => ({
    title: `${JSON.stringify(items)} is no list of items to update`,
    call: updateEach('articles', items),
    expect: refused({ code: 'INVALID_PAYLOAD' }),
  })),
  ...titled<WriteCase>({
    'without keys, found items are changed and counted': {
      call: updateFound('articles', { filter: { views: { _gt: 5 } } }, { status: 'read' }, { keys: false }),
      expect: { updated: 2 },
      leaves: { articles: { 1: { status: 'read' }, 2: { status: 'read' } } },
    },
    'every item that a query finds is changed': {
      call: updateFound('articles', { filter: { views: { _gt: 5 } } }, { status: 'read' }),
      expect: { updated: 2, keys: [1, 2] },
      leaves: { articles: { 1: { status: 'read' }, 2: { status: 'read' } } },
    },
    'a query that the change itself would alter is asked once, before': {
      call: updateFound('articles', { filter: { author: { name: { _nnull: true } } } }, { author: null }),
      expect: { updated: 2, keys: [1, 2] },
      leaves: { articles: { 1: { author: null }, 2: { author: null } } },
    },
    'no default limit applies to what is changed': {
      call: updateFound('articles', { filter: { id: { _gt: 0 } } }, { views: 1 }),
      engine: { limits: { defaultLimit: 1 } },
      expect: { updated: 3, keys: [1, 2, 3] },
      leaves: { articles: { 1: { views: 1 }, 2: { views: 1 }, 3: { views: 1 } } },
    },
    'sort, limit and offset say which items are changed': {
      call: updateFound('articles', { sort: ['-id'], limit: 1, offset: 1 }, { views: 1 }),
      expect: { updated: 1, keys: [2] },
      leaves: { articles: { 2: { views: 1 } } },
    },
  }),
  ...[{}, { filter: {} }, { filter: { _and: [] } }, { filter: { id: { _nin: [] } } }, { sort: ['id'] }].map(
    (query) => ({
      title: `nothing is changed by the empty ${JSON.stringify(query)}`,
      call: updateFound('articles', query, { views: 1 }),
      expect: refused({ code: 'INVALID_PAYLOAD', path: ['filter'] }),
    }),
  ),
  ...titled<WriteCase>({
    'a dry run tells what would be changed, and changes nothing': {
      call: updateFound('articles', { filter: { id: { _gt: 1 } } }, { views: 1 }, { dryRun: true }),
      expect: { updated: 2, keys: [2, 3] },
    },
    'more items than may be affected are not changed': {
      call: updateFound('articles', { filter: { id: { _gt: 1 } } }, { views: 1 }, { maxAffected: 1 }),
      expect: refused({ code: 'INVALID_PAYLOAD', path: ['maxAffected'] }),
    },
    'a mistake in a change is told once, however many items it would concern': {
      call: updateFound('articles', { filter: { id: { _gt: 0 } } }, { title: null, views: 'many' }),
      expect: refused(
        failed('type', 'articles', 'views', ['views']),
        failed('nnull', 'articles', 'title', ['title']),
      ),
    },
    'every item that a query finds may hold the key it has': {
      call: updateFound('articles', { filter: { id: 1 } }, { id: 1, views: 1 }),
      expect: { updated: 1, keys: [1] },
      leaves: { articles: { 1: { views: 1 } } },
    },
    'a query cannot give items another key': {
      call: updateFound('articles', { filter: { id: 1 } }, { id: 2, views: 1 }),
      expect: refused({ code: 'INVALID_PAYLOAD', path: ['id'] }),
    },
    'nothing is found and nothing is changed': {
      call: updateFound('articles', { filter: { id: 99 } }, { views: 1 }),
      expect: { updated: 0, keys: [] },
    },
    'unknown parameters of a change are refused': {
      call: updateFound('articles', { filter: { id: 1 }, page: 2, groupBy: ['id'] }, { views: 1 }),
      expect: refused(
        { code: 'INVALID_QUERY', path: ['page'] },
        { code: 'INVALID_QUERY', path: ['groupBy'] },
      ),
    },
  }),
]
