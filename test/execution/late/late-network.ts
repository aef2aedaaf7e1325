// Databases with late steps, by a network before the server: the k-th packet, and all that follow it on its connection, arrive after a while.
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import { type Dialect, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { postgresDialect } from '../../../src/postgres.ts'
import type { AnyTables } from '../../support/databases.ts'
import { isThere } from '../../support/drivers.ts'
import { type PostgresJsClient, postgresJsDialect } from '../../support/postgres-js.ts'
import { openRelay, type Relay } from '../../support/relay.ts'
import { until } from '../../support/wait-until.ts'
import { Idleness, watched } from './idle-connections.ts'
import type { Delay, Late, LateLane, LateStep } from './late-lane.ts'

interface Opening {
  readonly dialect: Dialect
  /** True while no connection of the pool is in use. */
  readonly isIdle: () => boolean
}

type Open = (
  url: string,
  settings: { readonly search_path: string; readonly application_name: string },
) => Opening

const overPool =
  (dialect: (pool: pg.Pool) => Dialect): Open =>
  (url, { search_path, application_name }) => {
    const pool = new pg.Pool({
      connectionString: url,
      options: `-c search_path=${search_path}`,
      application_name,
      max: 2,
    })
    pool.on('error', () => undefined)
    pool.on('connect', (client) => client.on('error', () => undefined))
    return {
      dialect: dialect(pool),
      isIdle: () => pool.idleCount === pool.totalCount && pool.waitingCount === 0,
    }
  }

const overPostgresJs: Open = (url, connection) => {
  const load: (url: string, options: object) => PostgresJsClient = createRequire(import.meta.url)('postgres')
  const client = load(url, { connection, onnotice: () => undefined, max: 2 })
  return { dialect: postgresJsDialect(client), isIdle: () => true }
}

const known: readonly { readonly title: string; readonly needs: string; readonly over: Open }[] = [
  { title: 'PostgresDialect', needs: 'pg', over: overPool((pool) => new PostgresDialect({ pool })) },
  { title: 'quernel/postgres', needs: 'pg', over: overPool((pool) => postgresDialect({ pool })) },
  { title: 'postgres.js', needs: 'postgres', over: overPostgresJs },
]

/** Databases of a server. */
export const lateNetworks: readonly LateLane[] = known
  .filter(({ needs }) => isThere(needs))
  .map(({ title, over }) => ({
    title,
    name: 'postgres',
    worlds: 6,
    awaitsBegin: title !== 'quernel/postgres',
    hasTimeouts: true,
    open: () => open(over),
  }))

async function open(over: Open): Promise<Late> {
  const name = `late_${randomBytes(8).toString('hex')}`
  const url = new URL(inject('postgres').c)
  const observer = new pg.Client({ connectionString: url.href, options: `-c search_path=${name}` })
  await observer.connect()
  await observer.query(`create schema ${name}`)
  const network = await networkTo(Number(url.port))
  url.port = String(network.port)
  const { dialect, isIdle } = over(url.href, { search_path: name, application_name: name })
  const idleness = new Idleness()
  const db = new Kysely<AnyTables>({ dialect: watched(dialect, idleness) })
  const look = async (text: string) => (await observer.query(text)).rows
  const atWork = `select 1 from pg_stat_activity where application_name = '${name}' and state <> 'idle'`
  return {
    db,
    look,
    delay: network.delay,
    returnedAtWork: () => idleness.returnedAtWork(),
    settle: async () => {
      const late = await network.settle()
      // What has arrived is answered, and a connection that was closed ends at the server, too.
      await until(isIdle)
      while ((await look(atWork)).length > 0);
      await until(isIdle)
      return late
    },
    close: async () => {
      await db.destroy()
      await network.close()
      await observer.query(`drop schema ${name} cascade`)
      await observer.end()
    },
  }
}

type Network = Relay & Pick<Late, 'delay' | 'settle'>

async function networkTo(port: number): Promise<Network> {
  let delay: Delay | undefined
  let count = 0
  let late: { readonly step: () => LateStep; isOver: boolean } | undefined
  const relay = await openRelay(port, (near, far) => {
    const wire = new Wire(near, far)
    near.on('data', (data) => {
      if (!delay || ++count !== delay.at) return wire.send(data)
      const { how, milliseconds, onBegin } = delay
      const begun = { step: wire.watch(), isOver: false }
      late = begun
      const resume = how === 'sent' ? wire.holdSending(data) : wire.holdAnswers(data)
      setTimeout(() => void resume().then(() => (begun.isOver = true)), milliseconds)
      onBegin?.()
    })
  })
  return {
    ...relay,
    delay: (given) => {
      delay = given
      count = 0
      late = undefined
    },
    settle: async () => {
      delay = undefined
      await until(() => !late || late.isOver)
      return late?.step()
    },
  }
}

/** A connection of a client to the server. */
class Wire {
  readonly #near: Socket
  readonly #far: Socket
  #unsent: Buffer[] | undefined
  #unheard: Buffer[] | undefined
  #isLeft = false
  /** The state of the transaction, as the server last told it. */
  #state = 'I'
  #answers: Buffer[] = []
  #isWatched = false

  constructor(near: Socket, far: Socket) {
    this.#near = near
    this.#far = far
    near.on('close', () => {
      this.#isLeft = true
      if (!this.#unsent) far.end()
    })
    far.on('close', () => {
      if (!this.#unheard) near.destroy()
    })
    far.on('data', (data) => this.#hear(data))
  }

  send(data: Buffer): void {
    if (this.#unsent) this.#unsent.push(data)
    else {
      // What is answered from now on answers something else.
      if (this.#isWatched && this.#answers.length > 0) this.#isWatched = false
      this.#far.write(data)
    }
  }

  /** Watches the answer to what is sent next. */
  watch(): () => LateStep {
    const before = this.#state
    this.#answers = []
    this.#isWatched = true
    return () => {
      const text = Buffer.concat(this.#answers).toString('latin1')
      // The packets of one statement may be several.
      const isAlone = before === 'I' && !text.includes('BEGIN\0')
      return { commits: isAlone || text.includes('COMMIT\0') }
    }
  }

  holdSending(data: Buffer): () => Promise<void> {
    this.#unsent = [data]
    return async () => {
      const [first, ...others] = this.#unsent ?? []
      this.#unsent = undefined
      if (first) this.#far.write(first)
      await until(() => this.#answers.length > 0 || this.#far.destroyed)
      for (const one of others) this.send(one)
      if (this.#isLeft) this.#far.end()
    }
  }

  holdAnswers(data: Buffer): () => Promise<void> {
    this.#far.write(data)
    this.#unheard = []
    return async () => {
      for (const one of this.#unheard ?? []) this.#near.write(one)
      this.#unheard = undefined
      if (this.#far.destroyed) this.#near.destroy()
    }
  }

  #hear(data: Buffer): void {
    const ready = data.lastIndexOf('Z\0\0\0\x05', undefined, 'latin1')
    if (ready >= 0) this.#state = data.toString('latin1', ready + 5, ready + 6)
    if (this.#isWatched) this.#answers.push(data)
    if (this.#unheard) this.#unheard.push(data)
    else this.#near.write(data)
  }
}
