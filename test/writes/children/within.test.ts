// Items that are linked through a relation with a condition, by their keys or by objects with nothing else.
import { beforeEach, describe, expect, it } from 'vitest'
import {
  compareVersion,
  createEngine,
  createItem,
  createVersion,
  defineSchema,
  type Engine,
  getItem,
  promoteVersion,
  type Schema,
  type SchemaDefinition,
  saveVersion,
  updateItem,
} from '../../../src/index.ts'
import { databases, type OpenDatabase, openPostgres } from '../../support/databases.ts'
import { integer, key, maybeOne, number, string, text } from '../../support/fields.ts'
import { behindRival } from '../../support/waiting-transactions.ts'

const article = maybeOne('articles')
const schema: Schema = defineSchema<SchemaDefinition>({
  articles: {
    versioned: true,
    fields: {
      id: key,
      title: text,
      all: { type: 'o2m', from: 'comments.article' },
      remarks: { type: 'o2m', from: 'comments.article' },
      notes: { type: 'o2m', from: 'comments.article', filter: { kind: 'note' } },
      pairs: { type: 'o2m', from: 'pairs.article', filter: { kind: 'note' } },
      praise: { type: 'o2m', from: 'pairs.article', filter: { stars: { _gte: 4 } } },
    },
  },
  comments: { fields: { id: key, kind: text, article } },
  pairs: { key: ['a', 'b'], fields: { a: string, b: integer, kind: text, stars: number, article } },
  blocks: {
    fields: {
      id: key,
      kind: { ...text, nullable: true },
      item: { type: 'any', to: ['pairs'], by: 'kind', nullable: true, filter: { pairs: { kind: 'note' } } },
    },
  },
})
const tables = [
  'create table articles (id integer primary key, title text)',
  `insert into articles values (1, 'x'), (2, 'y')`,
  'create table comments (id integer primary key, kind text, article integer)',
  `insert into comments values (1, 'note', 1), (2, 'other', 2)`,
  'create table pairs (a varchar(9), b integer, kind text, stars integer, article integer, primary key (a, b))',
  `insert into pairs values ('p', 1, 'note', 5, 1), ('p', 2, 'other', 3, 1)`,
  'create table blocks (id integer primary key, kind text, item text)',
  'insert into blocks values (1, null, null)',
]

describe.each(databases)('on $name', ({ open }) => {
  let engine: Engine
  let told: unknown[]
  beforeEach(async () => {
    const { db, run } = await open()
    for (const one of tables) await run(one)
    engine = createEngine({ db, schema })
    told = []
    for (const collection of ['comments', 'pairs'])
      engine.on('items.update', collection, ({ keys, payload }) => void told.push([keys, payload]), {
        when: 'after',
      })
  })
  const rules = {
    articles: { read: true, update: true },
    blocks: { read: true, update: true },
    pairs: { read: true, update: { fields: ['article'] } },
  }

  it.each([
    { praise: [['p', 1]] },
    { praise: [{ a: 'p', b: 1 }] },
    { pairs: [['p', 1]] },
    { pairs: [{ a: 'p', b: 1 }] },
    { pairs: { update: [{ a: 'p', b: 1 }] } },
  ])('what has a key of several parts and meets it: %j', async (data) => {
    await updateItem(engine.as({ user: 1, rules }), 'articles', 2, data)
    expect(told).toEqual([[[['p', 1]], { article: 2 }]])
  })

  it('what has such a key behind a reference to any collection', async () => {
    const item = { a: 'p', b: 1 }
    await updateItem(engine.as({ user: 1, rules }), 'blocks', 1, { kind: 'pairs', item })
    expect(told).toEqual([])
    expect(await getItem(engine, 'blocks', 1, { fields: ['item:pairs.stars'] })).toEqual({
      item: { stars: 5 },
    })
  })

  it('what does not meet it, with its key as results show it', async () => {
    await updateItem(engine, 'articles', 1, {
      notes: [1, 2],
      pairs: [
        ['p', 1],
        ['p', 2],
      ],
    })
    expect(told).toEqual([
      [[2], { id: 2, kind: 'note' }],
      [[['p', 2]], { a: 'p', b: 2, kind: 'note' }],
    ])
  })

  const other = { all: { update: [{ id: 1, kind: 'other' }] } }
  const kept = { all: { update: [{ id: 1, kind: 'note' }] } }
  it.each([
    ['sets what the call has changed before', { ...other, notes: [{ id: 1 }] }, 'note'],
    ['sets it among changes', { ...other, notes: { update: [{ id: 1 }] } }, 'note'],
    ['leaves what meets it still', { ...kept, notes: [{ id: 1 }] }, 'note'],
    ['leaves what a key links', { ...other, notes: [1] }, 'other'],
  ])('an object %s, in a draft too', async (_what, data, kind) => {
    await engine.install()
    await createVersion(engine, 'articles', 1, { key: 'draft', name: 'Draft' })
    await saveVersion(engine, 'articles', 1, 'draft', data)
    const query = { fields: ['all.kind', 'notes'] }
    const expected = { all: [{ kind }], notes: kind === 'note' ? [1] : [] }
    expect(await getItem(engine, 'articles', 1, { ...query, version: 'draft' })).toEqual(expected)
    expect(await updateItem(engine, 'articles', 1, data, query)).toEqual(expected)
  })

  it('an object sets what an earlier save of a draft has changed', async () => {
    await engine.install()
    await createVersion(engine, 'articles', 1, { key: 'draft', name: 'Draft' })
    await saveVersion(engine, 'articles', 1, 'draft', other)
    await saveVersion(engine, 'articles', 1, 'draft', { notes: [{ id: 1 }] })
    const query = { fields: ['all.kind', 'notes'] }
    const expected = { all: [{ kind: 'note' }], notes: [1] }
    expect(await getItem(engine, 'articles', 1, { ...query, version: 'draft' })).toEqual(expected)
    const { mainHash } = await compareVersion(engine, 'articles', 1, 'draft')
    await promoteVersion(engine, 'articles', 1, 'draft', { mainHash })
    expect(await getItem(engine, 'articles', 1, query)).toEqual(expected)
  })

  it('a draft is written in the order of the schema, however it is stored', async () => {
    await engine.install()
    await createVersion(engine, 'articles', 1, { key: 'draft', name: 'Draft' })
    const { all: remarks } = other
    await saveVersion(engine, 'articles', 1, 'draft', { notes: [{ id: 1 }], remarks })
    const query = { fields: ['remarks.kind', 'notes'] }
    const expected = { remarks: [{ kind: 'note' }], notes: [1] }
    expect(await getItem(engine, 'articles', 1, { ...query, version: 'draft' })).toEqual(expected)
    const { mainHash } = await compareVersion(engine, 'articles', 1, 'draft')
    await promoteVersion(engine, 'articles', 1, 'draft', { mainHash })
    expect(await getItem(engine, 'articles', 1, query)).toEqual(expected)
  })

  it('an object leaves what the call changes after it', async () => {
    await updateItem(engine, 'articles', 1, { notes: [{ id: 1 }], ...other })
    expect(await getItem(engine, 'comments', 1, { fields: ['kind'] })).toEqual({ kind: 'other' })
  })
})

describe('what others change while it is linked, on postgres', () => {
  let opened: OpenDatabase
  let engine: Engine
  beforeEach(async () => {
    opened = await openPostgres()
    await opened.run(...tables)
    engine = createEngine({ db: opened.db, schema })
  })
  const rival = {
    holds: 'select 1 from comments where id = 1 for update',
    does: `update comments set kind = 'other' where id = 1`,
  }
  const rules = {
    articles: { read: true, create: true, update: true },
    comments: { read: true, update: true },
  }
  const calls: readonly (readonly [string, (of: Engine) => Promise<unknown>])[] = [
    ['by its key', (of) => updateItem(of, 'articles', 2, { notes: [1] })],
    ['by an object', (of) => updateItem(of, 'articles', 2, { notes: [{ id: 1 }] })],
    ['to a new item', (of) => createItem(of, 'articles', { id: 3, notes: [1] })],
    [
      'inside a transaction',
      (of) => of.transaction((inside) => updateItem(inside, 'articles', 2, { notes: [1] })),
    ],
    [
      'inside one of the host',
      (of) =>
        opened.db.transaction().execute((trx) => updateItem(of.using(trx), 'articles', 2, { notes: [1] })),
    ],
    ['by a caller with rules', (of) => updateItem(of.as({ user: 1, rules }), 'articles', 2, { notes: [1] })],
  ]

  it.each(calls)('is written anew %s', async (_how, call) => {
    const { outcome } = await behindRival(opened, rival, () => call(engine))
    expect(await outcome).not.toBeInstanceOf(Error)
    const { kind, article } = await getItem(engine, 'comments', 1)
    expect({ kind, article }).toEqual({ kind: 'note', article: expect.toSatisfy((key) => key !== 1) })
  })

  it('is refused where nothing makes it meet the condition', async () => {
    const { outcome } = await behindRival(
      opened,
      {
        holds: 'select 1 from pairs where b = 1 for update',
        does: 'update pairs set stars = 1 where b = 1',
      },
      () => updateItem(engine, 'articles', 2, { praise: [['p', 1]] }),
    )
    expect(await outcome).toMatchObject({ code: 'INVALID_PAYLOAD', path: ['praise', 0] })
  })
})
