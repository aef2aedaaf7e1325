// A statement that finds nobody at the connection is sent at once, and nobody notices.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { CompiledQuery, Kysely, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { idleConnection } from '../../../src/dialects/connections/sync-connection.ts'
import { createEngine, createItem, createItems, defineSchema, listItems } from '../../../src/index.ts'
import { sqliteDialect } from '../../../src/sqlite.ts'
import { steppingThrough } from '../../writes/stepping-driver.ts'

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
    await expect(texts()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
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

describe('a transaction that finds nobody at the connection', () => {
  /** What SQLite has run since then. */
  const since = async (work: () => Promise<unknown>) => {
    const before = run.length
    await work()
    return run.slice(before)
  }

  it('takes the lock as it begins, and sends nothing of its own but its end', async () => {
    const engine = notes()
    const sent = await since(() => engine.transaction((inside) => texts(inside)))
    expect(sent).toEqual(['begin immediate', expect.stringContaining('select'), 'commit'])
    const hooked = notes()
    hooked.on('items.create', () => undefined, { when: 'before' })
    // Whether the table has triggers is asked once.
    await createItem(hooked, 'notes', { text: 'first' }, { fields: ['id'] })
    const written = await since(() => createItem(hooked, 'notes', { text: 'two' }, { fields: ['id'] }))
    expect(written).toEqual(['begin immediate', expect.stringContaining('insert'), 'commit'])
  })

  it('that fails is rolled back, once', async () => {
    const work = notes().transaction(async (inside) => {
      await createItem(inside, 'notes', { text: 'two' }, { fields: ['id'] })
      throw new RangeError('undone')
    })
    await expect(work).rejects.toThrow('undone')
    expect(run.filter((text) => text === 'rollback')).toHaveLength(1)
    expect(await texts()).toEqual(['one'])
    expect(idleConnection(db)).toBeDefined()
  })

  it('that SQLite has ended itself says so, and nothing of it is stored', async () => {
    const work = notes().transaction(async (inside) => {
      await createItem(inside, 'notes', { text: 'two' })
      database.exec('rollback')
      await createItem(inside, 'notes', { text: 'three' })
    })
    await expect(work).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect(await texts()).toEqual(['one'])
  })

  it('keeps everybody else waiting until its end', async () => {
    const engine = notes()
    const seen: string[] = []
    const texts = async () => (await db.selectFrom('notes').select('text').execute()).map(({ text }) => text)
    const going = new AbortController()
    const isSeen = new Promise((resolve) => going.signal.addEventListener('abort', resolve))
    const first = engine.transaction(async (inside) => {
      await createItem(inside, 'notes', { text: 'two' })
      await isSeen
      await createItem(inside, 'notes', { text: 'three' })
      seen.push('written')
    })
    const others = [
      texts().then((all) => seen.push(all.join())),
      createItem(engine, 'notes', { text: 'four' }).then(() => seen.push('four')),
      db.transaction().execute(async () => seen.push('host')),
      engine.transaction(async () => seen.push('second')),
    ]
    expect(idleConnection(db)).toBeUndefined()
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(seen).toEqual([])
    going.abort()
    await Promise.all([first, ...others])
    expect(seen.slice(0, 2)).toEqual(['written', 'one,two,three'])
    expect(seen.slice(2).sort()).toEqual(['four', 'host', 'second'])
    expect(idleConnection(db)).toBeDefined()
  })

  it('is one of Kysely for the host, with all of its statements, until it is over', async () => {
    const left: { db?: Kysely<Tables> } = {}
    await createEngine({ db, schema }).transaction(async (inside) => {
      const own = inside.db as Kysely<Tables>
      left.db = own
      expect(own.isTransaction).toBe(true)
      const [, rows] = await Promise.all([
        own.insertInto('notes').values({ id: 2, text: 'two' }).execute(),
        texts(inside),
        own.updateTable('notes').set({ text: 'Two' }).where('id', '=', 2).execute(),
      ])
      expect(rows).toContain('one')
      for await (const { id } of own.selectFrom('notes').select('id').stream()) {
        // Whoever reads on meanwhile has its turn afterwards.
        if (id === 2) void texts(inside)
      }
      expect((await own.introspection.getTables()).map(({ name }) => name)).toEqual(['notes'])
    })
    expect(await texts()).toEqual(['one', 'Two'])
    const late = left.db?.selectFrom('notes').selectAll().execute()
    await expect(late).rejects.toThrow('Transaction is already committed')
  })

  it('is not begun where a driver of the host is around, which would not hear of it', async () => {
    const { dialect, stepping } = steppingThrough(sqliteDialect({ database }))
    const engine = createEngine({ db: new Kysely<Tables>({ dialect }), schema })
    await texts(engine)
    const heard: string[] = []
    stepping.before = async (_, text) => void heard.push(text)
    await createItems(engine, 'notes', [{ text: 'two' }, { text: 'three' }])
    expect(heard.at(-1)).toBe('commit')
    expect(heard.filter((text) => text.includes('insert'))).toHaveLength(1)
  })

  it('reads where nothing may be written, and is refused only what writes', async () => {
    database.pragma('query_only = 1')
    const engine = notes()
    const seen = await engine.transaction(async (inside) => {
      await expect(createItem(inside, 'notes', { text: 'two' })).rejects.toMatchObject({ status: 503 })
      return texts(inside)
    })
    expect(seen).toEqual(['one'])
  })
})

describe('a file that others write to', () => {
  let home: string
  let other: Database.Database
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'quernel-reserved-'))
    other = new Database(join(home, 'test.db'), { timeout: 0 })
    other.exec(
      `create table notes (id integer primary key, text text not null); insert into notes values (1, 'one')`,
    )
  })
  afterEach(() => {
    other.close()
    rmSync(home, { recursive: true, force: true })
  })

  it('that may only be read is read in a transaction', async () => {
    const file = new Database(join(home, 'test.db'), { readonly: true })
    const own = new Kysely<Tables>({ dialect: sqliteDialect({ database: file }) })
    const engine = createEngine({ db: own, schema })
    for (let round = 0; round < 2; round++)
      expect(await engine.transaction((inside) => texts(inside))).toEqual(['one'])
    await own.destroy()
  })

  it('is waited for with the timeout of the host in the statements of the host', async () => {
    const file = new Database(join(home, 'test.db'), { timeout: 5 })
    const own = new Kysely<Tables>({ dialect: sqliteDialect({ database: file }) })
    const engine = createEngine({ db: own, schema })
    const timeout = async (db: Kysely<Tables>) => {
      const { rows } = await sql<{ timeout: number }>`pragma busy_timeout`.execute(db)
      return rows[0]?.timeout
    }
    for (const milliseconds of [5, 7, 0, 9]) {
      file.pragma(`busy_timeout = ${milliseconds}`)
      await engine.transaction(async (inside) => {
        expect(await timeout(inside.db as Kysely<Tables>)).toBe(milliseconds)
        expect(() => other.exec('begin immediate')).toThrow('locked')
      })
      expect(await timeout(own)).toBe(milliseconds)
    }
    await own.destroy()
  })

  it('is waited for where it is attached to a database in memory, in which nobody else writes', async () => {
    database.pragma('busy_timeout = 1')
    database.exec(`attach '${join(home, 'test.db')}' as beside`)
    const engine = notes()
    other.exec('begin immediate')
    const written = engine.transaction((inside) => createItem(inside, 'notes', { text: 'two' }))
    await new Promise((resolve) => setTimeout(resolve, 5))
    other.exec('commit')
    expect(await written).toEqual({ id: 2, text: 'two' })
    expect(database.pragma('busy_timeout', { simple: true })).toBe(1)
  })
})
