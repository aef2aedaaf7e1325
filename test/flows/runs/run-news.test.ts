// Workers beside runs that sleep: they make no statement as long as nothing is due, and begin what other processes make due.
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { Kysely, SqliteDialect, sql } from 'kysely'
import pg from 'pg'
import { afterEach, describe, expect, inject, it, vi } from 'vitest'
import { createFlows, defineFlow, defineOperation, type Flows, operationTypes } from '../../../src/flows.ts'
import { createEngine, createItem, listItems } from '../../../src/index.ts'
import { postgresDialect } from '../../../src/postgres.ts'
import { deferred } from '../../../src/realtime/timers.ts'
import { sqliteDialect } from '../../../src/sqlite.ts'
import type { AnyTables } from '../../support/databases.ts'
import { openRelay } from '../../support/relay.ts'
import { note, schema } from './world.ts'

let gate: Promise<void>
const types = {
  ...operationTypes,
  wait: defineOperation({ kind: 'outside', doc: 'Waits.', options: {}, run: () => gate }),
}
const noting = defineFlow({
  name: 'noting',
  trigger: { on: 'flow' },
  access: 'full',
  first: 'note',
  operations: { note: note('{{ $trigger.text }}') },
})
const caused = defineFlow({
  name: 'caused',
  trigger: { on: 'items.create', collections: ['articles'], when: 'after' },
  access: 'full',
  first: 'note',
  operations: { note: note('caused') },
})
const laned = defineFlow({
  name: 'laned',
  trigger: { on: 'flow' },
  access: 'full',
  lane: 'one',
  first: 'sleep',
  operations: {
    sleep: { type: 'sleep', options: { milliseconds: 7_200_000 }, resolve: 'note' },
    note: note('after it'),
  },
})
const failing = defineFlow({
  name: 'failing',
  trigger: { on: 'flow' },
  access: 'full',
  first: 'note',
  operations: {
    note: { ...note('taken up'), resolve: 'end' },
    end: { type: 'throw-error', options: { code: 'FORBIDDEN', status: '403', message: 'No.' } },
  },
})
const waiting = defineFlow(
  {
    name: 'waiting',
    trigger: { on: 'flow' },
    access: 'full',
    first: 'wait',
    operations: { wait: { type: 'wait', options: {} } },
  },
  { operationTypes: types },
)

/** A database that several processes have, each with connections of its own. */
interface Place {
  /** `port`: one that leads to the server, in the place of its own. */
  open(port?: number): Kysely<AnyTables>
  remove(): Promise<void>
}

async function placeOf(kind: string): Promise<Place> {
  const name = `test_${randomBytes(8).toString('hex')}`
  if (kind === 'postgres') {
    const connectionString = inject('postgres').c
    const own = new pg.Pool({ connectionString, max: 1 })
    await own.query(`create schema ${name}`)
    const options = `-c search_path=${name}`
    const remove = async () => {
      await own.query(`drop schema ${name} cascade`)
      await own.end()
    }
    const open = (port?: number) => {
      const url = new URL(connectionString)
      if (port !== undefined) url.port = String(port)
      const pool = new pg.Pool({ connectionString: url.href, options, application_name: name })
      return new Kysely<AnyTables>({ dialect: postgresDialect({ pool }) })
    }
    return { open, remove }
  }
  const path = join(tmpdir(), `${name}.db`)
  const open = () => {
    const database = new BetterSqlite(path)
    database.pragma('journal_mode = wal')
    database.pragma('synchronous = off')
    database.pragma('busy_timeout = 10000')
    return new Kysely<AnyTables>({
      dialect: kind === 'sqlite' ? sqliteDialect({ database }) : new SqliteDialect({ database }),
    })
  }
  return { open, remove: async () => rmSync(path, { force: true }) }
}

/** A network to the server that may lose what goes over the connections on which workers listen, and says nothing of it, or may cut them off. */
async function openLossyNetwork() {
  const listening: Socket[] = []
  let notified = 0
  let isCut = false
  const relay = await openRelay(Number(new URL(inject('postgres').c).port), (near, far) => {
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
    near.on('data', (data) => {
      const isListening = data.includes('listen quernel_runs')
      if (isListening) listening.push(near)
      if (isListening && isCut) near.destroy()
      else far.write(data)
    })
    far.on('data', (data) => {
      if (near.isPaused()) return
      near.write(data)
      if (data.includes('quernel_runs')) notified++
    })
  })
  // Nor is the end of a connection read, so that none comes back.
  const swallow = () => {
    for (const near of listening) near.pause()
  }
  /** Cuts off the connections that there are, and those to come. */
  const cut = () => {
    isCut = true
    for (const near of listening) near.destroy()
  }
  /** Resolves once a connection that listens has been notified of something. */
  const mend = async () => {
    const before = notified
    isCut = false
    await expect.poll(() => notified, { timeout: 30_000 }).toBeGreaterThan(before)
  }
  return { ...relay, listening, swallow, cut, mend }
}

interface ProcessOptions {
  readonly leaseMs?: number
  readonly clock?: () => number
  readonly port?: number
}

/** A process with flows. */
class Process {
  readonly db: Kysely<AnyTables>
  readonly engine
  readonly flows: Flows
  readonly errors: unknown[] = []
  statements = 0

  constructor(place: Place, { port, ...options }: ProcessOptions = {}) {
    this.db = place.open(port)
    const onError = (error: unknown) => this.errors.push(error)
    const onQuery = () => {
      this.statements += 1
    }
    this.engine = createEngine({ db: this.db, schema, flows: {}, onError, onQuery })
    const flows = [noting, caused, laned, failing, waiting]
    this.flows = createFlows(this.engine, {
      flows,
      operationTypes: types,
      pollMs: 5,
      leaseMs: 3_600_000,
      onError,
      ...options,
    })
  }

  /** Resolves once it has made no statement in very many polls: one that polls the database never comes to that. */
  async quiet(): Promise<void> {
    for (let still = 0, before = -1; still < 30; ) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      still = this.statements === before ? still + 1 : 0
      before = this.statements
    }
  }

  async notes(): Promise<readonly string[]> {
    return (await listItems(this.engine, 'notes', { sort: ['id'], limit: -1 })).data.map(({ text }) => text)
  }
}

describe.each(['sqlite', "Kysely's sqlite", 'postgres'])('on %s', (kind) => {
  const ends: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end()
  })

  let place: Place
  const begin = async (options: ProcessOptions = {}) => {
    const first = ends.length === 0
    if (first) {
      place = await placeOf(kind)
      ends.push(() => place.remove())
    }
    const one = new Process(place, options)
    ends.push(
      () => one.db.destroy(),
      () => one.flows.stop(),
    )
    if (!first) return one
    const key = kind === 'postgres' ? 'serial primary key' : 'integer primary key'
    await sql.raw(`create table articles (id ${key}, title text)`).execute(one.db)
    await sql.raw(`create table notes (id ${key}, text text not null)`).execute(one.db)
    await one.flows.install()
    return one
  }
  /** A worker beside a run that sleeps, and another process. */
  const beside = async (options: ProcessOptions = {}) => {
    const worker = await begin(options)
    const other = await begin(options)
    await other.flows.run('laned', {}, { waitMs: 0 })
    await worker.flows.start()
    await worker.quiet()
    return { worker, other }
  }
  const noted = (one: Process) => expect.poll(() => one.notes(), { interval: 5, timeout: 20_000 })

  it('makes no statement as long as nothing is due, and begins what others store', async () => {
    const { worker, other } = await beside()
    for (const text of ['one', 'two']) {
      await worker.quiet()
      await other.flows.run('noting', { text }, { waitMs: 0 })
      await noted(other).toContain(text)
    }
    expect(await other.notes()).toEqual(['one', 'two'])
    expect(worker.errors).toEqual([])
  })

  it('begins what a write of others causes, also in a transaction that their host commits', async () => {
    const { worker, other } = await beside()
    await createItem(other.engine, 'articles', { title: 'a' })
    await noted(worker).toEqual(['caused'])
    await worker.quiet()
    await other.db.transaction().execute(async (transaction) => {
      await createItem(other.engine.using(transaction), 'articles', { title: 'b' })
    })
    await noted(worker).toEqual(['caused', 'caused'])
    await worker.quiet()
    await worker.db.transaction().execute(async (transaction) => {
      await createItem(worker.engine.using(transaction), 'articles', { title: 'c' })
    })
    await noted(worker).toEqual(['caused', 'caused', 'caused'])
  })

  it('begins what is due by now, however far its clock has jumped, and what a dead worker had', async () => {
    let now = 1_000_000
    const { worker, other } = await beside({ clock: () => now })
    now += 7_200_000
    await noted(other).toEqual(['after it'])
    // A new worker knows of the lease by its first look.
    await worker.flows.stop()
    await other.flows.run('noting', { text: 'lost' }, { waitMs: 0 })
    await sql`update quernel_runs set state = 'running', token = 1, lease = ${now + 60_000} where state = 'ready'`.execute(
      other.db,
    )
    const next = await begin({ clock: () => now })
    await next.flows.start()
    await next.quiet()
    now += 60_000
    await noted(other).toEqual(['after it', 'lost'])
  })

  it('begins what others take up again, and what follows a run that they cancel', async () => {
    const { worker, other } = await beside()
    await other.flows.run('laned', {}, { waitMs: 0 })
    await worker.quiet()
    const states = async () => {
      const fields = ['id', 'state', 'started'] as const
      const { data } = await listItems(other.engine, 'quernel_runs', { fields, sort: ['number'] })
      return data.map(({ state, started }) => `${state}${started === null ? '' : ', begun'}`)
    }
    const [first = ''] = (await listItems(other.engine, 'quernel_runs', { sort: ['number'] })).data.map(
      ({ id }) => id,
    )
    expect(await states()).toEqual(['ready, begun', 'waiting'])
    await other.flows.cancel(first)
    await expect.poll(states, { timeout: 20_000 }).toEqual(['cancelled, begun', 'ready, begun'])
    await worker.quiet()
    const { id } = await other.flows.run('failing', {}, { waitMs: 0 })
    await expect.poll(states, { timeout: 20_000 }).toContain('failed, begun')
    await worker.quiet()
    await other.flows.retry(id, { from: 'note' })
    await noted(other).toEqual(['taken up', 'taken up'])
  })

  it('begins what another worker has no room for', async () => {
    const opening = deferred()
    gate = opening.promise
    const { worker, other } = await beside()
    const full = await begin()
    await full.flows.start({ concurrency: 1 })
    await full.flows.run('waiting', {}, { waitMs: 0 })
    await worker.quiet()
    await full.flows.run('noting', { text: 'left to others' }, { waitMs: 0 })
    await noted(other).toEqual(['left to others'])
    opening.resolve()
  })

  it('finds by its sign of life what SQL of the host makes due', async () => {
    const { worker, other } = await beside({ leaseMs: 6_000 })
    for (const by of [other, worker]) {
      await sql`update quernel_runs set due = 0`.execute(by.db)
      await noted(other).toEqual(by === other ? ['after it'] : ['after it', 'after it'])
      await other.flows.run('laned', {}, { waitMs: 0 })
      await worker.quiet()
    }
  })

  // Where nobody listens, there is no connection to lose.
  if (kind === 'postgres')
    it('polls while the connection is lost on which it listens, and opens another one', async () => {
      const { worker, other } = await beside({ leaseMs: 6_000 })
      const lost =
        await sql`select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen quernel_runs' and application_name = current_setting('application_name')`.execute(
          other.db,
        )
      expect(lost.rows).toHaveLength(1)
      for (const text of ['while it is lost', 'once there is another one']) {
        await other.flows.run('noting', { text }, { waitMs: 0 })
        await noted(other).toContain(text)
        await worker.quiet()
      }
      expect(worker.errors).toEqual([])
    })

  if (kind === 'postgres')
    it('begins what others store while its sign of life hangs, of which there is one at a time', async () => {
      const { worker, other } = await beside({ leaseMs: 3_000 })
      const timeout = vi.spyOn(AbortSignal, 'timeout')
      ends.push(async () => timeout.mockRestore())
      const hanging = async () => {
        const { rows } =
          await sql`select pid from pg_stat_activity where wait_event_type = 'Lock' and query like 'update%quernel_runs_workers%' and application_name = current_setting('application_name')`.execute(
            other.db,
          )
        return rows
      }
      const giveUp = new AbortController()
      await other.db.transaction().execute(async (transaction) => {
        await sql`lock table quernel_runs_workers in share mode`.execute(transaction)
        timeout.mockImplementation(() => giveUp.signal)
        await expect.poll(hanging, { timeout: 20_000 }).toHaveLength(1)
        // It looks again, and so often that at a lease of three seconds the next signs of life are due.
        const before = worker.statements
        await expect.poll(() => worker.statements - before, { timeout: 60_000 }).toBeGreaterThan(400)
        expect(await hanging()).toHaveLength(1)
        await other.flows.run('noting', { text: 'meanwhile' }, { waitMs: 0 })
        await noted(other).toEqual(['meanwhile'])
        // One that is given up leaves its connection, and the next one is made.
        const first = await hanging()
        timeout.mockRestore()
        giveUp.abort(new Error('given up'))
        const next = expect.poll(async () => [first, await hanging()], { timeout: 20_000 })
        await next.toSatisfy(([old, now]) => now?.length === 1 && now !== old)
      })
      expect(worker.errors).toEqual([giveUp.signal.reason])
      await worker.quiet()
    })

  if (kind === 'postgres')
    it('opens another connection where the network loses that on which it listens, and stops', async () => {
      const network = await openLossyNetwork()
      const { worker, other } = await beside({ leaseMs: 3_000, port: network.port })
      // Behind the end of the pool.
      ends.unshift(() => network.close())
      const before = network.listening.length
      network.swallow()
      await expect.poll(() => network.listening.length, { timeout: 20_000 }).toBeGreaterThan(before)
      await worker.quiet()
      await other.flows.run('noting', { text: 'over another one' }, { waitMs: 0 })
      await noted(other).toEqual(['over another one'])
      network.swallow()
      await worker.flows.stop()
      expect(worker.errors).toEqual([])
    })
  if (kind === 'postgres')
    it('polls where it cannot listen, and reports that once, until it could', async () => {
      const network = await openLossyNetwork()
      const { worker, other } = await beside({ leaseMs: 3_000, port: network.port })
      ends.unshift(() => network.close())
      const refused = {
        code: 'SERVICE_UNAVAILABLE',
        message: 'The connection for "listen quernel_runs" failed: runs of other processes are polled for.',
      }
      for (const times of [1, 2]) {
        const before = network.listening.length
        network.cut()
        await expect.poll(() => network.listening.length - before, { timeout: 30_000 }).toBeGreaterThan(2)
        await other.flows.run('noting', { text: `polled ${times}` }, { waitMs: 0 })
        await noted(other).toContain(`polled ${times}`)
        expect(worker.errors).toMatchObject(Array.from({ length: times }, () => refused))
        await network.mend()
        await worker.quiet()
      }
    })
})
