// The roads of writes: each names something in a payload, by a key, or in a query, that may or may not be there.
import {
  compareVersion,
  createVersion,
  deleteVersion,
  type Engine,
  listVersions,
  promoteVersion,
  type Schema,
  saveVersion,
} from '../../../src/index.ts'
import { made } from '../../conformance/writes/call.ts'
import {
  type Call,
  create,
  createAll,
  deleteAll,
  deleteFound,
  remove,
  update,
  updateAll,
  updateEach,
  updateFound,
  updateSingle,
} from '../../conformance/writes/case.ts'

export interface WriteRoad<Sought> {
  readonly title: string
  readonly go: (engine: Engine<Schema>, sought: Sought) => Promise<unknown>
}

const road = <Sought>(title: string, call: (sought: Sought) => Call): WriteRoad<Sought> => ({
  title,
  go: (engine, sought) => made(engine, call(sought)),
})
const of = (name: string, value: unknown) => ({ [name]: value })

/** Values that some type would take, and some would not. */
const values: readonly unknown[] = [
  ...['S', 1, null, true, '1999-09-09', {}, [], [1], [298], [{}]],
  ...[
    { id: 1 },
    { nowhere: 1 },
    [{ nowhere: 1 }],
    { create: [{ nowhere: 1 }] },
    { update: [{ id: 1 }] },
    { delete: [1] },
  ],
]

/** Wherever a field can be named. */
export const fieldRoads: readonly WriteRoad<string>[] = [
  ...values.flatMap((value) => [
    road<string>(`a new item with ${JSON.stringify(value)}`, (name) => create('articles', of(name, value))),
    road<string>(`an update to ${JSON.stringify(value)}`, (name) => update('articles', 1, of(name, value))),
    road<string>(`an item that is nested, with ${JSON.stringify(value)}`, (name) =>
      update('comments', 1, { article: { id: 1, ...of(name, value) } }),
    ),
    road<string>(`a child with ${JSON.stringify(value)}`, (name) =>
      update('authors', 1, { articles: { create: [of(name, value)] } }),
    ),
  ]),
  road('one of several new items', (name) => createAll('articles', [{ title: 'x' }, of(name, 1)])),
  road('several items at once', (name) => updateAll('articles', [1, 2], of(name, 1))),
  road('several items one by one', (name) => updateEach('articles', [{ id: 1, ...of(name, 1) }, { id: 2 }])),
  road('items that a query finds', (name) => updateFound('articles', { filter: { id: 1 } }, of(name, 1))),
  road('what items would be changed', (name) =>
    updateFound('articles', { filter: of(name, 1) }, { title: 'x' }, { dryRun: true }),
  ),
  road('a query for an update', (name) => updateFound('articles', { filter: of(name, 'S') }, { title: 'x' })),
  road('the order of an update', (name) =>
    updateFound('articles', { filter: { id: 1 }, sort: [name], limit: 1 }, { title: 'x' }),
  ),
  road('a query for a deletion', (name) =>
    deleteFound('articles', { filter: of(name, { _starts_with: 'S' }) }),
  ),
  road('the order of a deletion', (name) => deleteFound('articles', { sort: [`-${name}`], limit: 1 })),
  road('a query beside a deletion', (name) =>
    deleteAll('articles', { query: { filter: { id: 1 } } }, { filter: of(name, 1) }),
  ),
  road('the answer of a new item', (name) => create('articles', { title: 'x' }, { fields: [name] })),
  road('the answer of an update', (name) =>
    update('articles', 1, { title: 'x' }, { fields: [`author.articles.${name}`] }),
  ),
  road('the alias of an answer', (name) =>
    update('articles', 1, { title: 'x' }, { fields: ['x'], alias: { x: name } }),
  ),
  road('the children of an answer', (name) =>
    update(
      'articles',
      1,
      { title: 'x' },
      { fields: ['comments.id'], deep: { comments: { _filter: { article: of(name, 1) } } } },
    ),
  ),
  {
    title: 'a version',
    go: (engine, name) => createVersion(engine, 'articles', 1, { key: 'new', delta: of(name, 1) }),
  },
  {
    title: 'something saved in a version',
    go: (engine, name) => saveVersion(engine, 'articles', 1, 'draft', of(name, [{ nowhere: 1 }])),
  },
  {
    title: 'a child in a version',
    go: (engine, name) =>
      saveVersion(engine, 'articles', 1, 'draft', { comments: { create: [{ article: of(name, 1) }] } }),
  },
  {
    title: 'what is promoted',
    go: async (engine, name) => {
      const { mainHash } = await compareVersion(engine, 'articles', 1, 'draft')
      return promoteVersion(engine, 'articles', 1, 'draft', { mainHash, fields: [name] })
    },
  },
]

/** Each is asked with the key of a hidden article, and with a key that no article has. */
export const articleRoads: readonly WriteRoad<number>[] = [
  road('an update', (key) => update('articles', key, { title: 'x' })),
  road('an update of nothing', (key) => update('articles', key, {})),
  road('a wrong update', (key) => update('articles', key, { views: 'x' })),
  road('several items at once', (key) => updateAll('articles', [1, key], { title: 'x' })),
  road('several items one by one', (key) => updateEach('articles', [{ id: key, title: 'x' }])),
  road('items that a query finds', (key) =>
    updateFound('articles', { filter: { id: { _in: [1, key] } } }, { title: 'x' }),
  ),
  road('a deletion', (key) => remove('articles', key)),
  road('a deletion of several', (key) => deleteAll('articles', [1, key])),
  road('a deletion by keys', (key) => deleteAll('articles', { keys: [key] })),
  road('a deletion by a query', (key) => deleteFound('articles', { filter: { id: key } })),
  road('what would be deleted', (key) =>
    deleteFound('articles', { filter: { id: { _in: [1, key] } } }, { dryRun: true }),
  ),
  road('a reference', (key) => update('comments', 1, { article: key })),
  road('a reference of a new item', (key) => create('comments', { state: 'open', article: key })),
  road('a nested reference', (key) => update('comments', 1, { article: { id: key } })),
  road('a nested update', (key) => update('comments', 1, { article: { id: key, views: 'x' } })),
  road('a child that is taken', (key) => update('authors', 1, { articles: [key] })),
  road('a child that is changed', (key) =>
    update('authors', 1, { articles: { update: [{ id: key, title: 'x' }] } }),
  ),
  road('a child that is deleted', (key) => update('authors', 1, { articles: { delete: [key] } })),
  { title: 'a new version', go: (engine, key) => createVersion(engine, 'articles', key, { key: 'draft' }) },
  { title: 'the list of versions', go: (engine, key) => listVersions(engine, 'articles', key) },
  { title: 'a comparison', go: (engine, key) => compareVersion(engine, 'articles', key, 'draft') },
  {
    title: 'something saved',
    go: (engine, key) => saveVersion(engine, 'articles', key, 'draft', { title: 'x' }),
  },
  {
    title: 'a version that is deleted',
    go: (engine, key) => deleteVersion(engine, 'articles', key, 'draft'),
  },
  {
    title: 'a promotion',
    go: (engine, key) => promoteVersion(engine, 'articles', key, 'draft', { mainHash: 'x' }),
  },
]

/** Each is asked with the key of a hidden comment, and with a key that no comment has. */
export const childRoads: readonly WriteRoad<number>[] = [
  road('a child that is kept', (key) => update('articles', 1, { comments: [1, key] })),
  road('a child that is changed', (key) => update('articles', 1, { comments: { update: [{ id: key }] } })),
  road('a child that is deleted', (key) => update('articles', 1, { comments: { delete: [key] } })),
  road('a child of a child', (key) =>
    update('authors', 1, { articles: { update: [{ id: 1, comments: [key] }] } }),
  ),
]

/** Wherever a collection can be named. */
export const collectionRoads: readonly WriteRoad<string>[] = [
  road('a new item', (name) => create(name, { code: 'x' })),
  road('a new item of nothing', (name) => create(name, {}, { fields: ['nowhere'] })),
  road('new items', (name) => createAll(name, [{ code: 'x' }])),
  road('an update', (name) => update(name, 1, { code: 'x' })),
  road('an update of several', (name) => updateAll(name, [1], { code: 'x' })),
  road('an update of each', (name) => updateEach(name, [{ id: 1, code: 'x' }])),
  road('an update by a query', (name) => updateFound(name, { limit: -1 }, { code: 'x' })),
  road('an update of a singleton', (name) => updateSingle(name, { code: 'x' })),
  road('a deletion', (name) => remove(name, 1)),
  road('a deletion of several', (name) => deleteAll(name, [1])),
  road('a deletion by a query', (name) => deleteFound(name, { filter: { id: 1 } })),
  road('a reference to any collection', (name) => create('blocks', { kind: name, item: '1' })),
  road('an item for any collection', (name) => create('blocks', { kind: name, item: { code: 'x' } })),
  road('an item behind a junction', (name) =>
    update('articles', 1, { blocks: { create: [{ kind: name, item: { code: 'x' } }] } }),
  ),
  { title: 'a version', go: (engine, name) => createVersion(engine, name, 1, { key: 'draft' }) },
  { title: 'the list of versions', go: (engine, name) => listVersions(engine, name, 1) },
]
