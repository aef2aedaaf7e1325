// What was done to many items, and what would be: the number and the keys, as the functions return them.
import { titled } from '../../support/titled.ts'
import { answered, type Exchange } from '../exchange.ts'

const left = (...keys: readonly number[]) => ({
  '/items/comments?fields=id': { data: keys.map((id) => ({ id })) },
})
const all = left(1, 2, 3)
const texts = (...values: readonly string[]) => ({
  '/items/comments?fields=text': { data: values.map((text) => ({ text })) },
})
const unchanged = texts('good', 'bad', 'black')
const prefer = { prefer: 'return=representation' }
const applied = { 'preference-applied': 'return=representation' }
const some = { filter: { id: { _gte: 2 } } }

answered([
  ...titled<Exchange>({
    'a deletion by keys says what is gone': {
      send: 'DELETE /items/comments',
      headers: prefer,
      body: [3, 1],
      status: 200,
      answer: { data: { deleted: 2, keys: [3, 1] } },
      shows: applied,
      after: left(2),
    },
    'a deletion by query says what is gone': {
      send: 'DELETE /items/comments',
      headers: { prefer: 'respond-async;x="," , RETURN="representation"; y=1' },
      body: { query: some },
      status: 200,
      answer: { data: { deleted: 2, keys: [2, 3] } },
      shows: applied,
      after: left(1),
    },
    'a deletion by the filter of the URL says what is gone': {
      send: 'DELETE /items/comments?filter[text]=bad',
      headers: prefer,
      status: 200,
      answer: { data: { deleted: 1, keys: [2] } },
      after: left(1, 3),
    },
    'a deletion of nothing says so': {
      send: 'DELETE /items/comments',
      headers: prefer,
      body: [],
      status: 200,
      answer: { data: { deleted: 0, keys: [] } },
      after: all,
    },
    'an update by query says what has changed': {
      send: 'PATCH /items/comments?fields=id',
      headers: prefer,
      body: { query: some, data: { text: 'new' } },
      status: 200,
      answer: { data: { updated: 2, keys: [2, 3] } },
      shows: applied,
      after: texts('good', 'new', 'new'),
    },
    'an update by keys returns its items all the same': {
      send: 'PATCH /items/comments?fields=id',
      headers: prefer,
      body: { keys: [1], data: { text: 'new' } },
      status: 200,
      answer: { data: [{ id: 1 }] },
      shows: { 'preference-applied': undefined },
      after: texts('new', 'bad', 'black'),
    },
    'a dry deletion by query': {
      send: 'DELETE /items/comments',
      body: { query: some, dryRun: true },
      status: 200,
      answer: { data: { deleted: 2, keys: [2, 3] } },
      shows: { 'preference-applied': undefined },
      after: all,
    },
    'a dry deletion by keys': {
      send: 'DELETE /items/comments',
      body: { keys: [1, 2], dryRun: true },
      status: 200,
      answer: { data: { deleted: 2, keys: [1, 2] } },
      after: all,
    },
    'a dry deletion by the filter of the URL': {
      send: 'DELETE /items/comments?filter[text]=bad',
      body: { dryRun: true },
      status: 200,
      answer: { data: { deleted: 1, keys: [2] } },
      after: all,
    },
    'a dry update': {
      send: 'PATCH /items/comments',
      body: { query: some, data: { text: 'new' }, dryRun: true },
      status: 200,
      answer: { data: { updated: 2, keys: [2, 3] } },
      after: unchanged,
    },
    'what is not dry is done': {
      send: 'DELETE /items/comments',
      body: { query: some, dryRun: false },
      status: 204,
      after: left(1),
    },
    'rules narrow what is counted': {
      as: 'editor',
      send: 'PATCH /items/articles',
      body: { query: { filter: { id: { _lte: 2 } } }, data: { notes: 'x' }, dryRun: true },
      status: 200,
      answer: { data: { updated: 2, keys: [1, 2] } },
    },
    'a dry run of what is forbidden': {
      as: 'reader',
      send: 'DELETE /items/articles',
      body: { query: some, dryRun: true },
      status: 403,
      fault: ['FORBIDDEN'],
    },
  }),
  ...['return=minimal', 'return', 'xreturn=representation', 'return=representations', ''].map((other) => ({
    title: `"${other}" asks for no result`,
    send: 'DELETE /items/comments',
    headers: { prefer: other },
    body: [1],
    status: 204,
    shows: { 'preference-applied': undefined },
    after: left(2, 3),
  })),
  ...[null, 1, 'true', {}].flatMap((dryRun) => [
    {
      title: `${JSON.stringify(dryRun)} is no dry deletion`,
      send: 'DELETE /items/comments',
      body: { query: some, dryRun },
      status: 400,
      fault: ['INVALID_PAYLOAD', ['dryRun']] as const,
      after: all,
    },
    {
      title: `${JSON.stringify(dryRun)} is no dry update`,
      send: 'PATCH /items/comments',
      body: { query: some, data: { text: 'x' }, dryRun },
      status: 400,
      fault: ['INVALID_PAYLOAD', ['dryRun']] as const,
      after: unchanged,
    },
  ]),
  {
    title: 'a dry update by keys',
    send: 'PATCH /items/comments',
    body: { keys: [1], data: { text: 'x' }, dryRun: true },
    status: 400,
    fault: ['INVALID_PAYLOAD', ['dryRun']],
    after: unchanged,
  },
  {
    title: 'a dry deletion without a selection',
    send: 'DELETE /items/comments',
    body: { dryRun: true },
    status: 400,
    fault: ['INVALID_PAYLOAD'],
    after: all,
  },
  {
    title: 'a counted update that asks for an unknown field',
    send: 'PATCH /items/comments?fields=nothing',
    headers: prefer,
    body: { query: some, data: { text: 'x' } },
    status: 403,
    fault: ['FORBIDDEN'],
    after: unchanged,
  },
])
