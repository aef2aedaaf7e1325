// What only the database refuses, told by the names of the schema.

import { titled } from '../../support/titled.ts'
import { create, createAll, deleteFound, refused, update, updateFound, type WriteCase } from './case.ts'

const strict = (code: 'RECORD_NOT_UNIQUE' | 'NOT_NULL_VIOLATION', field: string, path = [field]) =>
  refused({ code, path, collection: 'strict', field })

export const breachCases: readonly WriteCase[] = titled({
  'a key that is taken': {
    call: create('notes', { id: 1, text: 'x' }),
    expect: refused({ code: 'RECORD_NOT_UNIQUE', path: ['id'], collection: 'notes', field: 'id' }),
  },
  'a value that is taken': {
    call: create('authors', { name: 'Dee', email: 'ada@example.org' }),
    expect: refused({ code: 'RECORD_NOT_UNIQUE', path: ['email'], collection: 'authors', field: 'email' }),
  },
  'a value that is taken, by an update': {
    call: update('authors', 2, { email: 'ada@example.org' }),
    expect: refused({ code: 'RECORD_NOT_UNIQUE', path: ['email'], collection: 'authors', field: 'email' }),
  },
  'a value that is taken, by an update of several items alike': {
    call: updateFound('authors', { filter: { id: { _gt: 1 } } }, { email: 'x@example.org' }),
    expect: refused({ code: 'RECORD_NOT_UNIQUE', collection: 'authors', field: 'email' }),
  },
  'values that are taken together': {
    call: create('strict', { site: 'x', slug: 'a' }),
    expect: strict('RECORD_NOT_UNIQUE', 'site'),
  },
  'a value that is taken, nested': {
    call: create('articles', { title: 'New', author: { name: 'Dee', email: 'ada@example.org' } }),
    expect: refused({
      code: 'RECORD_NOT_UNIQUE',
      path: ['author', 'email'],
      collection: 'authors',
      field: 'email',
    }),
  },
  'a column that is null in the database only': {
    call: update('strict', 1, { present: null }),
    expect: strict('NOT_NULL_VIOLATION', 'present'),
  },
  'a key that leads nowhere': {
    call: create('articles', { title: 'New', author: 99 }),
    expect: refused({
      code: 'INVALID_FOREIGN_KEY',
      path: ['author'],
      collection: 'articles',
      field: 'author',
    }),
  },
  'a key among several that leads nowhere': {
    call: createAll('articles', [
      { title: 'A', author: 1 },
      { title: 'B', author: 99 },
    ]),
    expect: refused({
      code: 'INVALID_FOREIGN_KEY',
      path: [1, 'author'],
      collection: 'articles',
      field: 'author',
    }),
  },
  'a key that leads nowhere, nested in a junction': {
    call: update('articles', 1, { tags: { create: [{ tags_name: 'none' }] } }),
    expect: refused({
      code: 'INVALID_FOREIGN_KEY',
      path: ['tags', 'create', 0, 'tags_name'],
      collection: 'articles_tags',
      field: 'tags_name',
    }),
  },
  'an item that something points to': {
    call: deleteFound('tags', { filter: { name: 'hot' } }),
    expect: refused({ code: 'INVALID_FOREIGN_KEY', collection: 'tags' }),
  },
  'a text that is too long for its column, which the database does not name': {
    needs: 'lengthsOfColumns',
    call: create('strict', { slug: 'far too long' }),
    expect: refused({ code: 'VALUE_TOO_LONG', path: [], collection: 'strict' }),
  },
  'a number that is too large for its column, which the database does not name': {
    needs: 'lengthsOfColumns',
    call: create('strict', { positive: 3_000_000_000 }),
    expect: refused({ code: 'VALUE_OUT_OF_RANGE', path: [], collection: 'strict' }),
  },
  'a value that a check of the database refuses': {
    call: create('strict', { positive: -1 }),
    expect: refused({
      code: 'FAILED_VALIDATION',
      path: ['positive'],
      collection: 'strict',
      field: 'positive',
    }),
  },
})
