// Nobody waits for ever: not for a connection, not for a statement, not for oneself.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import {
  createEngine,
  defineSchema,
  type Engine,
  type EngineOptions,
  explainItems,
  getItem,
  getSingleton,
  isEngineError,
  listItems,
  listItemsJson,
  type QueryReport,
  streamItems,
  toErrorBody,
} from '../../../src/index.ts'
import { insert, type OpenDatabase } from '../../support/databases.ts'
import { key, string } from '../../support/fields.ts'
import { lanes } from '../../support/lanes.ts'
import { inSeconds, type OpenFile, type OpenPool, openFile, openPool } from '../connections.ts'

const schema = defineSchema({
  notes: { fields: { id: key, text: string } },
  settings: { singleton: true, fields: { id: key } },
  // A view that takes half a minute to say what it knows.
  naps: { fields: { id: key, length: string } },
})
type Notes = Engine<typeof schema>

const slow = { fields: ['id', 'length'] } as const
/** Long enough for anything but a nap. */
const patience = 60
const soon = <Result>(work: Promise<Result>) => inSeconds(patience, work)

async function createNotes({ db }: OpenDatabase): Promise<void> {
  await sql`create table notes (id integer primary key, text varchar(100) not null)`.execute(db)
  await sql`create table settings (id integer primary key)`.execute(db)
  await insert(db, 'notes', [
    { id: 1, text: 'one' },
    { id: 2, text: 'two' },
  ])
}

/** What a call failed with. */
async function failure(work: Promise<unknown>): Promise<unknown> {
  return soon(
    work.then(
      (value) => new Error(`an answer: ${JSON.stringify(value)}`),
      (error: unknown) => error,
    ),
  )
}

async function collected(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = []
  for await (const item of items) all.push(item)
  return all
}

const verbs = {
  listItems: (engine: Notes) => listItems(engine, 'notes'),
  'listItems with meta': (engine: Notes) => listItems(engine, 'notes', { meta: '*' }),
  listItemsJson: (engine: Notes) => listItemsJson(engine, 'notes'),
  getItem: (engine: Notes) => getItem(engine, 'notes', 1),
  getSingleton: (engine: Notes) => getSingleton(engine, 'settings'),
  streamItems: (engine: Notes) => collected(streamItems(engine, 'notes')),
  'explainItems of the database': (engine: Notes) => explainItems(engine, 'notes', {}, { database: true }),
  'another transaction': (engine: Notes) => engine.transaction(async () => undefined),
} as const
const everyVerb = Object.entries(verbs).map(([verb, call]) => ({ verb, call }))

describe.each(lanes)('waiting on $title', ({ open, name }) => {
  let opened: OpenDatabase
  let engine: Notes
  let reports: QueryReport[]
  const ready = (options: Partial<EngineOptions<typeof schema>> = {}) =>
    createEngine({ db: opened.db, schema, onQuery: (report) => reports.push(report), ...options })

  beforeEach(async () => {
    reports = []
    opened = await open()
    await createNotes(opened)
    engine = ready()
  })

  // Elsewhere there are connections enough.
  it.each(name === 'sqlite' ? everyVerb : [])(
    '$verb of the outer engine inside its transaction fails at once, with a hint',
    async ({ call }) => {
      const error = await soon(engine.transaction(() => failure(call(engine))))
      expect(error).toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        status: 503,
        hint: expect.stringContaining('the engine that the transaction hands'),
      })
      expect((await soon(listItems(engine, 'notes'))).data).toHaveLength(2)
    },
  )

  it.each(everyVerb)('$verb of the inner engine is answered inside the transaction', async ({ call }) => {
    await soon(engine.transaction<unknown>((inside) => call(inside)))
  })

  it('a transaction begun inside one is the same transaction', async () => {
    const { data } = await soon(
      engine.transaction((inside) => inside.transaction((deeper) => listItems(deeper, 'notes'))),
    )
    expect(data).toHaveLength(2)
  })

  it('two engines on two databases do not mistake each other', async () => {
    const other = await open()
    await createNotes(other)
    const elsewhere = createEngine({ db: other.db, schema })
    const { data } = await soon(engine.transaction(() => listItems(elsewhere, 'notes')))
    expect(data).toHaveLength(2)
  })

  it('a failed transaction lets the next call through', async () => {
    const work = engine.transaction(async () => {
      throw new Error('the host has changed its mind')
    })
    await expect(soon(work)).rejects.toThrow('changed its mind')
    expect((await soon(listItems(engine, 'notes'))).data).toHaveLength(2)
  })

  it('many calls at once are all answered', async () => {
    const calls = Array.from({ length: 300 }, (_, index) =>
      listItems(engine, 'notes', { filter: { id: (index % 2) + 1 }, meta: '*' }),
    )
    const answers = await inSeconds(60, Promise.all(calls))
    expect(answers.map(({ data }) => data[0]?.id)).toEqual(calls.map((_, index) => (index % 2) + 1))
  })

  it('a signal that many calls share warns of no listeners, and ends all of them', async () => {
    const warnings: unknown[] = []
    const warn = (warning: unknown) => warnings.push(warning)
    process.on('warning', warn)
    const controller = new AbortController()
    const { signal } = controller
    await inSeconds(
      30,
      Promise.all(Array.from({ length: 30 }, () => listItems(engine, 'notes', {}, { signal }))),
    )
    let end = () => undefined as unknown
    const open = new Promise((resolve) => {
      end = () => resolve(undefined)
    })
    const calls = Array.from({ length: 30 }, () => failure(engine.transaction(() => open, { signal })))
    await sleep(20)
    controller.abort('enough')
    expect(await Promise.all(calls)).toEqual(calls.map(() => 'enough'))
    end()
    process.off('warning', warn)
    expect(warnings).toEqual([])
  })

  it('a call with a signal that was aborted before fails with the reason, and asks nothing', async () => {
    const reason = new Error('too late')
    const call = listItems(engine, 'notes', {}, { signal: AbortSignal.abort(reason) })
    expect(await failure(call)).toBe(reason)
    expect(reports).toEqual([])
  })
})

/** One connection on either database. */
const lonely = [
  { title: 'SQLite', open: async () => lanes[0]?.open() ?? openFile() },
  { title: 'a PostgreSQL pool of one', open: async (): Promise<OpenDatabase> => openPool(1) },
] as const

describe.each(lonely)('the one connection of $title', ({ open }) => {
  let opened: OpenDatabase
  let engine: Notes
  let reports: QueryReport[]
  beforeEach(async () => {
    reports = []
    opened = await open()
    await createNotes(opened)
    engine = createEngine({
      db: opened.db,
      schema,
      acquireTimeoutMs: 150,
      onQuery: (report) => reports.push(report),
    })
  })

  /** What the work comes to while a transaction of the host's holds the connection. */
  const whileHeld = <Result>(work: () => Promise<Result>) =>
    soon(
      opened.db.transaction().execute(async (transaction) => {
        await sql`select 1`.execute(transaction)
        return work()
      }),
    )

  it.each(everyVerb.filter(({ verb }) => verb !== 'another transaction'))(
    '$verb gives up when a transaction of the host holds it for too long',
    async ({ call }) => {
      const error = await whileHeld(() => failure(call(engine)))
      expect(error).toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        status: 503,
        extensions: { retryAfter: 1 },
        hint: expect.stringContaining('holds it'),
      })
      expect(reports).toEqual([])
    },
  )

  it('whoever gave up leaves its place: what it asked is never run', async () => {
    const errors = await whileHeld(() =>
      Promise.all(
        [1, 2, 1, 2, 1].map((id) => failure(listItems(engine, 'notes', { filter: { id }, meta: '*' }))),
      ),
    )
    expect(errors.every((error) => isEngineError(error) && error.code === 'SERVICE_UNAVAILABLE')).toBe(true)
    expect((await soon(listItems(engine, 'notes'))).data).toHaveLength(2)
    await sleep(20)
    expect(reports).toHaveLength(1)
  })

  it('a call that waits for less than that is answered', async () => {
    const patient = createEngine({ db: opened.db, schema, acquireTimeoutMs: 20_000 })
    const waiting = await whileHeld(async () => {
      const call = listItems(patient, 'notes')
      await sleep(300)
      return { call }
    })
    expect((await soon(waiting.call)).data).toHaveLength(2)
  })

  it('a clock that is set meanwhile changes nothing about how long a call waits', async () => {
    const set = vi.spyOn(Date, 'now')
    const real = Date.now()
    const patient = createEngine({ db: opened.db, schema, acquireTimeoutMs: 20_000 })
    const waiting = await whileHeld(async () => {
      const call = listItems(patient, 'notes')
      set.mockReturnValue(real + 3_600_000)
      await sleep(200)
      return { call }
    })
    expect((await soon(waiting.call)).data).toHaveLength(2)
    const error = await whileHeld(() => {
      const call = failure(listItems(engine, 'notes'))
      set.mockReturnValue(real - 3_600_000)
      return call
    })
    set.mockRestore()
    expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  })

  it('a call that waits is ended by its signal, with the reason', async () => {
    const reason = { why: 'the visitor has left' }
    const controller = new AbortController()
    const patient = createEngine({
      db: opened.db,
      schema,
      acquireTimeoutMs: 20_000,
      onQuery: (report) => reports.push(report),
    })
    const error = await whileHeld(async () => {
      const call = failure(listItems(patient, 'notes', {}, { signal: controller.signal }))
      await sleep(20)
      controller.abort(reason)
      return call
    })
    expect(error).toBe(reason)
    expect((await soon(listItems(engine, 'notes'))).data).toHaveLength(2)
    expect(reports).toHaveLength(1)
  })

  it('a stream that is open holds up nobody for ever', async () => {
    const stream = streamItems(engine, 'notes')
    await soon(stream.next())
    const meanwhile = await soon(listItems(engine, 'notes').catch((error: unknown) => error))
    const isAnswered = !(meanwhile instanceof Error)
    expect(isAnswered || (isEngineError(meanwhile) && meanwhile.code)).toBeOneOf([
      true,
      'SERVICE_UNAVAILABLE',
    ])
    await soon(stream.return())
    expect((await soon(listItems(engine, 'notes'))).data).toHaveLength(2)
  })

  it('many calls at once are answered one after another', async () => {
    const patient = createEngine({ db: opened.db, schema, acquireTimeoutMs: 60_000 })
    const calls = Array.from({ length: 200 }, () => listItems(patient, 'notes', { meta: '*' }))
    const answers = await inSeconds(60, Promise.all(calls))
    expect(answers.every(({ data }) => data.length === 2)).toBe(true)
  })

  it('a call made after the transaction in which it was scheduled is answered', async () => {
    const scheduled = await soon(
      engine.transaction(async (inside) => {
        await listItems(inside, 'notes')
        return { later: sleep(50).then(() => listItems(engine, 'notes')) }
      }),
    )
    expect((await soon(scheduled.later)).data).toHaveLength(2)
  })
})

describe('a statement on PostgreSQL', () => {
  let opened: OpenPool
  let engine: Notes
  const open = async (connections: number) => {
    opened = await openPool(connections)
    await createNotes(opened)
    await opened.run('create view naps as select 1 as id, pg_sleep(30)::text as length')
    engine = createEngine({ db: opened.db, schema })
  }

  /** What the connection says of its limit, on a pool of one. */
  const limit = async () => (await opened.pool.query('show statement_timeout')).rows[0]?.statement_timeout

  /** Waits until the server is busy with so many statements. */
  const until = async (count: number) => {
    for (let time = 0; time < 100; time++) {
      if ((await opened.busy()).length === count) return true
      await sleep(20)
    }
    return false
  }

  it('takes a limit that is longer than the server counts', async () => {
    await open(1)
    const notes = await listItems(engine, 'notes', {})
    expect(await listItems(engine, 'notes', {}, { timeoutMs: Number.MAX_SAFE_INTEGER })).toEqual(notes)
  })

  it.each([1, 3])('is out of time after timeoutMs, with %i connections', async (connections) => {
    await open(connections)
    const error = await failure(listItems(engine, 'naps', slow, { timeoutMs: 100 }))
    expect(error).toMatchObject({ code: 'OUT_OF_TIME', status: 408 })
    expect(await until(0)).toBe(true)
    expect((await soon(listItems(engine, 'notes'))).data).toHaveLength(2)
  })

  it('takes the time of the engine where it is given none', async () => {
    await open(1)
    const hurried = createEngine({ db: opened.db, schema, timeoutMs: 100 })
    expect(await failure(listItems(hurried, 'naps', slow))).toMatchObject({ code: 'OUT_OF_TIME' })
    expect(await failure(collected(streamItems(hurried, 'naps', slow)))).toMatchObject({
      code: 'OUT_OF_TIME',
    })
    expect(await failure(getItem(hurried, 'naps', 1, slow))).toMatchObject({ code: 'OUT_OF_TIME' })
    expect(await failure(listItemsJson(hurried, 'naps', slow))).toMatchObject({ code: 'OUT_OF_TIME' })
  })

  it.each(['0', '7s'])('leaves a limit of %s on its connection', async (own) => {
    await open(1)
    await opened.pool.query(`set statement_timeout = '${own}'`)
    await listItems(engine, 'notes', {}, { timeoutMs: 1_000 })
    expect(await limit()).toBe(own)
    await failure(listItems(engine, 'naps', slow, { timeoutMs: 100 }))
    expect(await limit()).toBe(own)
    await failure(collected(streamItems(engine, 'naps', slow, { timeoutMs: 100 })))
    expect(await limit()).toBe(own)
    await collected(streamItems(engine, 'notes', {}, { timeoutMs: 1_000 }))
    expect(await limit()).toBe(own)
  })

  it.each([
    ['', 'notes', {}, 1_000],
    ['that failed ', 'naps', slow, 100],
  ] as const)(
    '%sleaves the limit of the transaction around it, and that of the connection after it',
    async (_, collection, query: object, timeoutMs) => {
      await open(1)
      await opened.pool.query(`set statement_timeout = '7s'`)
      const inside = await soon(
        opened.db.transaction().execute(async (transaction) => {
          await sql`set local statement_timeout = '9s'`.execute(transaction)
          await sql`savepoint before`.execute(transaction)
          const outcome = await listItems(engine.using(transaction), collection, query, { timeoutMs }).catch(
            (error: unknown) => error,
          )
          expect(outcome).toMatchObject(collection === 'naps' ? { code: 'OUT_OF_TIME' } : { data: [{}, {}] })
          if (collection === 'naps') await sql`rollback to savepoint before`.execute(transaction)
          const { rows } = await sql<{ statement_timeout: string }>`show statement_timeout`.execute(
            transaction,
          )
          return rows[0]?.statement_timeout
        }),
      )
      expect([inside, await limit()]).toEqual(['9s', '7s'])
    },
  )

  it('is cancelled on the server when its signal is aborted', async () => {
    await open(3)
    const controller = new AbortController()
    const call = failure(listItems(engine, 'naps', slow, { signal: controller.signal }))
    expect(await until(1)).toBe(true)
    const reason = new Error('the visitor has left')
    controller.abort(reason)
    expect(await call).toBe(reason)
    expect(await until(0)).toBe(true)
    expect((await soon(listItems(engine, 'notes'))).data).toHaveLength(2)
  })

  it('costs no statement more under a signal once its connection is known, and is cancelled there', async () => {
    await open(2)
    await listItems(engine, 'notes')
    const sent: string[] = []
    // Whatever reaches a connection is written down on its way.
    const connect = opened.pool.connect.bind(opened.pool)
    vi.spyOn(opened.pool, 'connect').mockImplementation(async () => {
      const client = await connect()
      const query = client.query.bind(client) as (...given: unknown[]) => unknown
      if (!('isHeard' in client))
        Object.assign(client, {
          isHeard: true,
          query: (...given: unknown[]) => {
            if (typeof given[0] === 'string') sent.push(given[0])
            return query(...given)
          },
        })
      return client
    })
    for (let time = 0; time < 3; time++)
      await listItems(engine, 'notes', {}, { signal: new AbortController().signal })
    const controller = new AbortController()
    const call = failure(listItems(engine, 'naps', slow, { signal: controller.signal }))
    expect(await until(1)).toBe(true)
    controller.abort('enough')
    expect(await call).toBe('enough')
    expect(await until(0)).toBe(true)
    const own = sent.filter((text) => text.startsWith('/* quernel */'))
    const others = sent.filter((text) => !own.includes(text)).map((text) => /pg_\w+/.exec(text)?.[0])
    expect([own.length, others]).toEqual([4, ['pg_backend_pid', 'pg_cancel_backend']])
  })

  it('of a stream is cancelled, too', async () => {
    await open(3)
    const controller = new AbortController()
    const call = failure(collected(streamItems(engine, 'naps', slow, { signal: controller.signal })))
    expect(await until(1)).toBe(true)
    controller.abort('enough')
    expect(await call).toBe('enough')
    expect(await until(0)).toBe(true)
  })

  it('inside a transaction of the host is cancelled, and the transaction can be rolled back', async () => {
    await open(3)
    const controller = new AbortController()
    const work = opened.db.transaction().execute(async (transaction) => {
      const call = failure(listItems(engine.using(transaction), 'naps', slow, { signal: controller.signal }))
      expect(await until(1)).toBe(true)
      controller.abort('enough')
      expect(await call).toBe('enough')
      throw new Error('rolled back')
    })
    await expect(soon(work)).rejects.toThrow('rolled back')
    expect((await soon(listItems(engine, 'notes'))).data).toHaveLength(2)
  })

  it.each([1, 2, 3])(
    'lets the callers go at once, even when all %i connections are busy',
    async (connections) => {
      await open(connections)
      const controller = new AbortController()
      const calls = Array.from({ length: connections }, () =>
        failure(listItems(engine, 'naps', slow, { signal: controller.signal })),
      )
      expect(await until(connections)).toBe(true)
      controller.abort('enough')
      expect(await Promise.all(calls)).toEqual(calls.map(() => 'enough'))
    },
  )

  it('that ends as it is aborted disturbs nothing that comes after it', async () => {
    await open(4)
    for (let time = 0; time < 60; time++) {
      const controller = new AbortController()
      const calls = [1, 2].map(() =>
        listItems(engine, 'notes', {}, { signal: controller.signal, timeoutMs: 60_000 }).catch(
          (error: unknown) => error,
        ),
      )
      await sleep(time % 6)
      controller.abort('enough')
      await soon(Promise.all(calls))
      const limits = await Promise.all([limit(), limit(), limit(), limit()])
      expect(limits).toEqual(['0', '0', '0', '0'])
    }
  })
})

describe('a fault of the driver', () => {
  let opened: OpenPool | OpenFile | OpenDatabase

  /** The body tells the code, and nothing that the driver says. */
  function expectFault(error: unknown, codes: readonly string[]) {
    expect(isEngineError(error) && error.code).toBeOneOf([...codes])
    const cause = error instanceof Error ? error.cause : undefined
    expect(cause).toBeInstanceOf(Error)
    const said = cause instanceof Error ? cause.message : ''
    const body = JSON.stringify(toErrorBody(error))
    expect(said).not.toBe('')
    expect(body).not.toContain(said)
    expect(body).not.toMatch(/select|from |"_q|notes|sqlite|postgres|pg_/i)
  }
  const down = ['SERVICE_UNAVAILABLE', 'INTERNAL_SERVER_ERROR']

  it.each(lanes)('of a closed $title is no fault of the caller', async ({ open }) => {
    opened = await open()
    await createNotes(opened)
    const engine = createEngine({ db: opened.db, schema })
    await opened.close()
    for (const { call } of everyVerb.filter(({ verb }) => verb !== 'another transaction'))
      expectFault(await failure(call(engine)), down)
  })

  it.each(lanes)('of a missing table on $title is no fault of the caller', async ({ open }) => {
    opened = await open()
    const engine = createEngine({ db: opened.db, schema })
    for (const { call } of everyVerb.filter(({ verb }) => verb !== 'another transaction'))
      expectFault(await failure(call(engine)), ['INTERNAL_SERVER_ERROR'])
  })

  it('of a locked SQLite file is SERVICE_UNAVAILABLE until the lock is gone', async () => {
    const file = await openFile()
    opened = file
    await createNotes(file)
    const engine = createEngine({ db: file.db, schema })
    file.other.exec('begin exclusive')
    for (const { call } of everyVerb.filter(({ verb }) => !/transaction|explain/.test(verb)))
      expectFault(await failure(call(engine)), ['SERVICE_UNAVAILABLE'])
    file.other.exec('commit')
    expect((await listItems(engine, 'notes')).data).toHaveLength(2)
  })

  it.each([
    ['alone', {}],
    ['with a limit of time', { timeoutMs: 20_000 }],
    ['with a signal', { signal: new AbortController().signal }],
  ])('of a connection that the server ends is SERVICE_UNAVAILABLE, %s', async (_title, options) => {
    const pool = await openPool(2)
    opened = pool
    await createNotes(pool)
    await pool.run('create view naps as select 1 as id, pg_sleep(30)::text as length')
    const engine = createEngine({ db: pool.db, schema })
    for (const call of [
      () => listItems(engine, 'naps', slow, options),
      () => collected(streamItems(engine, 'naps', slow, options)),
    ]) {
      const failed = failure(call())
      const ended = new Set<number>()
      while (ended.size === 0) {
        await sleep(50)
        for (const process of await pool.busy()) ended.add(process)
        for (const process of ended) await pool.observer.query('select pg_terminate_backend($1)', [process])
      }
      expectFault(await failed, ['SERVICE_UNAVAILABLE'])
      // The pool is told a moment later that the connection is gone.
      await sleep(200)
      expect((await soon(listItems(engine, 'notes'))).data).toHaveLength(2)
    }
  })

  it('of a connection that nobody answers at is SERVICE_UNAVAILABLE', async () => {
    const pool = await openPool(1)
    opened = pool
    const engine = createEngine({ db: pool.db, schema })
    pool.pool.options.port = 1
    pool.pool.options.connectionString = 'postgres://quernel:secret@127.0.0.1:1/none'
    expectFault(await failure(listItems(engine, 'notes')), ['SERVICE_UNAVAILABLE'])
  })
})
