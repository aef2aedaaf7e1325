// A rule may look at the written table by names that no schema connects with it: views over views, tables that triggers fill. What a call
// makes visible so is not visible to itself.
import { beforeEach, describe, expect, it } from 'vitest'
import { postgres } from '../../src/dialects.ts'
import { answerGraphQL } from '../../src/graphql.ts'
import { createHandler } from '../../src/http.ts'
import {
  type Access,
  createEngine,
  createItem,
  createItems,
  defineSchema,
  type Engine,
  listItems,
  type Schema,
  updateByQuery,
  updateEach,
  updateItem,
  updateItems,
  upsertItem,
  upsertItems,
} from '../../src/index.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { integer, many, maybeOne, number, string } from '../support/fields.ts'

const id = { type: 'integer', key: true } as const
const part = { type: 'string', nullable: true, defaulted: true } as const
const tag = {
  id,
  o: { type: 'm2o', to: 'orders', nullable: true },
  p: part,
  mark: { type: 'm2o', to: 'marks', by: ['o', 'p'] },
} as const
const slot = {
  id,
  o: { type: 'm2o', to: 'orders', nullable: true },
  n: { type: 'integer', nullable: true },
  line: { type: 'm2o', to: 'lines', by: ['o', 'n'] },
} as const
const pin = { id, kind: part, item: { type: 'any', to: ['codes'], by: 'kind', nullable: true } } as const
const note = { type: 'string' } as const

const schema: Schema = defineSchema({
  orders: { fields: { id, tags: many('tags.o'), slots: many('slots.o'), logs: many('logs.o') } },
  logs: { fields: { id, o: maybeOne('orders') } },
  marks: { key: ['o', 'p'], fields: { o: integer, p: string, note } },
  lines: { key: ['o', 'n'], fields: { o: integer, n: integer, note } },
  codes: { fields: { code: { type: 'string', key: true }, note } },
  tags: { fields: tag },
  slots: { fields: slot },
  pins: { fields: pin },
  bins: {
    fields: {
      id,
      o: number,
      n: { type: 'integer', nullable: true, defaulted: true },
      line: { type: 'm2o', to: 'seen_lines', by: ['o', 'n'] },
    },
  },
  seen_lines: { key: ['o', 'n'], fields: { o: integer, n: integer, note } },
  seen_tags: { fields: tag },
  seen_slots: { fields: slot },
  seen_pins: { fields: pin },
})

/** A text that the column `p` makes '1'. */
const forms = { sqlite: ['integer', '1.0'], postgres: ['varchar(1)', '1 '] } as const

const triggers = {
  sqlite: ['create trigger moved after insert on logs begin update slots set n = 1 where n = 2; end'],
  postgres: [
    "create function moved() returns trigger language plpgsql as 'begin update slots set n = 1 where n = 2; return null; end'",
    'create trigger moved after insert on logs for each row execute function moved()',
  ],
} as const

const change = { read: true, create: true, update: true } as const
const access: Access<typeof schema> = {
  user: 7,
  rules: {
    ...{ orders: change, logs: change, tags: change, slots: change, pins: change, bins: change },
    ...{ seen_tags: { read: true }, seen_slots: { read: true }, seen_pins: { read: true } },
    seen_lines: { read: true },
    marks: {
      read: { filter: { _or: [{ note: 'mine' }, { '$FOLLOW(seen_tags, mark)': { id: { _nnull: true } } }] } },
    },
    lines: {
      read: {
        filter: { _or: [{ note: 'mine' }, { '$FOLLOW(seen_slots, line)': { id: { _nnull: true } } }] },
      },
    },
    codes: {
      read: {
        filter: { _or: [{ note: 'mine' }, { '$FOLLOW(seen_pins, item, kind)': { id: { _nnull: true } } }] },
      },
    },
  },
}

const unseen = { code: 'INVALID_FOREIGN_KEY' }

describe.each(databases)('on $name', ({ name, open }) => {
  const [type, p] = forms[name as keyof typeof forms]
  let opened: OpenDatabase
  let engine: Engine
  let mine: Engine

  beforeEach(async () => {
    opened = await open()
    await opened.run(
      'create table orders (id integer primary key)',
      'create table logs (id integer primary key, o integer)',
      'create table marks (o integer, p text, note text, primary key (o, p))',
      'create table lines (o integer, n integer, note text, primary key (o, n))',
      'create table codes (code text primary key, note text)',
      `create table tags (id integer primary key, o integer, p ${type} default '1')`,
      'create table slots (id integer primary key, o integer, n integer)',
      `create table pins (id integer primary key, kind text default 'codes', item ${type} default '1')`,
      'create view some_tags as select id, o, cast(p as text) as p from tags',
      'create view seen_tags as select * from some_tags',
      'create view seen_slots as select * from slots',
      'create view seen_pins as select id, kind, cast(item as text) as item from pins',
      'create table bins (id integer primary key, o integer, n integer default 1)',
      'create view seen_lines as select o, n, note from lines as one where exists (select 1 from bins where bins.o = one.o and bins.n = one.n)',
      'insert into bins values (1, 1, 2), (2, null, null)',
      'insert into orders values (1), (2)',
      `insert into marks values (1, '1', 'secret'), (1, '${p}', 'mine'), (2, '1', 'mine')`,
      "insert into lines values (1, 1, 'secret'), (1, 2, 'mine')",
      `insert into codes values ('1', 'secret'), ('${p}', 'mine')`,
      'insert into tags values (1, null, null)',
      'insert into pins values (1, null, null)',
    )
    engine = createEngine({ db: opened.db, schema })
    mine = engine.as(access)
  })

  const seen = async () => {
    const rows: unknown[] = []
    for (const collection of ['marks', 'lines', 'codes', 'seen_lines'])
      rows.push(...(await listItems(mine, collection, { fields: ['note'] })).data.map((one) => one.note))
    return new Set(rows)
  }
  const refused = async (call: () => Promise<unknown>) => {
    await expect(call()).rejects.toMatchObject(unseen)
    expect(await seen()).toEqual(new Set(['mine']))
  }

  it('a text that its column changes leads to nothing that only a view over the row shows', async () => {
    const [tagged, pinned] = [
      { o: 1, p },
      { kind: 'codes', item: p },
    ]
    await refused(() => createItem(mine, 'tags', { id: 5, ...tagged }))
    await refused(() => createItems(mine, 'tags', [{ id: 5 }, { id: 6, ...tagged }]))
    await refused(() => upsertItem(mine, 'tags', { id: 5, ...tagged }))
    await refused(() => upsertItems(mine, 'tags', [{ id: 1, ...tagged }]))
    await refused(() => updateItem(mine, 'tags', 1, tagged))
    await refused(() => updateItems(mine, 'tags', [1], tagged))
    await refused(() => updateEach(mine, 'tags', [{ id: 1, ...tagged }]))
    await refused(() => updateByQuery(mine, 'tags', { filter: { id: 1 } }, tagged))
    await refused(() => updateItem(mine, 'orders', 1, { tags: { create: [{ id: 5, p }] } }))
    await refused(() => updateItem(mine, 'orders', 1, { tags: { update: [{ id: 1, p }] } }))
    await refused(() => mine.transaction((inside) => createItem(inside, 'tags', { id: 5, ...tagged })))
    await refused(() => createItem(mine, 'pins', { id: 5, ...pinned }))
    await refused(() => updateItem(mine, 'pins', 1, pinned))
    const [headers, body] = [{ 'content-type': 'application/json' }, JSON.stringify({ id: 5, ...tagged })]
    const handler = createHandler(engine, { authenticate: () => access })
    await refused(async () => {
      const answer = await handler(
        new Request('http://127.0.0.1/items/tags', { method: 'POST', headers, body }),
      )
      if (!answer.ok) throw Object.assign(new Error(), JSON.parse(await answer.text()).errors[0].extensions)
    })
    const query = `mutation { create_pins_item(data: { id: 5, kind: "codes", item: "${p}" }) { id } }`
    await refused(async () => {
      const { errors } = JSON.parse(await answerGraphQL(mine, { query }))
      throw Object.assign(new Error(), errors[0].extensions)
    })
    await createItem(mine, 'tags', { id: 5, o: 2, p: '1' })
    expect(await opened.run('select o from tags where id = 5')).toEqual([{ o: 2 }])
  })

  it('a trigger of another table that is written changes no reference to what only the call shows', async () => {
    for (const one of triggers[name as keyof typeof triggers]) await opened.run(one)
    const both = { slots: { create: [{ id: 5, n: 2 }] }, logs: { create: [{ id: 5 }] } }
    await refused(() => updateItem(mine, 'orders', 1, both))
  })

  it('nor where a trigger is added meanwhile; the next call is judged with it', async () => {
    const both = { slots: { create: [{ id: 5, n: 2 }] }, logs: { create: [{ id: 5 }] } }
    await updateItem(mine, 'orders', 1, both)
    await opened.run('delete from slots', 'delete from logs', ...triggers[name as keyof typeof triggers])
    await refused(() => updateItem(mine, 'orders', 1, both))
    await opened.run("update lines set note = 'mine'")
    await updateItem(mine, 'orders', 1, both)
    expect(await opened.run('select o, n from slots')).toEqual([{ o: 1, n: 1 }])
  })

  it('a view that is seen wholly shows no more by what is written', async () => {
    await refused(() => createItem(mine, 'bins', { id: 5, o: 1 }))
    await refused(() => createItems(mine, 'bins', [{ id: 5 }, { id: 6, o: 1 }]))
    await refused(() => upsertItem(mine, 'bins', { id: 5, o: 1 }))
    await refused(() => createItem(mine, 'bins', { id: 5, o: 1, n: 1 }))
    await opened.run("update lines set note = 'mine'", 'insert into bins values (3, 1, 1)')
    await createItem(mine, 'bins', { id: 5, o: 1 })
    expect(await opened.run('select o, n from bins where id = 5')).toEqual([{ o: 1, n: 1 }])
  })

  it('nor without savepoints', async () => {
    if (name !== 'postgres') return
    const bare = createEngine({ db: opened.db, schema, dialect: postgres.with({ savepoints: false }) }).as(
      access,
    )
    const inside = (data: Readonly<Record<string, unknown>>) =>
      opened.db
        .transaction()
        .execute((transaction) => createItem(bare.using(transaction), 'tags', { id: 5, ...data }))
    await refused(() => inside({ o: 1 }))
    await refused(() => inside({ o: 1, p }))
    await refused(() =>
      opened.db
        .transaction()
        .execute((transaction) => createItem(bare.using(transaction), 'bins', { id: 5, o: 1 })),
    )
    await inside({ o: 2, p: '1' })
  })
  it('what is refused without savepoints makes no other call take one', async () => {
    if (name !== 'postgres') return
    const options = { db: opened.db, schema }
    const bare = createEngine({ ...options, dialect: postgres.with({ savepoints: false }) }).as(access)
    const asked: string[] = []
    const heard = createEngine({ ...options, onQuery: ({ sql }) => asked.push(sql) }).as(access)
    const statements = async (key: number) => {
      asked.length = 0
      await createItem(heard, 'slots', { id: key, o: 1, n: 2 })
      return asked.length
    }
    await statements(1)
    const few = await statements(2)
    await opened.run('alter table slots alter n set default 1')
    await refused(() =>
      opened.db
        .transaction()
        .execute((transaction) => createItem(bare.using(transaction), 'slots', { id: 3, o: 1 })),
    )
    expect(await statements(4)).toBe(few)
  })
})
