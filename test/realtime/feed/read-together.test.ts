// Lists of one shape are read together; a read of all that fails is made for each alone, and is told.
import BetterSqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { expect, it } from 'vitest'
import { createEngine, defineSchema, updateItem } from '../../../src/index.ts'
import { createFeed, localSource, watchItems } from '../../../src/realtime.ts'
import { next } from '../tasks.ts'

const schema = defineSchema({
  tasks: { fields: { id: { type: 'integer', key: true }, rank: { type: 'integer' } } },
})

it('a failure of the read of all lists goes to onError, and each list is told nevertheless', async () => {
  const database = new BetterSqlite(':memory:')
  database.exec('create table tasks (id integer primary key, rank integer); insert into tasks values (1, 5)')
  let broken = 0
  const failing = new Proxy(database, {
    get: (target, name) => {
      if (name !== 'prepare') return Reflect.get(target, name).bind(target)
      return (statement: string) => {
        if (!statement.includes('cross join json_each')) return target.prepare(statement)
        broken += 1
        throw new Error('broken')
      }
    },
  })
  const db = new Kysely<Record<string, Record<string, unknown>>>({
    dialect: new SqliteDialect({ database: failing }),
  })
  const engine = createEngine({ db, schema, onError: () => undefined })
  const errors: unknown[] = []
  const feed = createFeed(engine, { source: localSource(), onError: (error) => errors.push(error) })
  const everything = feed.as({ admin: true })
  const lists = [1, 2, 3].map((least) =>
    watchItems(everything, 'tasks', { filter: { rank: { _gte: least } } }, { membership: 'match' }),
  )
  for (const list of lists) await next(list)
  const told = lists.map((list) => next(list))
  await updateItem(engine, 'tasks', 1, { rank: 9 })
  for (const message of await Promise.all(told))
    expect(message).toMatchObject({ kind: 'changes', set: [{ id: '1', item: { id: 1, rank: 9 } }] })
  expect(broken).toBeGreaterThan(0)
  expect(errors).toHaveLength(1)
  await feed.stop()
  await db.destroy()
})
