// Transactions that something else has ended: nothing that follows may be stored by itself.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { internalsOf } from '../../../src/engine/engine.ts'
import {
  createEngine,
  createItem,
  createItems,
  type Engine,
  getItem,
  listItems,
  updateItem,
} from '../../../src/index.ts'
import { sqliteDialect } from '../../../src/sqlite.ts'
import { openFile, openPool } from '../../items/connections.ts'
import { barrier } from '../../support/barrier.ts'
import { type AnyTables, type OpenDatabase, openedOn } from '../../support/databases.ts'
import { drivers } from '../../support/drivers.ts'
import { failing, type Steps } from '../../writes/failing-driver.ts'
import { createLibrary, type Library, schema } from '../../writes/library.ts'

const over = {
  code: 'SERVICE_UNAVAILABLE',
  message: expect.stringContaining('This transaction is over, and nothing of it is stored'),
}
const undone = new Error('undone')
const caught = (error: unknown) => error
const name = async (engine: Library, text: string) => createItem(engine, 'subjects', { name: text })
const names = async (engine: Library) =>
  (await listItems(engine, 'subjects', { fields: ['name'] })).data.map((subject) => subject.name)

function listening(db: Kysely<AnyTables>): { readonly engine: Library; readonly told: string[] } {
  const engine = createEngine({ db, schema })
  const told: string[] = []
  for (const event of ['items.create', 'items.update', 'items.delete'] as const)
    engine.on(event, ({ collection }) => told.push(`${event} ${collection}`), { when: 'after' })
  return { engine, told }
}

describe("a transaction of the host's that gives way to others is told so", () => {
  const anew = (says: string) => ({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringMatching(new RegExp(`^${says}.*: begin it anew\\.$`)),
  })

  it('when a row was changed since it began to look', async () => {
    const { db } = await openPool(2)

    await createLibrary('postgres', db)
    const { engine } = listening(db)
    const work = db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (transaction) => {
        const inside = engine.using(transaction)
        await getItem(inside, 'books', 1)
        await updateItem(engine, 'books', 1, { title: 'Uno' })
        await updateItem(inside, 'books', 1, { title: 'Due' })
      })
    await expect(work).rejects.toMatchObject({
      ...anew('Another transaction has changed what this one works with'),
      cause: { code: '40001' },
    })
  })

  it('when each waits for the other', async () => {
    const { db } = await openPool(3)

    await createLibrary('postgres', db)
    const { engine } = listening(db)
    const bothHold = barrier(2)
    const both = [1, 2].map((id) =>
      db.transaction().execute(async (transaction) => {
        await sql`set local deadlock_timeout = '10ms'`.execute(transaction)
        const inside = engine.using(transaction)
        await updateItem(inside, 'books', id, { title: 'x' })
        await bothHold()
        await updateItem(inside, 'books', 3 - id, { title: 'y' })
      }),
    )
    const failed = (await Promise.allSettled(both)).filter(({ status }) => status === 'rejected')
    expect(failed).toMatchObject([
      {
        reason: {
          ...anew('Another transaction and this one waited for each other'),
          cause: { code: '40P01' },
        },
      },
    ])
  })

  it('when others have written since it began to read', async () => {
    const { db, other } = await openFile()

    other.pragma('journal_mode = wal')
    await createLibrary('sqlite', db)
    const { engine } = listening(db)
    const work = db.transaction().execute(async (transaction) => {
      const inside = engine.using(transaction)
      await getItem(inside, 'books', 1)
      other.exec(`update books set title = 'Uno' where id = 1`)
      await updateItem(inside, 'books', 1, { title: 'Due' })
    })
    await expect(work).rejects.toMatchObject({
      ...anew('Others have written since this transaction began to read'),
      cause: { code: 'SQLITE_BUSY_SNAPSHOT' },
    })
  })
})

/** Kysely's own driver, ours, and others. */
const lanes: readonly { readonly title: string; open(): Promise<OpenDatabase> }[] = [
  { title: 'Kysely', open: async () => opened(new SqliteDialect({ database: memory() })) },
  { title: 'quernel/sqlite', open: async () => opened(sqliteDialect({ database: memory() })) },
  ...drivers.filter((driver) => driver.name === 'sqlite'),
]
const memory = () => new BetterSqlite(':memory:')
const opened = (dialect: SqliteDialect): OpenDatabase => {
  const db = new Kysely<AnyTables>({ dialect })
  return openedOn(db)
}

interface World {
  readonly db: Kysely<AnyTables>
  readonly engine: Library
}

/** What ends a transaction of SQLite, by the verb or by the host. */
const endings: readonly {
  readonly title: string
  readonly prepare: (world: World) => Promise<unknown>
  readonly end: (inside: Library) => Promise<unknown>
}[] = [
  {
    title: 'a trigger that rolls back',
    prepare: ({ db }) =>
      sql`create trigger boom before insert on chapters begin select raise(rollback, 'boom'); end`.execute(
        db,
      ),
    end: (inside) => createItem(inside, 'chapters', { heading: 'x', book: 1 }),
  },
  {
    title: 'a rule that rolls back on conflict',
    prepare: async ({ db }) => {
      await sql`drop table settings`.execute(db)
      await sql`create table settings (id integer primary key, name text unique on conflict rollback)`.execute(
        db,
      )
      await sql`insert into settings (name) values ('taken')`.execute(db)
    },
    end: (inside) => sql`insert into settings (name) values ('taken')`.execute(inside.db),
  },
  {
    title: "a rollback of the host's own",
    prepare: async () => undefined,
    end: (inside) => sql`rollback`.execute(inside.db),
  },
]

describe.each(lanes)('on SQLite with $title', ({ title: driver, open }) => {
  let world: OpenDatabase
  let engine: Library
  let told: string[]
  beforeEach(async () => {
    world = await open()
    await createLibrary('sqlite', world.db)
    ;({ engine, told } = listening(world.db))
  })
  /** Whether a transaction has been left behind, or the next cannot begin. */
  const goesOn = async () => {
    expect(told).toEqual([])
    expect(await names(engine)).toEqual(['tea'])
    await engine.transaction((inside) => name(inside, 'next'))
    expect(await names(engine)).toEqual(['tea', 'next'])
    expect(told).toEqual(['items.create subjects'])
  }

  describe.each(endings)('$title', ({ prepare, end }) => {
    beforeEach(() => prepare({ db: world.db, engine }))

    it('ends a transaction whose work goes on, and throws its own error', async () => {
      let refused: unknown
      const work = engine.transaction(async (inside) => {
        await name(inside, 'before')
        await end(inside).catch(caught)
        refused = await name(inside, 'after').catch(caught)
        throw undone
      })
      expect(await work.catch(caught)).toBe(undone)
      expect(refused).toMatchObject(over)
      await goesOn()
    })

    it('ends a transaction whose work ends as if nothing had happened', async () => {
      const work = engine.transaction(async (inside) => {
        await name(inside, 'before')
        await end(inside).catch(caught)
      })
      await expect(work).rejects.toMatchObject(over)
      await goesOn()
    })

    it('inside a transaction in a transaction ends both', async () => {
      const work = engine.transaction(async (outer) => {
        await name(outer, 'before')
        const part = outer.transaction(async (inside) => {
          await end(inside).catch(caught)
          await name(inside, 'within').catch(caught)
        })
        await expect(part).rejects.toMatchObject(over)
        await expect(name(outer, 'after')).rejects.toMatchObject(over)
        await expect(getItem(outer, 'subjects', 1)).rejects.toMatchObject(over)
      })
      await expect(work).rejects.toMatchObject(over)
      await goesOn()
    })

    it("ends what verbs do in a transaction of the host's", async () => {
      let inside: Library | undefined
      const work = world.db.transaction().execute(async (transaction) => {
        inside = engine.using(transaction)
        await name(inside, 'before')
        await end(inside).catch(caught)
        await expect(name(inside, 'after')).rejects.toMatchObject(over)
        await expect(name(engine.using(transaction), 'again')).rejects.toMatchObject(over)
        throw undone
      })
      await work.catch(caught)
      await expect(inside?.committed()).rejects.toMatchObject(over)
      await goesOn()
    })

    it('in a handler before a verb ends the verb', async () => {
      engine.on(
        'items.create',
        'books',
        async ({ engine: inside }) => void (await end(inside as Library).catch(caught)),
        { when: 'before' },
      )
      const { length } = told
      await expect(createItem(engine, 'books', { title: 'x' })).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
      })
      expect(told).toHaveLength(length)
      expect((await listItems(engine, 'books')).data).toHaveLength(3)
      await goesOn()
    })
  })

  it('what is the cause goes along', async () => {
    await endings[0]?.prepare({ db: world.db, engine })
    const work = engine.transaction((inside) =>
      createItem(inside, 'chapters', { heading: 'x', book: 1 }).catch(caught),
    )
    const { cause } = Object(await work.catch(caught))
    expect(String(cause), driver).toMatch(/boom/)
  })
})

describe.each(['Kysely', 'quernel/sqlite'] as const)('on a full disk with %s', (title) => {
  let home: string
  let world: OpenDatabase
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'quernel-ended-'))
    const database = new BetterSqlite(join(home, 'test.db'))
    world = opened(title === 'Kysely' ? new SqliteDialect({ database }) : sqliteDialect({ database }))
    await createLibrary('sqlite', world.db)
    const pages = Number(database.pragma('page_count', { simple: true }))
    database.pragma(`max_page_count = ${pages + 20}`)
  })
  afterEach(() => rm(home, { recursive: true, force: true }))

  it('nothing of a transaction is stored that goes on', async () => {
    const { engine, told } = listening(world.db)
    const work = engine.transaction(async (inside) => {
      await name(inside, 'before')
      const long = sql`insert into books (title) values (${'x'.repeat(200_000)})`
      await expect(long.execute(inside.db)).rejects.toMatchObject({ code: 'SQLITE_FULL' })
      await expect(name(inside, 'after')).rejects.toMatchObject(over)
    })
    await expect(work).rejects.toMatchObject(over)
    expect([await names(engine), told]).toEqual([['tea'], []])
  })
})

describe.each(['Kysely', 'quernel/sqlite'] as const)('a rollback that fails with %s', (title) => {
  const stuck = {
    code: 'SERVICE_UNAVAILABLE',
    message: 'The connection is in a transaction that could not be rolled back.',
    hint: 'Close what still reads on it, such as an iterator or a stream.',
  }
  let database: ReturnType<typeof memory>
  let engine: Library
  let errors: unknown[]
  let told: string[]
  beforeEach(async () => {
    database = memory()
    const { db } = opened(title === 'Kysely' ? new SqliteDialect({ database }) : sqliteDialect({ database }))
    await createLibrary('sqlite', db)
    errors = []
    told = []
    engine = createEngine({ db, schema, onError: (error) => errors.push(error) })
    engine.on('items.create', ({ keys }) => told.push(keys.join()), { when: 'after' })
    for (const text of ['one', 'two']) await name(engine, text)
    told = []
  })
  afterEach(() => database.close())
  const stored = ['one', 'tea', 'two']
  const rows = async () => (await names(engine)).sort()
  /** Nothing is read, written or begun in what was to be undone. */
  const isRefused = async (signal?: AbortSignal) => {
    const options = signal ? { signal } : {}
    const calls = [
      () => createItem(engine, 'subjects', { name: 'lost' }, {}, options),
      () => updateItem(engine, 'subjects', 1, { name: 'lost' }, {}, options),
      () => listItems(engine, 'subjects', {}, options),
      () => engine.transaction((inside) => name(inside, 'lost'), options),
    ]
    for (const call of calls) await expect(call()).rejects.toMatchObject(stuck)
  }
  const goesOn = async () => {
    await name(engine, 'next')
    await engine.transaction((inside) => name(inside, 'last'))
    expect(database.inTransaction).toBe(false)
    expect(await rows()).toEqual([...stored, 'next', 'last'].sort())
    expect(told).toHaveLength(2)
  }

  it.each(['throws', 'returns', 'has a signal'] as const)(
    'keeps the connection from everybody as long as an iterator is open, where the work %s',
    async (how) => {
      const { signal } = new AbortController()
      let open: IterableIterator<unknown> | undefined
      const work = engine.transaction(
        async (inside) => {
          await name(inside, 'undone')
          open = database.prepare('select * from subjects').iterate()
          open.next()
          if (how !== 'returns') throw undone
        },
        how === 'has a signal' ? { signal } : {},
      )
      if (how === 'returns') await expect(work).rejects.toThrow()
      else expect(await work.catch(caught)).toBe(undone)
      expect(errors).toMatchObject([{ ...stuck, cause: expect.any(TypeError) }])
      await isRefused()
      await isRefused(signal)
      open?.return?.()
      await goesOn()
      expect(errors).toHaveLength(1)
    },
  )

  it('keeps it also where a stream of the host has begun in it, and was left', async () => {
    let rest: AsyncIterator<unknown> | undefined
    const work = engine.transaction(async (inside) => {
      await name(inside, 'undone')
      rest = inside.db.selectFrom('subjects').selectAll().stream()[Symbol.asyncIterator]()
      await rest.next()
      throw undone
    })
    expect(await work.catch(caught)).toBe(undone)
    expect(errors).toMatchObject([stuck])
    await isRefused()
    await rest?.return?.()
    await goesOn()
  })

  it('is repeated before the next statement', async () => {
    let failures = 2
    const prepare = database.prepare.bind(database)
    database.prepare = (text: string) => {
      if (text === 'rollback' && failures-- > 0)
        throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' })
      return prepare(text)
    }
    const work = engine.transaction(async (inside) => {
      await name(inside, 'undone')
      throw undone
    })
    expect(await work.catch(caught)).toBe(undone)
    expect(errors).toMatchObject([stuck])
    expect(database.inTransaction).toBe(true)
    failures = 0
    expect(await rows()).toEqual(stored)
    await goesOn()
  })

  it('takes nothing back of a transaction that the host has begun since', async () => {
    let open: IterableIterator<unknown> | undefined
    const work = engine.transaction(async (inside) => {
      await name(inside, 'undone')
      open = database.prepare('select * from subjects').iterate()
      open.next()
      throw undone
    })
    expect(await work.catch(caught)).toBe(undone)
    open?.return?.()
    database.exec('rollback')
    await engine.db.transaction().execute(async (transaction) => {
      const inside = createEngine({ db: transaction, schema })
      await name(inside, 'kept')
      await inside.transaction((part) => name(part, 'also'))
      await inside.committed()
    })
    expect(database.inTransaction).toBe(false)
    expect(await rows()).toEqual([...stored, 'kept', 'also'].sort())
  })
})

describe('on PostgreSQL', () => {
  let engine: Library
  let told: string[]
  let steps: Steps
  beforeEach(async () => {
    const pool = await openPool(1)
    const { db, steps: taken } = failing(new PostgresDialect({ pool: pool.pool }))
    steps = taken
    await createLibrary('postgres', db)
    ;({ engine, told } = listening(db))
    // What is asked of a server once is asked here.
    await names(engine)
  })
  const taken = (inside: Library) => createItems(inside, 'subjects', [{ name: 'half' }, { name: 'tea' }])

  it.each(['savepoint', 'rollback to savepoint', 'release savepoint'])(
    'a %s that fails under a verb whose error is caught leaves nothing of the verb',
    async (words) => {
      const work = engine.transaction(async (inside) => {
        await name(inside, 'before')
        // From now on, until the end.
        steps.fails = () => steps.statements.at(-1)?.startsWith(words) ?? false
        const failures = [await taken(inside).catch(caught), await name(inside, 'after').catch(caught)]
        steps.fails = () => false
        return failures
      })
      const outcome = await work.catch(caught)
      const stored = await names(engine)
      if (outcome instanceof Error) expect([stored, told]).toEqual([['tea'], []])
      else expect([stored, told]).toEqual([['tea', 'before'], ['items.create subjects']])
      expect(stored).not.toContain('half')
      if (words === 'rollback to savepoint') expect(outcome).toMatchObject(over)
      await name(engine, 'next')
    },
  )

  it('a statement of the host that fails and is caught ends a transaction', async () => {
    const work = engine.transaction(async (inside) => {
      await name(inside, 'before')
      await sql`select 1 / 0`.execute(inside.db).catch(caught)
    })
    await expect(work).rejects.toMatchObject(over)
    expect([await names(engine), told]).toEqual([['tea'], []])
  })

  it('a read that fails and is caught ends a transaction, and is the cause of it', async () => {
    await sql`drop table settings`.execute(engine.db)
    const untyped: Engine = engine
    let refused: unknown
    const work = engine.transaction(async (inside) => {
      await name(inside, 'before')
      await listItems(inside, 'settings').catch(caught)
      refused = await name(inside, 'after').catch(caught)
    })
    await expect(work).rejects.toMatchObject({ ...over, cause: { code: '42P01' } })
    expect(refused).toMatchObject({ ...over, cause: { code: '42P01' } })
    expect([await names(engine), told]).toEqual([['tea'], []])
    expect(internalsOf(untyped).unit).toBe(undefined)
  })

  it("a commit of the host's own ends a transaction", async () => {
    const work = engine.transaction(async (inside) => {
      await sql`rollback`.execute(inside.db)
      await expect(name(inside, 'after')).rejects.toMatchObject(over)
    })
    await expect(work).rejects.toMatchObject(over)
    expect([await names(engine), told]).toEqual([['tea'], []])
  })

  it("goes on where the host rolls back to a savepoint of the host's", async () => {
    await engine.db.transaction().execute(async (transaction) => {
      const inside = engine.using(transaction)
      await sql`savepoint own`.execute(transaction)
      await sql`select 1 / 0`.execute(transaction).catch(caught)
      await expect(name(inside, 'between')).rejects.toMatchObject(over)
      await sql`rollback to savepoint own`.execute(transaction)
      await name(inside, 'after')
    })
    expect(await names(engine)).toEqual(['tea', 'after'])
  })
})
