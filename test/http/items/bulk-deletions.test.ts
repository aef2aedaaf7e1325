// Many items deleted at once: in exactly one of its shapes, or not at all.

import { titled } from '../../support/titled.ts'
import { answered, type Exchange } from '../exchange.ts'

const left = (...keys: readonly number[]) => ({
  '/items/comments?fields=id': { data: keys.map((id) => ({ id })) },
})
const all = left(1, 2, 3)
const refused = (title: string, send: string, body?: unknown, code = 'INVALID_PAYLOAD'): Exchange => ({
  title,
  send: `DELETE ${send}`,
  ...(body !== undefined && { body }),
  status: 400,
  fault: [code],
  after: all,
})

answered([
  ...titled<Exchange>({
    'by a list of keys': { send: 'DELETE /items/comments', body: [1, 3], status: 204, after: left(2) },
    'by { keys }': { send: 'DELETE /items/comments', body: { keys: [1, '2'] }, status: 204, after: left(3) },
    'by no keys at all': { send: 'DELETE /items/comments', body: [], status: 204, after: all },
    'by { query }': {
      send: 'DELETE /items/comments',
      body: { query: { filter: { article: { title: 'Tea' } } } },
      status: 204,
      after: left(3),
    },
    'by the filter of the URL': {
      send: 'DELETE /items/comments?filter[text]=bad',
      status: 204,
      after: left(1, 3),
    },
    'by the filter of the URL as JSON': {
      send: 'DELETE /items/comments?filter={"id":{"_gte":2}}',
      status: 204,
      after: left(1),
    },
    'by the filter of the URL, with a body of no bytes': {
      send: 'DELETE /items/comments?filter[text]=bad',
      headers: { 'content-type': 'application/json', 'content-length': '0' },
      status: 204,
      after: left(1, 3),
    },
    'by both filters': {
      send: 'DELETE /items/comments?filter[id][_gt]=1',
      body: { query: { filter: { article: 1 } } },
      status: 204,
      after: left(1, 3),
    },
    'by a query that the URL refines': {
      send: 'DELETE /items/comments?sort=-id&limit=1&offset=1',
      body: { query: { filter: { id: { _nnull: true } } } },
      status: 204,
      after: left(1, 3),
    },
    'by a search': {
      send: 'DELETE /items/comments?search=BA',
      body: { query: {} },
      status: 204,
      after: left(1, 3),
    },
    'with parameters that mean nothing here': {
      send: 'DELETE /items/comments?fields=id&meta=*',
      body: [1],
      status: 204,
      after: left(2, 3),
    },
  }),
  refused('not without saying which', '/items/comments'),
  refused('not by an empty filter', '/items/comments', { query: { filter: {} } }),
  refused('not by an empty filter of the URL', '/items/comments?filter={}'),
  ...[{ id: 1 }, [1], null, true].map((key) => ({
    ...refused(`not by ${JSON.stringify(key)} as a key`, '/items/comments', { keys: [key, 1] }),
    fault: ['INVALID_PAYLOAD', ['keys', 0]] as const,
  })),
  {
    ...refused('not by what is no key in a list of keys', '/items/comments', [1, { id: 2 }]),
    fault: ['INVALID_PAYLOAD', [1]],
  },
  {
    ...refused('not by what is no id of a version', '/versions', [{ id: 1 }]),
    fault: ['INVALID_PAYLOAD', [0]],
  },
  refused('not by keys and a query', '/items/comments', { keys: [1], query: { filter: { id: 1 } } }),
  refused('not by keys and a filter', '/items/comments?filter[id]=1', [1]),
  refused('not by keys and a limit', '/items/comments?limit=1', { keys: [1] }),
  refused('not by two limits', '/items/comments?limit=1', { query: { filter: { id: 1 }, limit: 1 } }),
  refused('not by an object of another shape', '/items/comments', { filter: { id: 1 } }),
  refused('not by a misspelt parameter', '/items/comments?filer[id]=1', undefined, 'INVALID_QUERY'),
  refused('not with a version', '/items/comments?version=x', [1], 'INVALID_QUERY'),
  ...titled<Exchange>({
    'all of them or none': {
      send: 'DELETE /items/comments',
      body: [1, 9],
      status: 404,
      fault: ['NOT_FOUND'],
      after: all,
    },
    'none when one of them may not be': {
      as: 'editor',
      send: 'DELETE /items/articles',
      body: { query: { filter: { id: { _nnull: true } } } },
      status: 403,
      fault: ['FORBIDDEN'],
      after: all,
    },
    'none of a collection that is not there': {
      send: 'DELETE /items/nothing',
      body: [1],
      status: 404,
      fault: ['NOT_FOUND'],
    },
    'none of a collection that is not seen': {
      as: 'reader',
      send: 'DELETE /items/comments',
      body: [1],
      status: 404,
      fault: ['NOT_FOUND'],
      after: all,
    },
  }),
])
