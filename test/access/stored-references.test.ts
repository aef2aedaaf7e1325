// References are judged on the row as it is stored, wherever their parts come from: a row must not show an item that its writer may not see.
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
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
  promoteVersion,
  type Schema,
  updateByQuery,
  updateItem,
  updateItems,
} from '../../src/index.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'

const id = { type: 'integer', key: true } as const
const number = { type: 'integer', nullable: true } as const

const schema: Schema = defineSchema({
  orders: { fields: { id, owner: { type: 'integer' } } },
  lines: {
    key: ['o', 'p'],
    fields: {
      o: { type: 'm2o', to: 'orders' },
      p: { type: 'integer' },
      isOpen: { type: 'boolean', column: 'is_open' },
      parcels: { type: 'o2m', from: 'parcels.line' },
    },
  },
  parcels: {
    versioned: true,
    fields: {
      id,
      o: { type: 'm2o', to: 'orders', nullable: true, defaulted: true },
      p: { ...number, defaulted: true },
      weight: number,
      made_by: { type: 'm2o', to: 'users', nullable: true, special: ['user-created'] },
      line: { type: 'm2o', to: 'lines', by: ['o', 'p'] },
    },
  },
  users: { fields: { id, name: { type: 'string' } } },
  pins: {
    fields: {
      id,
      kind: { type: 'string', nullable: true },
      item: { type: 'any', to: ['orders', 'users'], by: 'kind', nullable: true },
      order: { type: 'm2o', to: 'orders', nullable: true },
    },
  },
})

const tables = [
  'create table orders (id integer primary key, owner integer not null)',
  'create table lines (o integer not null, p integer not null, is_open boolean not null, primary key (o, p))',
  'create table users (id integer primary key, name text not null)',
  'create table pins (id integer primary key, kind text, item text default \'9\', "order" integer)',
  // Orders 1 and 2 are the caller's, 9 is not.
  'insert into orders values (1, 7), (2, 7), (9, 8)',
  // Line [1, 2] is hidden; [9, 1] is not, while its order is.
  'insert into lines values (1, 1, true), (1, 2, false), (2, 1, false), (2, 2, true), (9, 1, true)',
  "insert into users values (7, 'Ada'), (8, 'Bo')",
  "insert into pins values (1, 'orders', '9', null), (2, 'orders', '1', 9)",
]

/** `lot`: what the database fills in where no part is given. */
const parcels = (lot = '(null, null)') => {
  const [o, p] = lot.slice(1, -1).split(', ')
  return `create table parcels (id integer primary key, o integer default ${o}, p integer default ${p}, weight integer, made_by integer)`
}
const held = 'insert into parcels (id, o, p) values (1, 1, 1), (2, 1, 2), (3, 9, 1)'

const triggers: Readonly<Record<string, readonly string[]>> = {
  sqlite: [
    'create trigger moved after insert on parcels when new.weight = 666 begin update parcels set p = 2 where id = new.id; end',
    'create trigger changed after update of weight on parcels when new.weight = 666 begin update parcels set p = 2 where id = new.id; end',
    'create trigger pinned after insert on pins when new."order" = 2 begin update pins set "order" = 9 where id = new.id; end',
  ],
  postgres: [
    "create function moved() returns trigger language plpgsql as 'begin if new.weight = 666 then new.p := 2; end if; return new; end'",
    'create trigger moved before insert or update on parcels for each row execute function moved()',
    'create function pinned() returns trigger language plpgsql as \'begin if new."order" = 2 then new."order" := 9; end if; return new; end\'',
    'create trigger pinned before insert on pins for each row execute function pinned()',
  ],
}

const access: Access<typeof schema> = {
  user: 7,
  rules: {
    orders: { read: { filter: { owner: '$CURRENT_USER' } }, create: true, update: true },
    lines: { read: { filter: { isOpen: true } }, create: true, update: true },
    // Nobody's own user is visible to them.
    users: { read: { filter: { id: 8 } } },
    parcels: { read: true, create: true, update: true },
    pins: { read: true, create: true, update: true },
    versions: { read: true, create: true, update: true },
  },
}

const unseen = { code: 'INVALID_FOREIGN_KEY' }

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  let engine: Engine
  let mine: Engine
  const run = async (statement: string) => await sql.raw(statement).execute(opened.db)

  const setUp = async (lot?: string) => {
    opened = await open()
    for (const one of [...tables, parcels(lot), held]) await run(one)
    engine = createEngine({ db: opened.db, schema })
    await engine.install()
    mine = engine.as(access)
  }
  beforeEach(() => setUp())

  const contents = async () => {
    const all: unknown[] = []
    for (const table of ['parcels', 'pins', 'orders', 'lines'])
      all.push(await opened.run(`select * from ${table} order by 1, 2`))
    return all
  }
  const refused = async (call: () => Promise<unknown>, field: string, path: readonly unknown[] = [field]) => {
    const before = await contents()
    await expect(call()).rejects.toMatchObject({ ...unseen, path, extensions: { field } })
    expect(await contents()).toEqual(before)
  }
  const at = (key: number) =>
    run(`select o, p from parcels where id = ${key}`).then(({ rows: [row] }) => Object.values(Object(row)))

  describe('a part from a nested item', () => {
    it('is judged with the parts beside it', () =>
      refused(() => createItem(mine, 'parcels', { id: 5, o: { id: 2 }, p: 1 }), 'line'))

    it('is judged where the item is changed, too', () =>
      refused(() => createItem(mine, 'parcels', { id: 5, o: { id: 2, owner: 7 }, p: 1 }), 'line'))

    it('is judged in an update with the part that is stored', () =>
      refused(() => updateItem(mine, 'parcels', 1, { o: { id: 2 } }), 'line'))

    it('is judged where many are written', async () => {
      await refused(
        () =>
          updateItems(mine, 'parcels', [
            { id: 1, weight: 3 },
            { id: 3, o: { id: 2 } },
          ]),
        'line',
        [1, 'line'],
      )
      await refused(() => createItems(mine, 'parcels', [{ id: 5 }, { id: 6, o: { id: 2 }, p: 1 }]), 'line', [
        1,
        'line',
      ])
    })

    it('is judged where a query selects what is written', () =>
      refused(() => updateByQuery(mine, 'parcels', { filter: { id: 1 } }, { o: { id: 2 } }), 'line'))

    it('that is visible is stored', async () => {
      await createItem(mine, 'parcels', { id: 5, o: { id: 2 }, p: 2 })
      expect(await at(5)).toEqual([2, 2])
    })

    it('is judged where the nested item is new', () =>
      refused(() => createItem(mine, 'parcels', { id: 5, o: { id: 20, owner: 7 }, p: 1 }), 'line'))
  })

  describe('a part from the relation around it', () => {
    it('is judged as the reference that it is by itself', () =>
      refused(() => createItem(mine, 'parcels', { id: 5, line: { o: 9, p: 1 } }), 'o'))

    it('is judged so where the key alone is given', () =>
      refused(() => createItem(mine, 'parcels', { id: 5, line: [9, 1] }), 'o'))

    it('is judged in items that are created in it', () =>
      refused(() => updateItem(mine, 'lines', [9, 1], { parcels: { create: [{ id: 5 }] } }), 'o', [
        'parcels',
        'create',
        0,
        'o',
      ]))

    it('is judged in items that are moved to it', () =>
      refused(() => updateItem(mine, 'lines', [9, 1], { parcels: [1, 3] }), 'o', ['parcels', 0, 'o']))

    it('is not judged in an item that was there already', async () => {
      await updateItem(mine, 'lines', [9, 1], { parcels: { update: [{ id: 3, weight: 4 }] } })
      expect(await run('select weight from parcels where id = 3')).toMatchObject({ rows: [{ weight: 4 }] })
    })

    it('that is visible is stored', async () => {
      await updateItem(mine, 'lines', [2, 2], { parcels: { create: [{ id: 5 }], update: [{ id: 1 }] } })
      expect([await at(5), await at(1)]).toEqual([
        [2, 2],
        [2, 2],
      ])
    })
  })

  describe('a part from the database', () => {
    it('is judged with the part that is given', async () => {
      await opened.close()
      await setUp('(1, 2)')
      await refused(() => createItem(mine, 'parcels', { id: 5, o: 1 }), 'line')
      await refused(() => createItem(mine, 'parcels', { id: 5, o: { id: 1 } }), 'line')
    })

    it('is the host’s where none is given', async () => {
      await opened.close()
      await setUp('(9, 2)')
      await createItem(mine, 'parcels', { id: 5, weight: 1 })
      expect(await at(5)).toEqual([9, 2])
    })

    it('is judged where a trigger sets it', async () => {
      for (const one of triggers[name] ?? []) await run(one)
      await refused(() => createItem(mine, 'parcels', { id: 5, o: 1, p: 1, weight: 666 }), 'line')
      await refused(() => updateItem(mine, 'parcels', 3, { o: 1, weight: 666 }), 'line')
      await refused(() => createItem(mine, 'pins', { id: 5, order: 2 }), 'order')
      await createItem(mine, 'parcels', { id: 5, weight: 666 })
      expect(await at(5)).toEqual([null, 2])
    })

    it('is judged where it is the key beside the name of a collection', async () => {
      await refused(() => createItem(mine, 'pins', { id: 5, kind: 'orders' }), 'item')
      await createItem(mine, 'pins', { id: 5 })
      await refused(() => updateItem(mine, 'pins', 5, { kind: 'orders' }), 'item')
      await refused(() => updateItem(mine, 'pins', 5, { kind: 'users', item: '7' }), 'item')
    })
  })

  it('what the host alone sets stays the host’s', async () => {
    await createItem(mine, 'parcels', { id: 5 })
    await createItem(mine, 'parcels', { id: 6, made_by: 8 })
    expect(await run('select id from parcels where made_by = 7 order by id')).toMatchObject({
      rows: [{ id: 5 }, { id: 6 }],
    })
    const preset = engine.as({
      ...access,
      rules: { ...access.rules, parcels: { read: true, create: { presets: { o: 9, p: 1 } } } },
    })
    await createItem(preset, 'parcels', { id: 7 })
    expect(await at(7)).toEqual([9, 1])
    await refused(() => createItem(preset, 'parcels', { id: 8, p: 2 }), 'line')
  })

  it('what the caller was shown may be sent back, in any form', async () => {
    for (const data of [{ o: 1, p: 2 }, { o: { id: 1 } }, { o: { id: 1 }, p: 2 }, { line: [1, 2] }, { p: 2 }])
      await updateItem(mine, 'parcels', 2, data)
    await updateItem(mine, 'parcels', 3, { line: [9, 1] })
    await updateItem(mine, 'pins', 2, { order: 9 })
    await updateItem(mine, 'pins', 1, { kind: 'orders', item: '9' })
  })

  it('a reference whose target the write itself hides was judged before', async () => {
    const free = engine.as({
      rules: {
        orders: {
          read: { filter: { _or: [{ '$FOLLOW(pins, order)': { _none: { id: { _nnull: true } } } }] } },
        },
        pins: { read: true, create: true },
      },
    })
    await createItem(free, 'pins', { id: 5, order: 1 })
    await refused(() => createItem(free, 'pins', { id: 6, order: 1 }), 'order')
  })

  it('a reference whose target the write itself shows was judged before', async () => {
    const pinned = engine.as({
      rules: {
        orders: { read: { filter: { '$FOLLOW(pins, order)': { _some: { id: { _nnull: true } } } } } },
        lines: { read: { filter: { parcels: { weight: 5 } } } },
        parcels: { read: true, create: true },
        pins: { read: true, create: true },
      },
    })
    await refused(() => createItem(pinned, 'pins', { id: 6, order: 1 }), 'order')
    await refused(() => createItem(pinned, 'parcels', { id: 5, o: { id: 9 }, p: 1, weight: 5 }), 'line')
  })

  it('a field that the caller does not know is not named', async () => {
    const few = engine.as({
      ...access,
      rules: { ...access.rules, parcels: { read: { fields: ['id'] }, create: { fields: ['id', 'line'] } } },
    })
    await refused(() => createItem(few, 'parcels', { id: 5, line: { o: 9, p: 1 } }), 'line')
  })

  describe('by every door', () => {
    const status = async (method: string, path: string, body: unknown) => {
      const handler = createHandler(engine, { authenticate: () => access })
      const response = await handler(
        new Request(`http://127.0.0.1${path}`, {
          method,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      )
      return [response.status, JSON.parse((await response.text()) || '{}').errors?.[0].extensions.code]
    }

    it('over HTTP', async () => {
      const no = [400, 'INVALID_FOREIGN_KEY']
      expect(await status('POST', '/items/parcels', { id: 5, o: { id: 2 }, p: 1 })).toEqual(no)
      expect(await status('PATCH', '/items/parcels/1', { o: { id: 2 } })).toEqual(no)
      expect(await status('PATCH', '/items/parcels/1', { line: { o: 9, p: 1 } })).toEqual(no)
      expect(await status('PATCH', '/items/lines/9,1', { parcels: { create: [{}] } })).toEqual(no)
      expect(await status('PATCH', '/items/parcels', { keys: [1], data: { o: { id: 2 } } })).toEqual(no)
    })

    it('over GraphQL', async () => {
      const answer = JSON.parse(
        await answerGraphQL(mine, {
          query: 'mutation { create_parcels_item(data: { id: 5, o: { id: 2 }, p: 1 }) { id } }',
        }),
      )
      expect(answer.errors[0].extensions.code).toBe('INVALID_FOREIGN_KEY')
    })

    it('by a version that is promoted', async () => {
      await createVersion(mine, 'parcels', 1, { key: 'draft', delta: { o: { id: 2 } } })
      const { mainHash } = await compareVersion(mine, 'parcels', 1, 'draft')
      await refused(() => promoteVersion(mine, 'parcels', 1, 'draft', { mainHash }), 'line')
    })
  })
})
