// Lists whose query is in the body, and lists as files.

import { titled } from '../support/titled.ts'
import { answered, type Exchange } from './exchange.ts'

const ids = (...keys: readonly number[]) => ({ data: keys.map((id) => ({ id })) })

const exchanges: readonly Exchange[] = [
  ...titled<Exchange>({
    'a query in the body is read like one of a URL': {
      send: 'SEARCH /items/articles',
      body: { query: { fields: 'id', filter: { views: { _gt: '5' } }, sort: '-id', limit: '1' } },
      status: 200,
      answer: ids(3),
      shows: { etag: /^W\// },
    },
    'groups in the body are kept by their aggregates': {
      send: 'SEARCH /items/articles',
      body: { query: { groupBy: ['status'], having: { sum: { views: { _gt: '5' } } } } },
      status: 200,
      answer: { data: [{ status: 'published' }] },
    },
    'groups among keys are kept by their aggregates': {
      send: 'SEARCH /items/articles',
      body: { keys: [1, 2], query: { groupBy: ['status'], having: { count: 1 }, sort: '-status' } },
      status: 200,
      answer: { data: [{ status: 'published' }, { status: 'draft' }] },
    },
    'it takes the place of the URL': {
      send: 'SEARCH /items/articles?fields=title&limit=1',
      body: { query: { fields: ['id'] } },
      status: 200,
      answer: ids(1, 2, 3),
    },
    'without a body it is the query of the URL': {
      send: 'SEARCH /items/articles?fields=id&limit=1',
      status: 200,
      answer: ids(1),
    },
    'keys are found among what the URL finds': {
      send: 'SEARCH /items/articles?fields=id&filter[status]=published&sort=-id',
      body: { keys: [1, 2, 3, 9] },
      status: 200,
      answer: ids(3, 1),
    },
    'no keys find nothing': {
      send: 'SEARCH /items/articles',
      body: { keys: [] },
      status: 200,
      answer: ids(),
    },
    'who asks sees no more by keys': {
      as: 'reader',
      send: 'SEARCH /items/articles?fields=id',
      body: { keys: [1, 2] },
      status: 200,
      answer: ids(1),
    },
    'keys are found among what a query beside them finds': {
      send: 'SEARCH /items/articles?fields=title&limit=1',
      body: { keys: [1, 2, 3, 9], query: { fields: 'id', filter: { status: 'published' }, sort: '-id' } },
      status: 200,
      answer: ids(3, 1),
    },
    'a query beside keys says which of them, and how many': {
      send: 'SEARCH /items/articles',
      body: { keys: [3, 2, 1], query: { fields: ['id'], limit: '1', offset: 1, meta: 'filter_count' } },
      status: 200,
      answer: { ...ids(2), meta: { filter_count: 3 } },
    },
    'keys are a list': {
      send: 'SEARCH /items/articles',
      body: { keys: '1,2' },
      status: 400,
      fault: ['INVALID_PAYLOAD', ['keys']],
    },
    'of texts and numbers': {
      send: 'SEARCH /items/articles',
      body: { keys: [1, null] },
      status: 400,
      fault: ['INVALID_PAYLOAD', ['keys', 1]],
    },
    'a body says something': {
      send: 'SEARCH /items/articles',
      body: {},
      status: 400,
      fault: ['INVALID_PAYLOAD'],
    },
    'and nothing else': {
      send: 'SEARCH /items/articles',
      body: { filter: {} },
      status: 400,
      fault: ['INVALID_PAYLOAD', ['filter']],
    },
    'what is wrong with a query in the body is told like that of a URL': {
      send: 'SEARCH /items/articles',
      body: { query: { filter: { titel: { _eq: 1 } } } },
      status: 403,
      fault: ['FORBIDDEN', ['filter', 'titel']],
    },
    'a file of a list': {
      send: 'GET /items/articles?fields=id,title&export=csv',
      status: 200,
      text: 'id,title\r\n1,Tea\r\n2,Coffee\r\n3,Cocoa\r\n',
      shows: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="articles-20240301T120000Z.csv"',
        'x-content-type-options': 'nosniff',
        'x-truncated': undefined,
        etag: undefined,
      },
    },
  }),
  ...['json', 'xml', 'yaml'].map((format) => ({
    title: `a file of ${format}`,
    send: `GET /items/articles?fields=title&export=${format}&limit=1`,
    status: 200,
    text: /Tea/,
    shows: { 'content-disposition': new RegExp(`\\.${format}"$`) },
  })),
  ...titled<Exchange>({
    'a file of what was searched for': {
      send: 'SEARCH /items/articles',
      body: { query: { fields: ['id'], export: 'csv', filter: { id: 2 } } },
      status: 200,
      text: 'id\r\n2\r\n',
    },
    'a file holds what its reader may see': {
      as: 'reader',
      send: 'GET /items/articles?export=csv',
      status: 200,
      text: 'id,title,status,author\r\n1,Tea,published,1\r\n3,Cocoa,published,2\r\n',
    },
    'no file of what is not seen': {
      as: 'reader',
      send: 'GET /items/words?export=csv',
      status: 404,
      fault: ['NOT_FOUND'],
    },
    'no file in a format of its own': {
      send: 'GET /items/articles?export=pdf',
      status: 400,
      fault: ['INVALID_QUERY', ['export']],
    },
    'no file of one item': {
      send: 'GET /items/articles/1?export=csv',
      status: 400,
      fault: ['INVALID_QUERY', ['export']],
    },
    'where the database fails, a file fails before it begins': {
      send: 'GET /items/lost?export=csv',
      status: 500,
      fault: ['INTERNAL_SERVER_ERROR'],
      tells: true,
    },
    'HEAD tells of a list what GET tells, without its body': {
      send: 'HEAD /items/articles?fields=id',
      status: 200,
      shows: { 'content-type': 'application/json; charset=utf-8', etag: /^W\// },
    },
    'HEAD tells of a file, too': {
      send: 'HEAD /items/articles?export=csv',
      status: 200,
      shows: { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': /csv"$/ },
    },
    'HEAD tells of what is not there': { send: 'HEAD /items/articles/9', status: 404, text: /^$/ },
  }),
]

/** The same by POST, for clients and proxies that do not know SEARCH. What it answers has no entity tag. */
const byPost = exchanges
  .filter(({ send }) => send.startsWith('SEARCH '))
  .map(({ title, send, shows: { etag: _, ...shows } = {}, ...rest }) => ({
    ...rest,
    title: `${title}, by POST`,
    send: send.replace(/^SEARCH ([^?]*)/, 'POST $1/search'),
    shows,
  }))

answered([
  ...exchanges,
  ...byPost,
  ...titled<Exchange>({
    'an item whose key is the word is there by the other methods': {
      send: 'GET /items/words/search',
      status: 404,
      fault: ['NOT_FOUND'],
    },
    'what is searched is told like what is listed': {
      send: 'POST /items/nothing/search',
      body: { keys: [1] },
      status: 404,
      fault: ['NOT_FOUND'],
    },
  }),
])
