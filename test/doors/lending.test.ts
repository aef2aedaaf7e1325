// A read that finds nobody at the connection takes it at once, and nobody notices.
import Database from 'better-sqlite3'
import { CompiledQuery, Kysely } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { borrow } from '../../src/dialects/idle.ts'
import { createEngine, createItem, defineSchema, listItems } from '../../src/index.ts'
import { sqliteDialect } from '../../src/sqlite.ts'

const schema = defineSchema({
  notes: { fields: { id: { type: 'integer', key: true }, text: { type: 'string' } } },
})

interface Tables {
  notes: { id: number; text: string }
}

let logged: string[]
let db: Kysely<Tables>
beforeEach(async () => {
  logged = []
  db = new Kysely<Tables>({
    dialect: sqliteDialect({ database: new Database(':memory:') }),
    log: ({ query: { sql } }) => void logged.push(sql),
  })
  await db.executeQuery(CompiledQuery.raw('create table notes (id integer primary key, text text not null)'))
  await db.insertInto('notes').values({ id: 1, text: 'one' }).execute()
})
const notes = () => createEngine({ db, schema })
const texts = async (engine = notes()) => (await listItems(engine, 'notes')).data.map(({ text }) => text)

describe('the connection', () => {
  it('is lent while nobody has it, and to one at a time', async () => {
    const loan = borrow(db)
    expect(loan).toBeDefined()
    expect(borrow(db)).toBeUndefined()
    let isRead = false
    const reading = db
      .selectFrom('notes')
      .selectAll()
      .execute()
      .then((rows) => {
        isRead = true
        return rows
      })
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    expect(isRead).toBe(false)
    loan?.giveBack()
    expect(await reading).toEqual([{ id: 1, text: 'one' }])
    const again = borrow(db)
    expect(again).toBeDefined()
    again?.giveBack()
  })

  it('is not lent before it is there, in a transaction, or when it is closed', async () => {
    const fresh = new Kysely<Tables>({ dialect: sqliteDialect({ database: new Database(':memory:') }) })
    expect(borrow(fresh)).toBeUndefined()
    await fresh.destroy()
    await db.transaction().execute(async () => {
      expect(borrow(db)).toBeUndefined()
    })
    await expect(
      db.transaction().execute(async () => {
        throw new RangeError('undone')
      }),
    ).rejects.toThrow('undone')
    borrow(db)?.giveBack()
    await db.destroy()
    expect(borrow(db)).toBeUndefined()
    await expect(texts()).rejects.toMatchObject({ code: 'INTERNAL_SERVER_ERROR' })
  })

  it('comes back after a statement that fails', async () => {
    const engine = createEngine({
      db,
      schema: defineSchema({ gone: { fields: { id: { type: 'integer', key: true } } } }),
    })
    for (let round = 0; round < 3; round++) {
      await expect(listItems(engine, 'gone')).rejects.toMatchObject({ code: 'INTERNAL_SERVER_ERROR' })
      expect(await texts()).toEqual(['one'])
    }
    borrow(db)?.giveBack()
  })
})

it('a read that takes it at once is in the log of Kysely all the same', async () => {
  await texts()
  expect(logged.at(-1)).toMatch(/^\/\* quernel \*\/ select/)
})

it('reads do not see what a transaction has not committed', async () => {
  const seen: unknown[] = []
  const writing = db.transaction().execute(async (inside) => {
    await inside.insertInto('notes').values({ id: 2, text: 'two' }).execute()
    await new Promise((resolve) => setTimeout(resolve, 20))
    seen.push('written')
    await inside.deleteFrom('notes').where('id', '=', 2).execute()
  })
  const reading = (async () => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    seen.push(await texts())
  })()
  await Promise.all([writing, reading])
  expect(seen).toEqual(['written', ['one']])
})

it('many who read and write at once all come through', async () => {
  const engine = notes()
  const work = Array.from({ length: 50 }, (_, index) =>
    index % 2 === 0
      ? createItem(engine, 'notes', { id: 10 + index, text: `t${index}` })
      : listItems(engine, 'notes', { limit: 1 }),
  )
  await Promise.all(work)
  expect((await texts()).length).toBe(26)
})
