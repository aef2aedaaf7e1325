// A database that is away for half a minute: the status says so, nothing wrong is told, and it is right again without a restart.
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import BetterSqlite from 'better-sqlite3'
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import pg from 'pg'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createEngine, createItem, isEngineError, listItems, updateItem } from '../../../src/index.ts'
import { createFeed, type Feed, localSource } from '../../../src/realtime.ts'
import { openPool } from '../../items/connections.ts'
import { atEnd } from '../../support/at-end.ts'
import type { AnyTables } from '../../support/databases.ts'
import { backToRealTime } from '../../support/fake-time.ts'
import { failing } from '../../writes/failing-driver.ts'
import { createNotes, memberships, type Notes, NotesReader, rules, schema } from '../notes.ts'
import { pause, until } from '../tasks.ts'

afterEach(backToRealTime)

const admin = { admin: true } as const
const member = { user: 7, rules }
const wanted = [admin, member].flatMap((access) => memberships.map((membership) => ({ access, membership })))

/** Readers of each membership who see everything, and who see what a member sees. */
const readersOf = (feed: Feed<typeof schema>) =>
  Promise.all(wanted.map(({ access, membership }) => new NotesReader(feed, access, membership).begin()))

const held = ({ replica }: NotesReader): string =>
  JSON.stringify(replica.data.map((item) => JSON.stringify(item)).toSorted())

async function expected(engine: Notes): Promise<readonly string[]> {
  const lists = wanted.map(({ access }) => listItems(engine.as(access), 'notes', { fields: ['id', 'text'] }))
  return (await Promise.all(lists)).map(({ data }) =>
    JSON.stringify(data.map((item) => JSON.stringify(item)).toSorted()),
  )
}

/** Writes what readers of each kind see, and what takes from one what it saw. */
async function write(engine: Notes, turn: number): Promise<void> {
  await updateItem(engine, 'notes', 1, { text: `turn ${turn}` })
  await updateItem(engine, 'notes', 2, { team: 1 + (turn % 2), text: `other ${turn}` })
}

/** Lets time pass in the twinkling of an eye, with all turns of the loop that belong to it. */
async function pass(milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += 50) {
    await vi.advanceTimersByTimeAsync(50)
    for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
}

describe.each(['SQLITE_BUSY', 'SQLITE_IOERR', 'SQLITE_CANTOPEN'])('on SQLite that says %s', (code) => {
  it('for half a minute', async () => {
    const { db, steps } = failing(new SqliteDialect({ database: new BetterSqlite(':memory:') }))
    atEnd(() => db.destroy())
    await createNotes(db)
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
    })
    const errors: unknown[] = []
    // What fails beside, such as the end of a transaction, is told to the engine.
    const engine = createEngine({ db, schema, onError: () => undefined })
    const feed = createFeed(engine, { source: localSource(), onError: (error) => errors.push(error) })
    atEnd(() => feed.stop())
    const beginning = readersOf(feed)
    await pass(200)
    const readers = await beginning
    const before = readers.map(held)
    const messages = () => readers.map((reader) => reader.messages.length)
    const told = messages()
    for (let outage = 1; outage <= 2; outage++) {
      expect(feed.status()).toMatchObject({ isReading: true, oldest: 0 })
      const then = messages()
      await write(engine, outage)
      let asked = 0
      steps.fails = () => {
        asked += 1
        return true
      }
      steps.failWith = () => Object.assign(new Error('away'), { code })
      await pass(1_000)
      expect(feed.status()).toMatchObject({ isReading: false, subscriptions: 4, lag: 0 })
      await pass(29_000)
      // Whoever comes meanwhile waits, and whoever leaves leaves.
      const late = new NotesReader(feed, admin, 'page')
      const isBegun = late.begin()
      const gone = new NotesReader(feed, member, 'match')
      const isGone = gone.begin()
      await pass(100)
      await gone.leave()
      await isGone
      expect(feed.status()).toMatchObject({ isReading: false, subscriptions: 5 })
      expect(feed.status().oldest).toBeGreaterThan(29_000)
      // It is asked again and again, and ever more rarely: nobody needs a storm.
      expect(asked).toBeGreaterThan(8)
      expect(asked).toBeLessThan(80)
      expect(messages()).toEqual(then)
      expect(readers.map(({ error }) => error)).toEqual([undefined, undefined, undefined, undefined])
      steps.fails = () => false
      await pass(6_000)
      expect(feed.status()).toMatchObject({ isReading: true, oldest: 0, subscriptions: 5 })
      expect(readers.map(held)).toEqual(await expected(engine))
      await isBegun
      expect(held(late)).toBe(held(readers[0] ?? late))
      await late.leave()
      expect(errors).toHaveLength(outage)
      expect(errors.every((error) => isEngineError(error) && error.code === 'SERVICE_UNAVAILABLE')).toBe(true)
      // Nobody had to begin anew.
      expect(readers.flatMap((reader) => reader.messages).some(({ kind }) => kind === 'reset')).toBe(false)
    }
    expect(readers.map(held)).not.toEqual(before)
    expect(messages()).not.toEqual(told)
  })
})

/** A network before a server, which breaks off and refuses whenever it is told to. */
class Network {
  readonly #to: { readonly host: string; readonly port: number }
  readonly #open = new Set<Socket>()
  #server: Server | undefined
  port = 0

  constructor(url: URL) {
    this.#to = { host: url.hostname, port: Number(url.port) }
  }

  async come(): Promise<void> {
    const server = createServer((client) => {
      const upstream = createConnection(this.#to)
      for (const socket of [client, upstream]) {
        this.#open.add(socket)
        socket.on('error', () => undefined)
        socket.on('close', () => {
          this.#open.delete(socket)
          client.destroy()
          upstream.destroy()
        })
      }
      client.pipe(upstream)
      upstream.pipe(client)
    })
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve))
    this.port = Number(Object(server.address()).port)
    this.#server = server
  }

  async go(): Promise<void> {
    for (const socket of this.#open) socket.resetAndDestroy()
    await new Promise((resolve) => this.#server?.close(resolve))
  }
}

it.each(['refuses', 'ends connections'] as const)('a PostgreSQL that %s', async (how) => {
  const opened = await openPool(1)
  await createNotes(opened.db)
  const { connectionString = '', options } = opened.pool.options
  const url = new URL(connectionString)
  const network = new Network(url)
  await network.come()
  atEnd(() => network.go())
  url.host = `127.0.0.1:${network.port}`
  const pool = new pg.Pool({ connectionString: url.href, options, application_name: 'away', max: 4 })
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  const db = new Kysely<AnyTables>({ dialect: new PostgresDialect({ pool }) })
  atEnd(() => db.destroy())
  const errors: unknown[] = []
  const engine = createEngine({ db, schema })
  const feed = createFeed(engine, { source: localSource(), onError: (error) => errors.push(error) })
  atEnd(() => feed.stop())
  const readers = await readersOf(feed)
  await write(engine, 1)
  for (const [at, text] of (await expected(engine)).entries())
    await until(() => held(readers[at] as NotesReader) === text)
  const end = performance.now() + 1_500
  let writes = 0
  if (how === 'refuses') {
    await write(engine, 2)
    await network.go()
    await until(() => !feed.status().isReading)
    await expect(createItem(engine, 'notes', { id: 9, text: 'never', team: 1 })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    })
    await pause(1_500)
    expect(feed.status()).toMatchObject({ isReading: false, subscriptions: 4, lag: 0 })
    expect(feed.status().oldest).toBeGreaterThan(1_400)
    await network.come()
  } else
    while (performance.now() < end) {
      await opened.observer.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'away'`,
      )
      await write(engine, 2 + writes).then(
        () => {
          writes += 1
        },
        () => undefined,
      )
    }
  await until(() => feed.status().isReading && feed.status().oldest === 0)
  const right = await expected(engine)
  for (const [at, reader] of readers.entries()) {
    await until(() => held(reader) === right[at])
    expect(reader.error).toBeUndefined()
    expect(reader.replica.strange).toEqual([])
  }
  await write(engine, 1_000)
  for (const [at, text] of (await expected(engine)).entries())
    await until(() => held(readers[at] as NotesReader) === text)
  expect(errors.every((error) => isEngineError(error) && error.code === 'SERVICE_UNAVAILABLE')).toBe(true)
  for (const reader of readers) await reader.leave()
})
