// Versions by their ids, and what is hidden of their items.

import { titled } from '../support/titled.ts'
import { answered, type Exchange } from './exchange.ts'
import { version } from './magazine.ts'

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
  ...titled<Exchange>({
    'they are listed': { send: `GET /versions?${fields}`, status: 200, answer: { data: [draft] } },
    'they are listed like items': {
      send: '/versions?fields=key&filter[collection]=articles&filter[item]=1&sort=key&meta=total_count'.replace(
        /^/,
        'GET ',
      ),
      status: 200,
      answer: { data: [{ key: 'draft' }], meta: { total_count: 1 } },
    },
    'they are counted': {
      send: 'GET /versions?aggregate[count]=*&groupBy=collection',
      status: 200,
      answer: { data: [{ collection: 'articles', count: 1 }] },
    },
    'one is read': { send: `GET /versions/${version}?${fields}`, status: 200, answer: { data: draft } },
    'one counts itself': {
      send: `GET /versions/${version}?fields=key&meta=total_count`,
      status: 200,
      answer: { data: { key: 'draft' }, meta: { total_count: 1 } },
    },
    'one is created': {
      send: 'POST /versions?fields=key,name,item,delta',
      body: { collection: 'articles', item: 2, key: 'spring', name: 'Spring', delta: { title: 'Mocha' } },
      status: 200,
      answer: { data: { key: 'spring', name: 'Spring', item: '2', delta: { title: 'Mocha' } } },
    },
    'several are created, all of them or none': {
      send: 'POST /versions',
      body: [
        { collection: 'articles', item: 2, key: 'spring' },
        { collection: 'articles', item: 2, key: 'spring' },
      ],
      status: 400,
      fault: ['RECORD_NOT_UNIQUE'],
      after: { '/versions?fields=key': { data: [{ key: 'draft' }] } },
    },
    'one of a singleton is created, and read': {
      send: 'POST /versions?fields=key',
      body: { collection: 'site', item: 7, key: 'new', delta: { motto: 'Go' } },
      status: 200,
      answer: { data: { key: 'new' } },
      after: { '/items/site?version=new&fields=motto': { data: { motto: 'Go' } } },
    },
    'none is created without its item': {
      send: 'POST /versions',
      body: { collection: 'articles', key: 'spring' },
      status: 400,
      fault: ['INVALID_PAYLOAD', ['item']],
    },
    'none is created with what versions do not have': {
      send: 'POST /versions',
      body: { collection: 'articles', item: 2, key: 'spring', hash: 'x' },
      status: 400,
      fault: ['INVALID_PAYLOAD', ['hash']],
    },
    'none is created and shown by an unknown field': {
      send: 'POST /versions?fields=nope',
      body: { collection: 'articles', item: 2, key: 'spring' },
      status: 403,
      fault: ['FORBIDDEN', ['fields']],
      after: { '/versions?fields=key': { data: [{ key: 'draft' }] } },
    },
  }),
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
  ...titled<Exchange>({
    'something is saved in one, beside what it holds': {
      send: `POST /versions/${version}/save`,
      body: { title: 'Black tea' },
      status: 200,
      answer: { data: { title: 'Black tea', notes: 'secret' } },
      after: { '/items/articles/1?fields=title': { data: { title: 'Tea' } } },
    },
    'something is saved in one, and answered as it is asked for': {
      send: `POST /versions/${version}/save?fields=key,called,delta&alias[called]=name`,
      body: { title: 'Black tea' },
      status: 200,
      answer: { data: { key: 'draft', called: 'Draft', delta: { title: 'Black tea', notes: 'secret' } } },
    },
    'a wrong query saves nothing': {
      send: `POST /versions/${version}/save?fields=nope`,
      body: { title: 'Black tea' },
      status: 403,
      fault: ['FORBIDDEN', ['fields']],
      after: { [`/versions/${version}?fields=delta`]: { data: { delta: draft.delta } } },
    },
    'a wrong query promotes nothing': {
      send: `POST /versions/${version}/promote?fields=nope`,
      body: { mainHash: 'old' },
      status: 403,
      fault: ['FORBIDDEN', ['fields']],
    },
    'one is saved by objects alone': {
      send: `POST /versions/${version}/save`,
      body: [{ title: 'x' }],
      status: 400,
      fault: ['INVALID_PAYLOAD'],
    },
    'one is promoted with the hash of its item alone': {
      send: `POST /versions/${version}/promote`,
      body: { mainHash: 'old' },
      status: 422,
      fault: ['VERSION_HASH_MISMATCH'],
      after: { '/items/articles/1?fields=title': { data: { title: 'Tea' } } },
    },
    'one is not promoted without': {
      send: `POST /versions/${version}/promote`,
      body: {},
      status: 400,
      fault: ['INVALID_PAYLOAD', ['mainHash']],
    },
    'one is called otherwise': {
      send: `PATCH /versions/${version}?fields=key,name,delta`,
      body: { key: 'spring', name: 'Spring' },
      status: 200,
      answer: { data: { key: 'spring', name: 'Spring', delta: draft.delta } },
      after: { '/items/articles/1?version=spring&fields=title': { data: { title: 'Green tea' } } },
    },
    'one is not given another delta but by saving it': {
      send: `PATCH /versions/${version}`,
      body: { delta: {} },
      status: 400,
      fault: ['INVALID_PAYLOAD', ['delta']],
    },
    'one is not called otherwise by who may not change versions': {
      as: 'keeper',
      send: `PATCH /versions/${version}`,
      body: { name: 'x' },
      status: 403,
      fault: ['FORBIDDEN'],
    },
  }),
  missing('one that is not there is called nothing', `PATCH /versions/${unknown}`, { name: 'x' }),
  ...titled<Exchange>({
    'several are called alike': {
      send: 'PATCH /versions?fields=name',
      body: { keys: [version], data: { name: 'Spring' } },
      status: 200,
      answer: { data: [{ name: 'Spring' }] },
    },
    'several are called otherwise, all of them or none': {
      send: 'PATCH /versions',
      body: [
        { id: version, name: 'Spring' },
        { id: unknown, name: 'Autumn' },
      ],
      status: 404,
      fault: ['NOT_FOUND'],
      after: { '/versions?fields=name': { data: [{ name: 'Draft' }] } },
    },
    'several are changed by a list or by keys alone': {
      send: 'PATCH /versions',
      body: { query: {}, data: {} },
      status: 400,
      fault: ['INVALID_PAYLOAD', ['query']],
    },
    'what is no version in a list is refused where it stands': {
      send: 'PATCH /versions',
      body: [{ id: version, name: 'Spring' }, null],
      status: 400,
      fault: ['INVALID_PAYLOAD', [1]],
      after: { '/versions?fields=name': { data: [{ name: 'Draft' }] } },
    },
    'one without its id is refused where it stands': {
      send: 'PATCH /versions',
      body: [{ name: 'Spring' }],
      status: 400,
      fault: ['INVALID_PAYLOAD', [0, 'id']],
    },
    'one is deleted, and its item stays': {
      send: `DELETE /versions/${version}`,
      status: 204,
      after: { '/versions': { data: [] }, '/items/articles/1?fields=title': { data: { title: 'Tea' } } },
    },
    'several are deleted, all of them or none': {
      send: 'DELETE /versions',
      body: [version, unknown],
      status: 404,
      fault: ['NOT_FOUND'],
      after: { '/versions?fields=key': { data: [{ key: 'draft' }] } },
    },
    'several are deleted by a list alone': {
      send: 'DELETE /versions?filter[key]=draft',
      status: 400,
      fault: ['INVALID_PAYLOAD'],
      after: { '/versions?fields=key': { data: [{ key: 'draft' }] } },
    },
  }),
  ...(
    [
      [`/${version}?filter[key]=zzz`, ['INVALID_QUERY', ['filter']]],
      [`/${version}?nope=1`, ['INVALID_QUERY', ['nope']]],
      [`/${version}`, ['INVALID_PAYLOAD'], { dryRun: true }],
      ['?filter[key]=zzz', ['INVALID_QUERY', ['filter']], [version]],
      ['?nope=1', ['INVALID_QUERY', ['nope']], [version]],
    ] as const
  ).map(([path, fault, body]) => ({
    title: `nothing chooses what is deleted beside its id: ${path} ${JSON.stringify(body)}`,
    send: `DELETE /versions${path}`,
    body,
    status: 400,
    fault,
    after: { '/versions?fields=key': { data: [{ key: 'draft' }] } },
  })),
  {
    title: 'a comparison takes no parameters',
    send: `GET /versions/${version}/compare?nope=1`,
    status: 400,
    fault: ['INVALID_QUERY', ['nope']],
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
  ...titled<Exchange>({
    // "keeper" sees versions, and of articles the title of published ones.
    'what is hidden of an item is hidden in the list of versions': {
      as: 'keeper',
      send: `GET /versions?${fields}&meta=total_count`,
      status: 200,
      answer: { data: [{ ...draft, delta: { title: 'Green tea' } }], meta: { total_count: 1 } },
    },
    'what is hidden of an item is hidden in its version': {
      as: 'keeper',
      send: `GET /versions/${version}?${fields}`,
      status: 200,
      answer: { data: { ...draft, delta: { title: 'Green tea' } } },
    },
    'what is hidden is not found by looking for it': {
      as: 'keeper',
      send: 'GET /versions?filter={"delta":{"_json":{"notes":{"_eq":"secret"}}}}',
      status: 403,
      fault: ['FORBIDDEN'],
    },
    'nor by sorting, grouping or renaming': {
      as: 'keeper',
      send: 'GET /versions?sort=json(delta,notes)',
      status: 403,
      fault: ['FORBIDDEN'],
    },
    'the version of an item that is not seen is not listed': {
      as: 'stranger',
      send: 'GET /versions?meta=total_count',
      status: 200,
      answer: { data: [], meta: { total_count: 0 } },
    },
  }),
  missing('nor is it read', `GET /versions/${version}`, undefined, 'stranger'),
  missing('nor is it compared', `GET /versions/${version}/compare`, undefined, 'stranger'),
])
