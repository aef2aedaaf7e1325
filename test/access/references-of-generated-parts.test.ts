// A part of a reference that the database computes from other columns: a write of these changes the reference, and is judged as one that
// the database completes.
import { beforeEach, describe, expect, it } from 'vitest'
import { postgres } from '../../src/dialects.ts'
import { answerGraphQL } from '../../src/graphql.ts'
import { createHandler } from '../../src/http.ts'
import {
  type Access,
  compareVersion,
  createEngine,
  createItem,
  createItems,
  createVersion,
  defineSchema,
  type Engine,
  listItems,
  promoteVersion,
  type Schema,
  updateByQuery,
  updateEach,
  updateItem,
  updateItems,
  updateSingleton,
  upsertItem,
  upsertItems,
} from '../../src/index.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'

const id = { type: 'integer', key: true } as const
const number = { type: 'integer', nullable: true } as const
const note = { type: 'string' } as const
const lot = {
  id,
  o: { type: 'm2o', to: 'orders', nullable: true, defaulted: true },
  weight: number,
  p: { ...number, generated: true },
  line: { type: 'm2o', to: 'lines', by: ['o', 'p'] },
  kind: { type: 'string', nullable: true, generated: true },
  item: { type: 'any', to: ['users'], by: 'kind', nullable: true },
  tag: { type: 'string', nullable: true },
} as const

const schema: Schema = defineSchema({
  orders: { fields: { id, parcels: { type: 'o2m', from: 'parcels.o' } } },
  lines: { key: ['o', 'p'], fields: { o: { type: 'integer' }, p: { type: 'integer' }, note } },
  users: { fields: { id, note } },
  parcels: { versioned: true, fields: lot },
  desk: { singleton: true, fields: lot },
})

const table = (name: string) =>
  `create table ${name} (id integer primary key, o integer default 1, weight integer, item text, tag text,
    p integer generated always as (weight) stored, kind text generated always as (case when weight = 8 then 'users' end) stored)`

const change = { read: true, create: true, update: true } as const
const seenBy = (relation: string) =>
  ['parcels', 'desk'].map((one) => ({ [`$FOLLOW(${one}, ${relation})`]: { id: { _nnull: true } } }))
const access: Access<typeof schema> = {
  user: 7,
  rules: {
    ...{ orders: change, parcels: change, desk: change, versions: change },
    lines: { read: { filter: { _or: seenBy('line') } } },
    users: { read: { filter: { _or: seenBy('item, kind') } } },
  },
}
/** Neither what refers nor the parts are visible. */
const blind: Access<typeof schema> = {
  user: 7,
  rules: { ...access.rules, parcels: { ...change, read: { fields: ['id', 'tag', 'weight'] } } },
}

const unseen = { code: 'INVALID_FOREIGN_KEY' }

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  let engine: Engine
  let mine: Engine

  beforeEach(async () => {
    opened = await open()
    await opened.run(
      'create table orders (id integer primary key)',
      'create table lines (o integer not null, p integer not null, note text not null, primary key (o, p))',
      'create table users (id integer primary key, note text not null)',
      table('parcels'),
      table('desk'),
      'insert into orders values (1), (2)',
      "insert into lines values (1, 1, 'secret'), (2, 2, 'secret'), (2, 1, 'shown'), (2, 8, 'shown')",
      "insert into users values (5, 'secret'), (6, 'shown')",
      'insert into parcels (id, o, weight) values (1, 2, 1), (2, null, null), (3, 2, 8)',
      "update parcels set item = '6' where id = 3",
      'insert into desk (id, o, weight) values (1, 2, 1)',
    )
    engine = createEngine({ db: opened.db, schema })
    await engine.install()
    mine = engine.as(access)
  })

  const stored = async () => [
    await opened.run('select * from parcels order by id'),
    await opened.run('select * from desk order by id'),
  ]
  const refused = async (call: () => Promise<unknown>) => {
    const before = await stored()
    await expect(call()).rejects.toMatchObject(unseen)
    expect(await stored()).toEqual(before)
    for (const collection of ['lines', 'users'])
      for (const { note } of (await listItems(mine, collection, { fields: ['note'] })).data)
        expect(note).toBe('shown')
  }

  it('a write of what it is computed from leads to nothing that only the write would show', async () => {
    const weight = 2
    await refused(() => updateItem(mine, 'parcels', 1, { weight }))
    await refused(() => updateItem(mine, 'parcels', 1, { weight: { _inc: 1 } }))
    await refused(() => updateItem(mine, 'parcels', 1, { weight, o: 2 }))
    await refused(() => updateItems(mine, 'parcels', [1], { weight }))
    await refused(() => updateEach(mine, 'parcels', [{ id: 1, weight }]))
    await refused(() => updateByQuery(mine, 'parcels', { filter: { id: 1 } }, { weight }))
    await refused(() => upsertItem(mine, 'parcels', { id: 1, weight }))
    await refused(() =>
      upsertItems(mine, 'parcels', [
        { id: 2, weight },
        { id: 1, weight },
      ]),
    )
    await refused(() => updateItem(mine, 'orders', 2, { parcels: { update: [{ id: 1, weight }] } }))
    await refused(() => updateSingleton(mine, 'desk', { weight }))
    await refused(() => mine.transaction((inside) => updateItem(inside, 'parcels', 1, { weight })))
    await refused(() => updateItem(engine.as(blind), 'parcels', 1, { weight }))
    // What is created is given wholly by its caller.
    await refused(() => createItem(mine, 'parcels', { id: 5, weight: 1 }))
    await refused(() => createItems(mine, 'parcels', [{ id: 5 }, { id: 6, weight: 1 }]))
    await refused(() => upsertItem(mine, 'parcels', { id: 5, weight: 1 }))
    await createVersion(mine, 'parcels', 1, { key: 'draft', delta: { weight } })
    const { mainHash } = await compareVersion(mine, 'parcels', 1, 'draft')
    await refused(() => promoteVersion(mine, 'parcels', 1, 'draft', { mainHash }))
    const headers = { 'content-type': 'application/json' }
    const handler = createHandler(engine, { authenticate: () => access })
    const request = { method: 'PATCH', headers, body: JSON.stringify({ weight }) }
    await refused(async () => {
      const answer = await handler(new Request('http://127.0.0.1/items/parcels/1', request))
      if (!answer.ok) throw Object.assign(new Error(), JSON.parse(await answer.text()).errors[0].extensions)
    })
    const query = 'mutation { update_parcels_item(id: 1, data: { weight: 2 }) { id } }'
    await refused(async () => {
      const { errors } = JSON.parse(await answerGraphQL(mine, { query }))
      throw Object.assign(new Error(), errors[0].extensions)
    })
  })

  it('nor where the collection beside a reference is computed', async () => {
    await opened.run("update parcels set item = '5', o = null where id = 1")
    await refused(() => updateItem(mine, 'parcels', 1, { weight: 8 }))
    await refused(() => updateByQuery(mine, 'parcels', { filter: { id: 1 } }, { weight: 8 }))
    await refused(() => updateItem(engine.as(blind), 'parcels', 1, { weight: 8 }))
    // Whether there is such an item must not be told either.
    await opened.run("update parcels set item = '6' where id = 1")
    await refused(() => updateItem(engine.as(blind), 'parcels', 1, { weight: 8 }))
    await updateItem(mine, 'parcels', 1, { weight: 8 })
  })

  it('nor without savepoints', async () => {
    if (name !== 'postgres') return
    const bare = createEngine({ db: opened.db, schema, dialect: postgres.with({ savepoints: false }) }).as(
      access,
    )
    const inside = (change: Readonly<Record<string, unknown>>) =>
      opened.db
        .transaction()
        .execute((transaction) => updateItem(bare.using(transaction), 'parcels', 1, change))
    await refused(() => inside({ weight: 2 }))
    await inside({ tag: 'x', weight: 1 })
  })

  it('what stays as it was, and what was visible before, is stored', async () => {
    await opened.run("insert into lines values (2, 3, 'secret')")
    await opened.run('insert into parcels (id, o, weight) values (4, 2, 3)')
    await opened.run("update lines set note = 'shown' where p = 3")
    for (const caller of [mine, engine.as(blind)]) {
      await updateItem(caller, 'parcels', 1, { tag: 'a' })
      await updateByQuery(caller, 'parcels', { filter: { id: { _in: [1, 3] } } }, { tag: 'b' })
      await updateItem(caller, 'parcels', 3, { tag: 'c', weight: 8 })
      await updateItem(caller, 'parcels', 4, { weight: 1 })
      await updateItem(caller, 'parcels', 4, { weight: null })
    }
    await createItem(mine, 'parcels', { id: 5, o: 2, weight: 1 })
    expect(await opened.run('select id, p, tag from parcels order by id')).toEqual([
      { id: 1, p: 1, tag: 'b' },
      { id: 2, p: null, tag: null },
      { id: 3, p: 8, tag: 'c' },
      { id: 4, p: null, tag: null },
      { id: 5, p: 1, tag: null },
    ])
  })
})
