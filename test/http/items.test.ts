// Items: listed, created, read, changed and deleted.

import { titled } from '../support/titled.ts'
import { answered, type Exchange } from './exchange.ts'
import { firstNewKey } from './magazine.ts'

const ids = (...keys: readonly number[]) => ({ data: keys.map((id) => ({ id })) })
const tea = {
  id: 1,
  title: 'Tea',
  status: 'published',
  views: 10,
  code: 'T',
  notes: 'hot',
  author: 1,
  comments: [1, 2],
}
const titles = '/items/articles?fields=title'
const named = (...names: readonly string[]) => ({ data: names.map((title) => ({ title })) })

answered([
  ...titled<Exchange>({
    'a list holds the items that its query wants': {
      send: 'GET /items/articles?fields=id,author.name&filter[status]=published&sort=-views&limit=1',
      status: 200,
      answer: { data: [{ id: 1, author: { name: 'Ada' } }] },
      shows: { 'content-type': 'application/json; charset=utf-8', etag: /^W\/".+"$/ },
    },
    'a list tells about itself when it is asked': {
      send: 'GET /items/articles?fields=id&limit=1&meta=total_count,filter_count&filter={"views":{"_gt":5}}',
      status: 200,
      answer: { data: [{ id: 1 }], meta: { total_count: 3, filter_count: 2 } },
    },
    'a list can be of groups': {
      send: 'GET /items/articles?groupBy=status&aggregate[sum]=views',
      status: 200,
      answer: {
        data: [
          { status: 'draft', sum: { views: 5 } },
          { status: 'published', sum: { views: 17 } },
        ],
      },
    },
  }),
  ...[
    'having[sum][views][_gt]=5',
    'having={"sum":{"views":{"_gt":5}}}',
    'having[_and][0]={"sum":{"views":{"_gt":"5"}}}',
  ].map((having) => ({
    title: `a list can be of groups by their aggregates: ${having}`,
    send: `GET /items/articles?groupBy=status&${having}`,
    status: 200,
    answer: { data: [{ status: 'published' }] },
  })),
  {
    title: 'a list of groups can be exported by their aggregates',
    send: 'GET /items/articles?groupBy=status&having[sum][views][_gt]=5&export=csv',
    status: 200,
    text: 'status\r\npublished\r\n',
  },
  {
    title: 'a list holds what its reader may see',
    as: 'reader',
    send: 'GET /items/articles?meta=total_count',
    status: 200,
    answer: {
      data: [
        { id: 1, title: 'Tea', status: 'published', author: 1 },
        { id: 3, title: 'Cocoa', status: 'published', author: 2 },
      ],
      meta: { total_count: 2 },
    },
  },
  { title: 'an item is read by its key', send: 'GET /items/articles/1', status: 200, answer: { data: tea } },
  ...(
    [
      ['filter[id]=6', ['INVALID_QUERY', ['filter']]],
      ['limit=0', ['INVALID_QUERY', ['limit']]],
      ['nope=1', ['INVALID_QUERY', ['nope']]],
      ['dryRun=true', ['INVALID_QUERY', ['dryRun']]],
      ['fields=nope', ['FORBIDDEN', ['fields']]],
      ['', ['INVALID_PAYLOAD'], { dryRun: true }],
      ['', ['INVALID_PAYLOAD'], { keys: [6] }],
      ['', ['INVALID_PAYLOAD'], []],
    ] as const
  ).map(([query, fault, body]) => ({
    title: `nothing chooses what is deleted beside its address: ?${query} ${JSON.stringify(body)}`,
    send: `DELETE /items/articles/3?${query}`,
    body,
    status: fault[0] === 'FORBIDDEN' ? 403 : 400,
    fault,
    after: { [titles]: named('Tea', 'Coffee', 'Cocoa') },
  })),
  ...['01', '%2B1', '1e0', '1.0'].map((key) => ({
    title: `an item has no second address ${key}`,
    send: `GET /items/articles/${key}`,
    status: 404,
    fault: ['NOT_FOUND'] as const,
  })),
  ...titled<Exchange>({
    'an item counts itself': {
      send: 'GET /items/articles/1?fields=id&meta=*',
      status: 200,
      answer: { data: { id: 1 }, meta: { total_count: 1, filter_count: 1 } },
    },
    'an item is read in a version': {
      send: 'GET /items/articles/1?fields=title,notes&version=draft',
      status: 200,
      answer: { data: { title: 'Green tea', notes: 'secret' } },
    },
    'an item is created, and answered as its query wants': {
      send: 'POST /items/articles?fields=id,title,author.name',
      body: { title: 'Milk', author: 2 },
      status: 200,
      answer: { data: { id: firstNewKey, title: 'Milk', author: { name: 'Bo' } } },
    },
    'an item is created with what is nested in it': {
      send: 'POST /items/articles?fields=title,author.name,comments.text',
      body: { title: 'Milk', author: { name: 'Cy' }, comments: [{ text: 'white' }] },
      status: 200,
      answer: { data: { title: 'Milk', author: { name: 'Cy' }, comments: [{ text: 'white' }] } },
    },
    'items are created together, and answered in their order': {
      send: 'POST /items/articles?fields=title',
      body: [{ title: 'Zest' }, { title: 'Ale' }],
      status: 200,
      answer: named('Zest', 'Ale'),
      after: { [titles]: named('Tea', 'Coffee', 'Cocoa', 'Zest', 'Ale') },
    },
    'no items are created of an empty list': {
      send: 'POST /items/articles',
      body: [],
      status: 200,
      answer: { data: [] },
    },
    'who may not read what they create is answered nothing': {
      as: 'writer',
      send: 'POST /items/articles',
      body: { title: 'Milk' },
      status: 204,
      shows: { 'content-type': undefined },
      after: { [titles]: named('Tea', 'Coffee', 'Cocoa', 'Milk') },
    },
    'nor are they answered for several': {
      as: 'writer',
      send: 'POST /items/articles',
      body: [{ title: 'Milk' }, { title: 'Ale' }],
      status: 204,
    },
    'an item is changed': {
      send: 'PATCH /items/articles/1?fields=id,title,views',
      body: { title: 'Green tea' },
      status: 200,
      answer: { data: { id: 1, title: 'Green tea', views: 10 } },
    },
    'who does not see what an item becomes is answered nothing': {
      as: 'curator',
      send: 'PATCH /items/articles/1',
      body: { status: 'draft' },
      status: 204,
    },
    'items are changed alike by their keys': {
      send: 'PATCH /items/articles?fields=id,views',
      body: { keys: [2, 3], data: { views: 1 } },
      status: 200,
      answer: {
        data: [
          { id: 2, views: 1 },
          { id: 3, views: 1 },
        ],
      },
    },
    'items are changed alike by a query': {
      send: 'PATCH /items/articles?fields=id,views',
      body: { query: { filter: { status: 'published' }, sort: ['-id'] }, data: { views: 1 } },
      status: 200,
      answer: {
        data: [
          { id: 3, views: 1 },
          { id: 1, views: 1 },
        ],
      },
    },
    'a query that finds nothing changes nothing': {
      send: 'PATCH /items/articles',
      body: { query: { filter: { id: 9 } }, data: { views: 1 } },
      status: 200,
      answer: { data: [] },
    },
    'items are changed each by the key it holds': {
      send: 'PATCH /items/articles?fields=title',
      body: [
        { id: 3, title: 'Chocolate' },
        { id: 1, title: 'Green tea' },
      ],
      status: 200,
      answer: named('Chocolate', 'Green tea'),
    },
    'an empty list of items changes nothing': {
      send: 'PATCH /items/articles',
      body: [],
      status: 200,
      answer: { data: [] },
    },
    'keys are not taken for items to change': {
      send: 'PATCH /items/articles',
      body: [1, 2],
      status: 400,
      fault: ['INVALID_PAYLOAD', [0]],
    },
    'nor are items taken for keys': {
      send: 'PATCH /items/articles',
      body: { keys: [{ id: 1, title: 'Green tea' }], data: {} },
      status: 400,
      fault: ['INVALID_PAYLOAD', ['keys', 0]],
    },
    'of several items all are changed or none': {
      send: 'PATCH /items/articles',
      body: { keys: [1, 9], data: { views: 1 } },
      status: 404,
      fault: ['NOT_FOUND'],
      after: { '/items/articles/1?fields=views': { data: { views: 10 } } },
    },
    'keys and a query do not go together': {
      send: 'PATCH /items/articles',
      body: { keys: [1], query: { filter: { id: 1 } }, data: { views: 1 } },
      status: 400,
      fault: ['INVALID_PAYLOAD'],
    },
    'nothing is changed without being told to what': {
      send: 'PATCH /items/articles',
      body: { keys: [1] },
      status: 400,
      fault: ['INVALID_PAYLOAD'],
    },
    'a change knows no other words': {
      send: 'PATCH /items/articles',
      body: { keys: [1], data: {}, filter: {} },
      status: 400,
      fault: ['INVALID_PAYLOAD', ['filter']],
    },
    'an empty filter changes nothing': {
      send: 'PATCH /items/articles',
      body: { query: { filter: {} }, data: { views: 1 } },
      status: 400,
      fault: ['INVALID_PAYLOAD'],
    },
    'an item is deleted': {
      send: 'DELETE /items/words/a%2Fb',
      status: 204,
      shows: { 'content-type': undefined },
      after: { '/items/words?fields=word&filter[word]=a/b': { data: [] } },
    },
    'an item is deleted beside the fields of its tag, which choose nothing': {
      send: 'DELETE /items/words/a%2Fb?fields=word',
      status: 204,
      after: { '/items/words?fields=word&filter[word]=a/b': { data: [] } },
    },
    'a write has no meta, and says so': {
      send: 'PATCH /items/articles/1?meta=*',
      body: { views: 1 },
      status: 400,
      text: /\\"meta\\" has no meaning here; the query only selects fields/,
    },
    'what creates without reading is not chosen by a filter either': {
      as: 'writer',
      send: 'POST /items/articles?filter[id]=1',
      body: { title: 'Milk' },
      status: 400,
      fault: ['INVALID_QUERY', ['filter']],
      after: { [titles]: named('Tea', 'Coffee', 'Cocoa') },
    },
    'a deleted item is gone': { send: 'DELETE /items/articles/9', status: 404, fault: ['NOT_FOUND'] },
    'an item that is read may not be deleted by everybody': {
      as: 'editor',
      send: 'DELETE /items/articles/3',
      status: 403,
      fault: ['FORBIDDEN'],
    },
    'an item that is not seen is not found': {
      as: 'reader',
      send: 'GET /items/articles/2',
      status: 404,
      fault: ['NOT_FOUND'],
    },
    'a list is read by GET alone': {
      send: 'GET /items/articles?fields=id',
      status: 200,
      answer: ids(1, 2, 3),
    },
  }),
])
