// Units whose connection answers at once: what hooks do in them is what it is elsewhere.
import BetterSqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  createEngine,
  createItem,
  defineSchema,
  deleteItem,
  type Engine,
  listItems,
  updateItem,
} from '../../src/index.ts'
import { sqliteDialect } from '../../src/sqlite.ts'
import { atEnd } from '../support/at-end.ts'
import type { AnyTables } from '../support/databases.ts'
import { integer, key } from '../support/fields.ts'

const schema = defineSchema({ things: { fields: { id: key, size: integer } } })
const dialects = {
  'quernel/sqlite': sqliteDialect,
  Kysely: (config: { database: never }) => new SqliteDialect(config),
}

describe.each(Object.keys(dialects) as (keyof typeof dialects)[])('over %s', (name) => {
  let database: BetterSqlite.Database
  let engine: Engine<typeof schema>
  let errors: unknown[]
  beforeEach(() => {
    database = new BetterSqlite(':memory:')
    database.exec('create table things (id integer primary key, size integer not null)')
    const db = new Kysely<AnyTables>({ dialect: dialects[name]({ database: database as never }) })
    atEnd(() => db.destroy())
    errors = []
    engine = createEngine({ db, schema, onError: (error) => errors.push(error) })
  })

  it('a chain of a thousand hooks after writes ends, and leaves no transaction', async () => {
    let links = 0
    engine.on('items.create', 'things', () => undefined, { when: 'before' })
    engine.on(
      'items.create',
      'things',
      async () => {
        if (++links < 1_000) await createItem(engine, 'things', { size: links })
      },
      { when: 'after' },
    )
    await createItem(engine, 'things', { size: 0 })
    expect([links, errors, database.inTransaction]).toEqual([1_000, [], false])
    expect((await listItems(engine, 'things', { aggregate: { count: '*' } })).data).toEqual([
      { count: 1_000 },
    ])
  })

  it.each(['create', 'update', 'delete'] as const)(
    'a hook before the commit of a %s may abort it, each time',
    async (action) => {
      let controller = new AbortController()
      engine.on(`items.${action}`, 'things', () => controller.abort(new Error('enough')), {
        when: 'beforeCommit',
      })
      database.exec('insert into things values (1, 1), (2, 2), (3, 3)')
      for (const id of [1, 2, 3]) {
        controller = new AbortController()
        const { signal } = controller
        const calls = {
          create: () => createItem(engine, 'things', { id: 10 + id, size: 0 }, {}, { signal }),
          update: () => updateItem(engine, 'things', id, { size: 0 }, {}, { signal }),
          delete: () => deleteItem(engine, 'things', id, { signal }),
        }
        await expect(calls[action]()).rejects.toThrow('enough')
      }
      expect(database.prepare('select id, size from things').raw().all()).toEqual([
        [1, 1],
        [2, 2],
        [3, 3],
      ])
    },
  )

  it('a hook that takes its item away is called once, and the deletion finds none', async () => {
    database.exec('insert into things values (1, 1)')
    const told: unknown[] = []
    engine.on(
      'items.delete',
      'things',
      ({ keys }) => {
        told.push(keys)
        database.exec('delete from things where id = 1')
      },
      { when: 'before' },
    )
    await expect(deleteItem(engine, 'things', 1)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect([told, database.inTransaction]).toEqual([[[1]], false])
    expect(database.prepare('select id from things').raw().all()).toEqual([[1]])
  })
})
