import { titled } from '../../support/titled.ts'
import { create, createAll, failed, refused, update, type WriteCase } from './case.ts'

const noted = { fields: ['id', 'text', 'article'] }
const now = '2024-03-01T12:00:00.000Z'
const uuid = (digit: string) => `${digit.repeat(8)}-0000-4000-8000-000000000000`

export const createCases: readonly WriteCase[] = [
  ...titled<WriteCase>({
    'a created item is answered as it is stored, with the defaults of its fields': {
      call: create('articles', { title: 'New' }),
      expect: {
        id: 4,
        title: 'New',
        status: 'draft',
        views: 0,
        author: null,
        comments: [],
        notes: [],
        tags: [],
        blocks: [],
      },
      leaves: { articles: { 4: { id: 4, title: 'New', status: 'draft', views: 0 } } },
    },
    'a null that is given takes the place of a default': {
      call: create('articles', { title: 'New', views: null }, { fields: ['views'] }),
      expect: { views: null },
      leaves: { articles: { 4: { id: 4, title: 'New', status: 'draft' } } },
    },
    'what is undefined is not given': {
      call: create(
        'articles',
        { title: 'New', views: undefined, comments: undefined },
        { fields: ['views'] },
      ),
      expect: { views: 0 },
      leaves: { articles: { 4: { id: 4, title: 'New', status: 'draft', views: 0 } } },
    },
    'an item may bring its key, and the next one is counted on from there': {
      before: [create('notes', { id: 50, text: 'far' })],
      call: create('notes', { text: 'next' }, noted),
      expect: { id: 51, text: 'next', article: null },
      leaves: { notes: { 51: { id: 51, text: 'next' } } },
    },
    'an item without any value is created': {
      call: create('notes', {}, noted),
      expect: { id: 4, text: null, article: null },
      leaves: { notes: { 4: { id: 4 } } },
    },
    'the query shapes the answer: fields, aliases, deep and functions': {
      call: create(
        'articles',
        { title: 'New', comments: [{ text: 'b' }, { text: 'a' }, { text: 'c' }], author: 1 },
        {
          fields: ['name', 'author.name', 'count(comments)', 'comments.text'],
          alias: { name: 'title' },
          deep: { comments: { _sort: ['text'], _limit: 2 } },
        },
      ),
      expect: {
        name: 'New',
        author: { name: 'Ada' },
        comments_count: 3,
        comments: [{ text: 'a' }, { text: 'b' }],
      },
      leaves: {
        articles: { 4: { id: 4, title: 'New', status: 'draft', views: 0, author: 1 } },
        comments: {
          4: { id: 4, text: 'b', position: 1, article: 4 },
          5: { id: 5, text: 'a', position: 2, article: 4 },
          6: { id: 6, text: 'c', position: 3, article: 4 },
        },
      },
    },
    'a mistake in the query of the answer creates nothing': {
      call: create('articles', { title: 'New' }, { fields: ['titel'] }),
      expect: refused({ code: 'FORBIDDEN', path: ['fields'] }),
    },
  }),
  ...['filter', 'limit', 'sort', 'search', 'page', 'aggregate'].map((name) => ({
    title: `"${name}" has no meaning for what is answered, so it is refused and nothing is created`,
    call: create('articles', { title: 'New' }, { [name]: name === 'limit' ? 1 : {} }),
    expect: refused({ code: 'INVALID_QUERY', path: [name] }),
  })),
  {
    title: 'an unknown field is refused',
    call: create('articles', { title: 'New', titel: 'Newer' }),
    expect: refused({ code: 'FORBIDDEN', path: ['titel'] }),
  },
  {
    title: 'an unknown collection is not found',
    call: create('nothing', { title: 'New' }),
    expect: refused({ code: 'NOT_FOUND' }),
  },
  ...([undefined, null, 5, 'text', [], new Date(0)] as const).map((data) => ({
    title: `an item is no ${data instanceof Date ? 'date' : JSON.stringify(data)}`,
    call: create('articles', data),
    expect: refused({ code: 'INVALID_PAYLOAD', path: [] }),
  })),
  ...titled<WriteCase>({
    'everything that is wrong with an item is told together, also in what is nested': {
      call: create('articles', {
        status: null,
        views: 'many',
        nope: 1,
        author: { email: 5, boss: { name: null } },
        comments: [{ text: 'fine' }, { position: 1.5 }],
        tags: 'hot',
      }),
      expect: refused(
        failed('type', 'articles', 'views', ['views']),
        { code: 'FORBIDDEN', path: ['nope'] },
        { code: 'INVALID_PAYLOAD', path: ['tags'] },
        failed('type', 'comments', 'position', ['comments', 1, 'position']),
        failed('required', 'articles', 'title', ['title']),
        failed('nnull', 'articles', 'status', ['status']),
        failed('required', 'authors', 'name', ['author', 'name']),
        failed('nnull', 'authors', 'name', ['author', 'boss', 'name']),
      ),
    },
    'values that do not pass their rules are told together': {
      call: create('strict', {
        code: 'ab',
        state: 'maybe',
        level: 10,
        price: '1234.5',
        fixed: 'moved',

        needed: null,
        total: 4,
        author: null,
      }),
      expect: refused(
        failed('in', 'strict', 'state', ['state']),
        { code: 'VALUE_OUT_OF_RANGE', path: ['price'], collection: 'strict', field: 'price', type: 'range' },
        { code: 'INVALID_PAYLOAD', path: ['fixed'] },
        { code: 'INVALID_PAYLOAD', path: ['total'] },
        failed('nnull', 'strict', 'needed', ['needed']),
        failed('regex', 'strict', 'code', ['code']),
        failed('between', 'strict', 'level', ['level']),
        failed('nnull', 'strict', 'author', ['author']),
      ),
    },
    'a text that is too long for its field is refused before any SQL': {
      call: create('strict', { code: 'ABCDEF' }),
      expect: refused({
        code: 'VALUE_TOO_LONG',
        path: ['code'],
        collection: 'strict',
        field: 'code',
        type: 'length',
      }),
    },
    'a decimal is rounded to the scale of its field, and has so many digits before the point': {
      call: create('strict', { price: '999.994' }, { fields: ['price'] }),
      expect: { price: '999.99' },
      leaves: { strict: { 2: { id: 2, price: '999.99', needed: 'here', present: 'there', stamped: now } } },
    },
    'a decimal that needs another digit once it is rounded is out of range': {
      call: create('strict', { price: '999.995' }),
      expect: refused({
        code: 'VALUE_OUT_OF_RANGE',
        path: ['price'],
        collection: 'strict',
        field: 'price',
        type: 'range',
      }),
    },
    'a validation of a related item is met by what is nested': {
      call: create('strict', { author: { name: 'Dee' } }, { fields: ['author'] }),
      expect: { author: 4 },
      leaves: {
        authors: { 4: { id: 4, name: 'Dee' } },
        strict: { 2: { id: 2, author: 4, needed: 'here', present: 'there', stamped: now } },
      },
    },
    'a moment of the last change that may not be null begins with that of the creation': {
      call: create('strict', {}, { fields: ['stamped'] }),
      expect: { stamped: now },
      leaves: { strict: { 2: { id: 2, needed: 'here', present: 'there', stamped: now } } },
    },
    'a validation that names a relation is checked after the write, and undoes it': {
      call: create('pledges', { author: { name: 'Nobody' } }),
      expect: refused({ code: 'FAILED_VALIDATION', path: [], collection: 'pledges', type: 'validation' }),
    },
    'a validation that names a relation sees what was written with it': {
      call: create('pledges', { author: { name: 'Dee' } }, { fields: ['author.name'] }),
      expect: { author: { name: 'Dee' } },
      leaves: { authors: { 4: { id: 4, name: 'Dee' } }, pledges: { 1: { id: 1, author: 4 } } },
    },
    'the engine sets the moment of creation, whatever is given': {
      call: create('people', { id: uuid('a'), name: 'Sue', made: '1999-01-01T00:00:00Z' }),
      expect: { id: uuid('a'), name: 'Sue', made: now, changed: null },
      leaves: { people: { [uuid('a')]: { id: uuid('a'), name: 'Sue', made: now } } },
    },
    'items are created all together and answered in the order given, by number': {
      call: createAll('notes', [{ text: 'c' }, { id: 10, text: 'a' }, { text: 'b', article: 1 }], noted),
      expect: [
        { id: 4, text: 'c', article: null },
        { id: 10, text: 'a', article: null },
        { id: 11, text: 'b', article: 1 },
      ],
      leaves: {
        notes: { 4: { id: 4, text: 'c' }, 10: { id: 10, text: 'a' }, 11: { id: 11, text: 'b', article: 1 } },
      },
    },
    'items are answered in the order given, by uuid': {
      call: createAll('people', [{ id: uuid('C') }, { id: uuid('a') }, { id: uuid('b') }], {
        fields: ['id'],
      }),
      expect: [{ id: uuid('c') }, { id: uuid('a') }, { id: uuid('b') }],
      leaves: {
        people: Object.fromEntries(['a', 'b', 'c'].map((one) => [uuid(one), { id: uuid(one), made: now }])),
      },
    },
    'items are answered in the order given, by text': {
      call: createAll('tags', [{ name: 'z' }, { name: 'B' }, { name: 'a', label: 'A' }]),
      expect: [
        { name: 'z', label: null },
        { name: 'B', label: null },
        { name: 'a', label: 'A' },
      ],
      leaves: { tags: { z: { name: 'z' }, B: { name: 'B' }, a: { name: 'a', label: 'A' } } },
    },
    'no items are none': { call: createAll('notes', []), expect: [] },
    'one item that is wrong keeps the others from being created': {
      call: createAll('articles', [{ title: 'fine' }, { title: null }, { title: 'fine' }, {}]),
      expect: refused(
        failed('nnull', 'articles', 'title', [1, 'title']),
        failed('required', 'articles', 'title', [3, 'title']),
      ),
    },
    'an item that is none is refused by its place': {
      call: createAll('articles', [{ title: 'fine' }, 'text']),
      expect: refused({ code: 'INVALID_PAYLOAD', path: [1] }),
    },
    'a place that is left free in a list is no item': {
      call: createAll('authors', Object.assign(Array(2), { 0: { name: 'Dee' } })),
      expect: refused({ code: 'INVALID_PAYLOAD', path: [1] }),
    },
    'items that do not stand in a list are refused': {
      call: createAll('articles', { title: 'fine' }),
      expect: refused({ code: 'INVALID_PAYLOAD' }),
    },
    'an item that the database refuses keeps the others from being created': {
      call: createAll('authors', [
        { name: 'Dee', email: 'dee@example.org' },
        { name: 'Eve', email: 'ada@example.org' },
      ]),
      expect: refused({
        code: 'RECORD_NOT_UNIQUE',
        path: [1, 'email'],
        collection: 'authors',
        field: 'email',
      }),
    },
    'a text key has to be given': {
      call: create('tags', { label: 'none' }),
      expect: refused(failed('required', 'tags', 'name', ['name'])),
    },
    'a key that is no key of its type is refused': {
      call: create('notes', { id: 'four' }),
      expect: refused(failed('type', 'notes', 'id', ['id'])),
    },
    'a mask that is sent back for a new item is no value': {
      call: create('strict', { secret: '**********' }, { fields: ['secret'] }),
      expect: { secret: null },
      leaves: { strict: { 2: { id: 2, needed: 'here', present: 'there', stamped: now } } },
    },
    'a concealed value is answered as a mask': {
      call: create('strict', { secret: 'bird' }, { fields: ['secret'] }),
      expect: { secret: '**********' },
      leaves: {
        strict: { 2: { id: 2, secret: '**********', needed: 'here', present: 'there', stamped: now } },
      },
    },
    'a mask that is sent back changes nothing': {
      call: update('strict', 1, { secret: '**********', level: 6 }, { fields: ['secret', 'total'] }),
      expect: { secret: '**********', total: 12 },
      leaves: { strict: { 1: { level: 6, total: 12, stamped: now } } },
    },
  }),
]
