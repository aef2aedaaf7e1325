// The only item of a collection, by both of its paths.
import { answered, type Exchange } from './exchange.ts'
import { firstNewKey } from './magazine.ts'

const site = { id: 7, title: 'Here', motto: null }

/** By the collection's own path, and by the one below it. */
const ways = ['', '/singleton'].flatMap((below): Exchange[] => [
  { title: `site${below} is read`, send: `GET /items/site${below}`, status: 200, answer: { data: site } },
  {
    title: `site${below} takes fields and counts itself`,
    send: `GET /items/site${below}?fields=title&meta=*`,
    status: 200,
    answer: { data: { title: 'Here' }, meta: { total_count: 1, filter_count: 1 } },
  },
  {
    title: `blank${below} answers what it would start with`,
    send: `GET /items/blank${below}?meta=total_count`,
    status: 200,
    answer: { data: { id: null, title: 'Untitled' }, meta: { total_count: 0 } },
  },
  {
    title: `blank${below} counts nothing, whatever is asked of it`,
    send: `GET /items/blank${below}?fields=title&meta=*`,
    status: 200,
    answer: { data: { title: 'Untitled' }, meta: { total_count: 0, filter_count: 0 } },
  },
  {
    title: `site${below} is changed`,
    send: `PATCH /items/site${below}?fields=id,motto`,
    body: { motto: 'Go' },
    status: 200,
    answer: { data: { id: 7, motto: 'Go' } },
    after: { '/items/site': { data: { ...site, motto: 'Go' } } },
  },
  {
    title: `blank${below} is created by changing it`,
    send: `PATCH /items/blank${below}`,
    body: { title: 'Now' },
    status: 200,
    answer: { data: { id: firstNewKey, title: 'Now' } },
  },
  {
    title: `blank${below} is not created by a caller who may only change it`,
    as: 'painter',
    send: `PATCH /items/blank${below}`,
    body: { title: 'Now' },
    status: 403,
    fault: ['FORBIDDEN'],
    text: /You may not create items of \\"blank\\"/,
    after: { '/items/blank': { data: { id: null, title: 'Untitled' } } },
  },
  {
    title: `site${below} is searched for`,
    send: `SEARCH /items/site${below}`,
    body: { query: { fields: ['title'] } },
    status: 200,
    answer: { data: { title: 'Here' } },
  },
  {
    title: `site${below} is not deleted`,
    send: `DELETE /items/site${below}`,
    status: 405,
    fault: ['METHOD_NOT_ALLOWED'],
  },
  {
    title: `site${below} takes no list`,
    send: `PATCH /items/site${below}`,
    body: [{ motto: 'Go' }],
    status: 400,
    fault: ['INVALID_PAYLOAD'],
  },
  {
    title: `site${below} has no such version`,
    send: `GET /items/site${below}?version=none`,
    status: 404,
    fault: ['NOT_FOUND'],
  },
])

answered([
  ...ways,
  {
    title: 'a singleton is created while there is none',
    send: 'POST /items/blank',
    body: { title: 'Now' },
    status: 200,
    answer: { data: { id: firstNewKey, title: 'Now' } },
  },
  {
    title: 'it is created by who may not read it',
    as: 'writer',
    send: 'POST /items/blank',
    body: { title: 'Now' },
    status: 204,
    after: { '/items/blank?fields=title': { data: { title: 'Now' } } },
  },
  {
    title: 'there is no second one',
    send: 'POST /items/site',
    body: { title: 'There' },
    status: 400,
    fault: ['INVALID_PAYLOAD'],
  },
  { title: 'it is read by its key', send: 'GET /items/site/7', status: 200, answer: { data: site } },
  { title: 'it is deleted by its key', send: 'DELETE /items/site/7', status: 204 },
  {
    title: 'a collection of many has no /singleton',
    send: 'GET /items/articles/singleton',
    status: 404,
    fault: ['NOT_FOUND'],
  },
  {
    title: 'not even where a key is called so',
    send: 'GET /items/words/singleton',
    status: 404,
    fault: ['NOT_FOUND'],
  },
  {
    title: 'a collection that is not there has none',
    send: 'PATCH /items/nothing/singleton',
    body: {},
    status: 404,
    fault: ['NOT_FOUND'],
  },
  // What is not seen is answered as what is not there, by any method.
  ...['GET', 'PATCH', 'DELETE'].flatMap((method): Exchange[] =>
    ['site', 'nothing'].map((name) => ({
      title: `who sees nothing is told nothing of ${name} by ${method}`,
      as: 'nobody',
      send: `${method} /items/${name}`,
      ...(method !== 'GET' && { body: method === 'PATCH' ? [{ id: 7 }] : [7] }),
      status: 404,
      answer: {
        errors: [
          {
            message: `There is no collection "${name}", or you may not see it.`,
            extensions: { code: 'NOT_FOUND' },
          },
        ],
      },
    })),
  ),
  ...['site', 'nothing', 'articles'].map(
    (name): Exchange => ({
      title: `what may be done with ${name} tells nothing of it, either`,
      as: 'nobody',
      send: `OPTIONS /items/${name}`,
      status: 204,
      shows: { allow: 'GET, SEARCH, POST, PUT, PATCH, DELETE, HEAD, OPTIONS' },
    }),
  ),
])
