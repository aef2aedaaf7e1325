// A statement that finds nobody at the connection is sent at once, and nobody notices.
import Database from 'better-sqlite3'
import { CompiledQuery, Kysely } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { idleConnection } from '../../src/dialects/sync-connection.ts'
import { createEngine, createItem, defineSchema, listItems } from '../../src/index.ts'
import { sqliteDialect } from '../../src/sqlite.ts'

const schema = defineSchema({
  notes: { fields: { id: { type: 'integer', key: true }, text: { type: 'string' } } },
})

interface Tables {
  notes: { id: number; text: string }
}

let run: unknown[]
let database: Database.Database
let db: Kysely<Tables>
beforeEach(async () => {
  run = []
  database = new Database(':memory:', { verbose: (statement) => void run.push(statement) })
  db = new Kysely<Tables>({ dialect: sqliteDialect({ database }) })
  await db.executeQuery(CompiledQuery.raw('create table notes (id integer primary key, text text not null)'))
  await db.insertInto('notes').values({ id: 1, text: 'one' }).execute()
})
const notes = () => createEngine({ db, schema })
const texts = async (engine = notes()) => (await listItems(engine, 'notes')).data.map(({ text }) => text)

describe('the connection', () => {
  it('is idle while nobody has it', async () => {
    const fresh = new Kysely<Tables>({ dialect: sqliteDialect({ database: new Database(':memory:') }) })
    expect(idleConnection(fresh)).toBeUndefined()
    await fresh.destroy()
    expect(idleConnection(db)).toBeDefined()
    await db.transaction().execute(async (inside) => {
      expect(idleConnection(db)).toBeUndefined()
      await inside.selectFrom('notes').selectAll().execute()
      expect(idleConnection(db)).toBeUndefined()
    })
    const undone = db.transaction().execute(async () => {
      throw new RangeError('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(idleConnection(db)).toBeDefined()
    await db.connection().execute(async () => {
      expect(idleConnection(db)).toBeUndefined()
    })
    expect(idleConnection(db)).toBeDefined()
  })

  it('is not idle when it is closed', async () => {
    await db.destroy()
    expect(idleConnection(db)).toBeUndefined()
    await expect(texts()).rejects.toMatchObject({ code: 'INTERNAL_SERVER_ERROR' })
  })

  it('is idle after a statement that fails', async () => {
    const gone = defineSchema({ gone: { fields: { id: { type: 'integer', key: true } } } })
    const engine = createEngine({ db, schema: gone })
    for (let round = 0; round < 3; round++) {
      await expect(listItems(engine, 'gone')).rejects.toMatchObject({ code: 'INTERNAL_SERVER_ERROR' })
      expect(await texts()).toEqual(['one'])
    }
    expect(idleConnection(db)).toBeDefined()
  })
})

it('a call that was given up before sends nothing', async () => {
  const before = run.length
  const given = listItems(notes(), 'notes', {}, { signal: AbortSignal.abort(new RangeError('left')) })
  await expect(given).rejects.toThrow('left')
  expect(run.length).toBe(before)
})

it('a bound of time that is none is refused', async () => {
  const before = run.length
  const given = listItems(notes(), 'notes', {}, { timeoutMs: -1 })
  await expect(given).rejects.toMatchObject({ code: 'INVALID_OPTIONS', path: ['timeoutMs'] })
  expect(run.length).toBe(before)
})

it('where Kysely is to log statements, all of them are in its log', async () => {
  const logged: string[] = []
  const log = ({ query: { sql } }: { query: { sql: string } }) => void logged.push(sql)
  const told = new Kysely<Tables>({ dialect: sqliteDialect({ database }), log })
  const engine = createEngine({ db: told, schema })
  for (let round = 0; round < 3; round++) await texts(engine)
  expect(idleConnection(told)).toBeUndefined()
  expect(logged.length).toBe(3)
  expect(logged.at(-1)).toMatch(/^\/\* quernel \*\/ select/)
})

it('what is done with a new connection is done before it is idle', async () => {
  const steps: string[] = []
  const fresh = new Kysely<Tables>({
    dialect: sqliteDialect({
      database,
      onCreateConnection: async () => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        steps.push('ready')
      },
    }),
  })
  const engine = createEngine({ db: fresh, schema })
  const read = () => texts(engine).then(() => steps.push('read'))
  const early = [read(), read()]
  await new Promise((resolve) => setTimeout(resolve, 1))
  await Promise.all([...early, read()])
  expect(steps).toEqual(['ready', 'read', 'read', 'read'])
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
