// Versions by their ids, and what is hidden of their items.
import { answered, type Exchange } from './exchange.ts'
import { version } from './world.ts'

const unknown = '11111111-1111-4111-8111-111111111112'
const draft = {
  key: 'draft',
  collection: 'articles',
  item: '1',
  delta: { title: 'Green tea', notes: 'secret' },
}
const fields = 'fields=key,collection,item,delta'
const missing = (title: string, send: string, body?: unknown, as = 'admin'): Exchange => ({
  title,
  as,
  send,
  ...(body !== undefined && { body }),
  status: 404,
  fault: ['NOT_FOUND'],
})

answered([
  { title: 'they are listed', send: `GET /versions?${fields}`, status: 200, answer: { data: [draft] } },
  {
    title: 'they are listed like items',
    send: '/versions?fields=key&filter[collection]=articles&filter[item]=1&sort=key&meta=total_count'.replace(
      /^/,
      'GET ',
    ),
    status: 200,
    answer: { data: [{ key: 'draft' }], meta: { total_count: 1 } },
  },
  {
    title: 'they are counted',
    send: 'GET /versions?aggregate[count]=*&groupBy=collection',
    status: 200,
    answer: { data: [{ collection: 'articles', count: 1 }] },
  },
  { title: 'one is read', send: `GET /versions/${version}?${fields}`, status: 200, answer: { data: draft } },
  {
    title: 'one counts itself',
    send: `GET /versions/${version}?fields=key&meta=total_count`,
    status: 200,
    answer: { data: { key: 'draft' }, meta: { total_count: 1 } },
  },
  {
    title: 'one is created',
    send: 'POST /versions?fields=key,name,item,delta',
    body: { collection: 'articles', item: 2, key: 'spring', name: 'Spring', delta: { title: 'Mocha' } },
    status: 200,
    answer: { data: { key: 'spring', name: 'Spring', item: '2', delta: { title: 'Mocha' } } },
  },
  {
    title: 'several are created, all of them or none',
    send: 'POST /versions',
    body: [
      { collection: 'articles', item: 2, key: 'spring' },
      { collection: 'articles', item: 2, key: 'spring' },
    ],
    status: 400,
    fault: ['RECORD_NOT_UNIQUE'],
    after: { '/versions?fields=key': { data: [{ key: 'draft' }] } },
  },
  {
    title: 'one of a singleton is created, and read',
    send: 'POST /versions?fields=key',
    body: { collection: 'site', item: 7, key: 'new', delta: { motto: 'Go' } },
    status: 200,
    answer: { data: { key: 'new' } },
    after: { '/items/site?version=new&fields=motto': { data: { motto: 'Go' } } },
  },
  {
    title: 'none is created without its item',
    send: 'POST /versions',
    body: { collection: 'articles', key: 'spring' },
    status: 400,
    fault: ['INVALID_PAYLOAD', ['item']],
  },
  {
    title: 'none is created with what versions do not have',
    send: 'POST /versions',
    body: { collection: 'articles', item: 2, key: 'spring', hash: 'x' },
    status: 400,
    fault: ['INVALID_PAYLOAD', ['hash']],
  },
  {
    title: 'none is created and shown by an unknown field',
    send: 'POST /versions?fields=nope',
    body: { collection: 'articles', item: 2, key: 'spring' },
    status: 403,
    fault: ['FORBIDDEN', ['fields']],
    after: { '/versions?fields=key': { data: [{ key: 'draft' }] } },
  },
  missing('none is created of what is not there', 'POST /versions', {
    collection: 'articles',
    item: 9,
    key: 'spring',
  }),
  missing('none is created where items have none', 'POST /versions', {
    collection: 'authors',
    item: 1,
    key: 'spring',
  }),
  {
    title: 'something is saved in one, beside what it holds',
    send: `POST /versions/${version}/save`,
    body: { title: 'Black tea' },
    status: 200,
    answer: { data: { title: 'Black tea', notes: 'secret' } },
    after: { '/items/articles/1?fields=title': { data: { title: 'Tea' } } },
  },
  {
    title: 'one is saved by objects alone',
    send: `POST /versions/${version}/save`,
    body: [{ title: 'x' }],
    status: 400,
    fault: ['INVALID_PAYLOAD'],
  },
  {
    title: 'one is promoted with the hash of its item alone',
    send: `POST /versions/${version}/promote`,
    body: { mainHash: 'old' },
    status: 422,
    fault: ['VERSION_HASH_MISMATCH'],
    after: { '/items/articles/1?fields=title': { data: { title: 'Tea' } } },
  },
  {
    title: 'one is not promoted without',
    send: `POST /versions/${version}/promote`,
    body: {},
    status: 400,
    fault: ['INVALID_PAYLOAD', ['mainHash']],
  },
  {
    title: 'one is deleted, and its item stays',
    send: `DELETE /versions/${version}`,
    status: 204,
    after: { '/versions': { data: [] }, '/items/articles/1?fields=title': { data: { title: 'Tea' } } },
  },
  {
    title: 'several are deleted, all of them or none',
    send: 'DELETE /versions',
    body: [version, unknown],
    status: 404,
    fault: ['NOT_FOUND'],
    after: { '/versions?fields=key': { data: [{ key: 'draft' }] } },
  },
  {
    title: 'several are deleted by a list alone',
    send: 'DELETE /versions?filter[key]=draft',
    status: 400,
    fault: ['INVALID_PAYLOAD'],
    after: { '/versions?fields=key': { data: [{ key: 'draft' }] } },
  },
  ...['GET /versions/ID', 'DELETE /versions/ID', 'GET /versions/ID/compare'].map((send) =>
    missing(`${send} of an unknown one`, send.replace('ID', unknown)),
  ),
  ...['save', 'promote'].map((verb) =>
    missing(`${verb} of an unknown one`, `POST /versions/${unknown}/${verb}`, { mainHash: 'x' }),
  ),
  ...[
    'GET /versions',
    `GET /versions/${version}`,
    `GET /versions/${version}/compare`,
    `DELETE /versions/${version}`,
  ].map((send) => missing(`${send} by who sees no versions`, send, undefined, 'curator')),
  // "keeper" sees versions, and of articles the title of published ones.
  {
    title: 'what is hidden of an item is hidden in the list of versions',
    as: 'keeper',
    send: `GET /versions?${fields}&meta=total_count`,
    status: 200,
    answer: { data: [{ ...draft, delta: { title: 'Green tea' } }], meta: { total_count: 1 } },
  },
  {
    title: 'what is hidden of an item is hidden in its version',
    as: 'keeper',
    send: `GET /versions/${version}?${fields}`,
    status: 200,
    answer: { data: { ...draft, delta: { title: 'Green tea' } } },
  },
  {
    title: 'what is hidden is not found by looking for it',
    as: 'keeper',
    send: 'GET /versions?filter={"delta":{"_json":{"notes":{"_eq":"secret"}}}}',
    status: 403,
    fault: ['FORBIDDEN'],
  },
  {
    title: 'nor by sorting, grouping or renaming',
    as: 'keeper',
    send: 'GET /versions?sort=json(delta,notes)',
    status: 403,
    fault: ['FORBIDDEN'],
  },
  {
    title: 'the version of an item that is not seen is not listed',
    as: 'stranger',
    send: 'GET /versions?meta=total_count',
    status: 200,
    answer: { data: [], meta: { total_count: 0 } },
  },
  missing('nor is it read', `GET /versions/${version}`, undefined, 'stranger'),
  missing('nor is it compared', `GET /versions/${version}/compare`, undefined, 'stranger'),
])
