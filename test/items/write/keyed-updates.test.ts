// Lists of increments and of changes of documents are rows of a statement, as other values are, and add to what is stored when they are written.
import { beforeEach, describe, expect, it } from 'vitest'
import {
  createEngine,
  defineSchema,
  type Engine,
  listItems,
  updateEach,
  updateItems,
} from '../../../src/index.ts'
import { judging } from '../../../src/writes/context/row-template.ts'
import { databases, type OpenDatabase, openPostgres } from '../../support/databases.ts'
import { integer, json, key, number, string } from '../../support/fields.ts'
import { behindRival } from '../../support/waiting-transactions.ts'

const schema = defineSchema({
  notes: {
    fields: {
      id: key,
      owner: integer,
      views: number,
      price: { type: 'decimal', scale: 2, nullable: true },
      title: string,
      meta: json,
    },
  },
})
const own = { filter: { owner: '$CURRENT_USER' } }
const rules = { notes: { read: own, update: own } }
const count = 100
const ids = Array.from({ length: count }, (_, at) => at + 1)
const sums = {
  'an increment': (n: number) => ({ views: { _inc: n } }),
  'a patch of one step': (n: number) => ({ meta: { _merge: { a: n } } }),
  'a patch of two steps': (n: number) => ({ meta: { _merge: { in: { b: n } } } }),
  'a patch of many steps': (n: number) => ({ meta: { _merge: { in: { b: n, deep: { c: n } }, a: n } } }),
  'both and a title': (n: number) => ({ title: `t${n}`, views: { _inc: n }, meta: { _merge: { a: n } } }),
  'a price': (n: number) => ({ price: { _inc: `${n}.25` } }),
} satisfies Readonly<Record<string, (n: number) => object>>

async function filled(opened: OpenDatabase, type: 'json' | 'jsonb'): Promise<void> {
  await opened.run(
    'drop table if exists notes',
    `create table notes (id integer primary key, owner integer not null, views integer, price numeric(9, 2), title varchar(30) not null, meta ${type})`,
    ...ids.map(
      (id) =>
        `insert into notes values (${id}, 1, ${id % 3 === 0 ? 'null' : id}, ${id}, 'x', '{"a": 0, "in": {"b": 0, "kept": ${id}}}')`,
    ),
  )
}

describe.each(databases)('on $name', ({ name, open }) => {
  const type = name === 'postgres' ? 'jsonb' : 'json'
  let opened: OpenDatabase
  let sent = 0
  let callers: readonly Engine[]
  beforeEach(async () => {
    opened = await open()
    const engine = createEngine({ db: opened.db, schema, onQuery: () => sent++ })
    callers = [engine, engine.as({ user: 1, rules } as never)] as unknown as readonly Engine[]
  })
  const stored = async (engine: Engine) => (await listItems(engine, 'notes', { limit: -1 })).data
  const statementsOf = async (call: () => Promise<unknown>) => {
    sent = 0
    await call()
    return sent
  }

  it.each(Object.entries(sums))('%s of each item takes no statement of its own', async (_title, change) => {
    for (const engine of callers) {
      await filled(opened, type)
      const [first] = callers
      const write = (some: readonly number[]) =>
        updateEach(
          engine,
          'notes',
          some.map((id) => ({ id, ...change(id) })),
          { fields: ['id'] },
        )
      // The catalogue is asked once.
      await write(ids.slice(0, 2))
      const few = await statementsOf(() => write(ids.slice(0, 2)))
      expect(few).toBeLessThanOrEqual(2)
      expect(await statementsOf(() => write(ids))).toBe(few)
      const together = first && (await stored(first))
      await filled(opened, type)
      judging.isByStatement = false
      try {
        for (const some of [ids.slice(0, 2), ids.slice(0, 2), ids]) await write(some)
      } finally {
        judging.isByStatement = true
      }
      expect(together).toEqual(first && (await stored(first)))
    }
  })

  it('items of one list add, set and change as each of them says', async () => {
    for (const engine of callers) {
      await filled(opened, type)
      const changes = [
        { id: 1, views: { _inc: 5 } },
        { id: 2, views: 5 },
        { id: 4, views: { _inc: -5 } },
        { id: 5, meta: { _merge: { a: 1 } } },
        { id: 7, meta: { _merge: { in: { b: 2 } } } },
        { id: 8, meta: { new: true } },
        { id: 10, meta: { _merge: { in: { b: 3, kept: null, deep: { c: 3 } } } } },
      ]
      expect(await updateEach(engine, 'notes', changes, { fields: ['views', 'meta'] } as never)).toEqual([
        { views: 6, meta: { a: 0, in: { b: 0, kept: 1 } } },
        { views: 5, meta: { a: 0, in: { b: 0, kept: 2 } } },
        { views: -1, meta: { a: 0, in: { b: 0, kept: 4 } } },
        { views: 5, meta: { a: 1, in: { b: 0, kept: 5 } } },
        { views: 7, meta: { a: 0, in: { b: 2, kept: 7 } } },
        { views: 8, meta: { new: true } },
        { views: 10, meta: { a: 0, in: { b: 3, deep: { c: 3 } } } },
      ])
      await updateItems(engine, 'notes', [1, 2], { views: { _inc: 1 }, meta: { _merge: { a: 9 } } } as never)
      expect((await stored(engine)).slice(0, 2)).toMatchObject([
        { views: 7, meta: { a: 9 } },
        { views: 6, meta: { a: 9 } },
      ])
    }
  })

  it('a sum out of range is named by its item, and nothing is added', async () => {
    for (const engine of callers) {
      await filled(opened, type)
      const changes = [1, 2, 4].map((id) => ({ id, views: { _inc: id === 2 ? 2 ** 31 : 1 } }))
      await expect(updateEach(engine, 'notes', changes)).rejects.toMatchObject({
        code: 'VALUE_OUT_OF_RANGE',
        path: [1, 'views'],
      })
      expect((await stored(engine)).slice(0, 2)).toMatchObject([{ views: 1 }, { views: 2 }])
    }
  })
})

describe('beside a transaction that holds a row, on postgres', () => {
  it.each(Object.entries(sums))('%s keeps what that has changed', async (_title, change) => {
    const opened = await openPostgres()
    const engine = createEngine({ db: opened.db, schema })
    const caller = engine.as({ user: 1, rules } as never)
    for (const one of [engine, caller] as unknown as readonly Engine[]) {
      await filled(opened, 'json')
      const { outcome } = await behindRival(
        opened,
        {
          holds: 'select 1 from notes where id = 2 for update',
          does: `update notes set views = 1000, price = 1000, meta = '{"rival": 1, "in": {"rival": 1}}' where id = 2`,
        },
        () =>
          updateEach(
            one,
            'notes',
            [1, 2].map((id) => ({ id, ...change(id) })),
            { fields: ['id'] },
          ),
      )
      expect(await outcome).toEqual([{ id: 1 }, { id: 2 }])
      const [row] = await opened.run('select views, price, meta from notes where id = 2')
      const { views, price, meta } = change(2) as Readonly<Record<string, unknown>>
      expect(row).toMatchObject({
        views: views ? 1002 : 1000,
        price: price ? '1002.25' : '1000.00',
        meta: meta ? { rival: 1 } : { rival: 1, in: { rival: 1 } },
      })
    }
  })
})
