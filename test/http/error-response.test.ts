// Everything that can go wrong, as its asker is told of it.
import { expect } from 'vitest'
import { titled } from '../support/titled.ts'
import { answered, type Exchange } from './exchange.ts'

/** A body that is one fixed text, whoever asks. */
const fixed = (code: string, message: string) => ({ errors: [{ message, extensions: { code } }] })
const unauthorized = { 'www-authenticate': 'Bearer', 'cache-control': 'no-store' }

const queries: readonly Exchange[] = [
  ['an unknown parameter', 'limt=1', ['limt']],
  ['a token in the URL', 'access_token=admin', ['access_token']],
  ['a limit that is none', 'limit=ten', ['limit']],
  ['a page before the first', 'page=0', ['page']],
  ['an unknown operator', 'filter[title][_like]=x', ['filter', 'title', '_like']],
  ['a filter that is no JSON', 'filter={', ['filter']],
  ['a value of another type', 'filter[views][_gt]=many', ['filter', 'views', '_gt']],
  ['a version of a list', 'version=draft', ['version']],
  ['a key of an object that is everywhere', 'filter[__proto__][x]=1', ['filter', '__proto__', 'x']],
].map(
  ([what, query, path]): Exchange => ({
    title: `400 for ${what}`,
    send: `GET /items/articles?${String(query)}`,
    status: 400,
    fault: ['INVALID_QUERY', path as readonly string[]],
  }),
)

const forbidden: readonly Exchange[] = ['nope', 'notes', 'author.name', 'comments.text'].map((field) => ({
  title: `403 for the field ${field} that is not there or not seen`,
  as: 'reader',
  send: `GET /items/articles?fields=${field}`,
  status: 403,
  fault: ['FORBIDDEN', ['fields']],
}))

/** One body for what is not there and for what is not seen. */
const missing: readonly Exchange[] = ['nothing', 'words', 'lost', 'versions', 'constructor'].flatMap(
  (name): Exchange[] => [
    {
      title: `404 for the collection ${name}`,
      as: 'reader',
      send: `GET /items/${name}`,
      status: 404,
      answer: fixed('NOT_FOUND', `There is no collection "${name}", or you may not see it.`),
    },
    {
      title: `404 for a change in ${name}`,
      as: 'reader',
      send: `PATCH /items/${name}/1`,
      body: { title: 'x' },
      status: 404,
      answer: fixed('NOT_FOUND', `There is no collection "${name}", or you may not see it.`),
    },
  ],
)

const methods: readonly Exchange[] = [
  ['COPY', '/items/articles', 'GET, SEARCH, POST, PUT, PATCH, DELETE, HEAD, OPTIONS'],
  ['POST', '/items/articles/1', 'GET, PATCH, DELETE, HEAD, OPTIONS'],
  ['PUT', '/items/site', 'GET, SEARCH, PATCH, POST, HEAD, OPTIONS'],
  ['POST', '/items/site/singleton', 'GET, SEARCH, PATCH, HEAD, OPTIONS'],
  ['PUT', '/versions', 'GET, POST, PATCH, DELETE, HEAD, OPTIONS'],
  ['GET', '/versions/1/save', 'POST, OPTIONS'],
  ['POST', '/versions/1/compare', 'GET, HEAD, OPTIONS'],
].flatMap(([method = '', path = '', allow = '']): Exchange[] => [
  {
    title: `405 for ${method} ${path}`,
    send: `${method} ${path}`,
    status: 405,
    fault: ['METHOD_NOT_ALLOWED'],
    shows: { allow },
  },
  { title: `OPTIONS ${path}`, send: `OPTIONS ${path}`, status: 204, shows: { allow } },
])

answered([
  ...queries,
  ...titled<Exchange>({
    'all that is wrong with a query is told at once': {
      send: 'GET /items/articles?limit=x&page=0&fields=nope',
      status: 400,
      answer: {
        errors: [
          {
            message: expect.stringMatching(/"limit"/),
            extensions: { code: 'INVALID_QUERY', path: ['limit'] },
          },
          { message: expect.stringMatching(/"page"/), extensions: { code: 'INVALID_QUERY', path: ['page'] } },
        ],
      },
    },
    '400 for each rule that an item breaks': {
      send: 'POST /items/articles',
      body: { title: '', status: 'lost' },
      status: 400,
      fault: ['FAILED_VALIDATION', ['status']],
    },
    '400 for what is missing in one of several': {
      send: 'POST /items/articles',
      body: [{ title: 'x' }, {}],
      status: 400,
      fault: ['FAILED_VALIDATION', [1, 'title']],
    },
    '400 for a value that is taken': {
      send: 'POST /items/articles',
      body: { title: 'x', code: 'T' },
      status: 400,
      fault: ['RECORD_NOT_UNIQUE'],
    },
    '400 for a key that leads nowhere': {
      send: 'PATCH /items/articles/1',
      body: { author: 9 },
      status: 400,
      fault: ['INVALID_FOREIGN_KEY'],
    },
    '400 for a key that something leads to': {
      send: 'DELETE /items/authors/1',
      status: 400,
      fault: ['INVALID_FOREIGN_KEY'],
    },
    '403 for an unknown field to write': {
      send: 'PATCH /items/articles/1',
      body: { titel: 'x' },
      status: 403,
      fault: ['FORBIDDEN', ['titel']],
    },
  }),
  ...[
    'GET /items/articles',
    'POST /items/articles',
    'DELETE /items/articles/1',
    'GET /nowhere',
    'OPTIONS /items/x',
  ].flatMap((send): Exchange[] => [
    {
      title: `401 for ${send} without a token`,
      as: null,
      send,
      status: 401,
      answer: fixed('INVALID_CREDENTIALS', 'The credentials are missing or not valid.'),
      shows: unauthorized,
    },
    {
      title: `401 for ${send} with a wrong token`,
      as: 'wrong',
      send,
      status: 401,
      fault: ['INVALID_CREDENTIALS'],
      shows: unauthorized,
    },
  ]),
  {
    title: '401 for a token that has expired',
    as: 'expired',
    send: 'GET /items/articles',
    status: 401,
    fault: ['TOKEN_EXPIRED'],
    shows: unauthorized,
  },
  {
    title: '401 before anything is said of a body',
    as: null,
    send: 'POST /items/articles',
    bytes: '{',
    headers: { 'content-type': 'text/plain' },
    status: 401,
    fault: ['INVALID_CREDENTIALS'],
  },
  ...forbidden,
  ...missing,
  ...titled<Exchange>({
    '404 for an item that is not there': { send: 'GET /items/articles/9', status: 404, fault: ['NOT_FOUND'] },
    '404 for a key of another type': { send: 'GET /items/articles/tea', status: 404, fault: ['NOT_FOUND'] },
    '403 for an item that is seen and may not be changed': {
      as: 'editor',
      send: 'PATCH /items/articles/3',
      body: { views: 1 },
      status: 403,
      fault: ['FORBIDDEN'],
    },
    '403 for what is created by who may not': {
      as: 'reader',
      send: 'POST /items/articles',
      body: { title: 'x' },
      status: 403,
      fault: ['FORBIDDEN'],
    },
  }),
  ...methods,
  ...titled<Exchange>({
    '500 with a fixed text where the database fails': {
      send: 'GET /items/lost',
      status: 500,
      answer: fixed('INTERNAL_SERVER_ERROR', 'An unexpected error occurred.'),
      tells: true,
    },
    '500 with the same text where the host cannot tell who asks': {
      as: 'broken',
      send: 'GET /items/articles',
      status: 500,
      answer: fixed('INTERNAL_SERVER_ERROR', 'An unexpected error occurred.'),
      tells: true,
    },
    '503 when to come again': {
      as: 'busy',
      send: 'GET /items/articles',
      status: 503,
      fault: ['SERVICE_UNAVAILABLE'],
      shows: { 'retry-after': /^\d+$/ },
    },
  }),
])
