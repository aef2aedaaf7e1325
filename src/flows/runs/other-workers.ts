// The workers of other processes: they are woken for runs that this one leaves to them, and wake this one, where the database notifies listeners.
import { randomUUID } from 'node:crypto'
import { type Sql, sql } from '../../dialects/sql.ts'
import { fault } from '../../errors/errors.ts'
import { type Listen, listenerOf } from '../../execution/connection.ts'
import { later } from '../../realtime/timers.ts'
import type { RunTables } from './run-tables.ts'

const channel = 'quernel_runs'
/** Milliseconds between two notifications of a process, however many runs it stores: the server commits one transaction with some at a time. */
const restMs = 250
/** Milliseconds after which a sign of life that has not come back is lost. */
const longestWayMs = 1_000

export class OtherWorkers {
  /** True if the last sign of life of this worker has come back, so that what others send comes, too. */
  isConnected = false
  readonly #tables: RunTables
  readonly #id = randomUUID()
  #isResting = false
  #isWanted = false
  #isOpening = false
  #isOver = false
  #isExpected = false
  /** True if it is reported that this worker cannot listen, until it does. */
  #isReported = false
  #end: Awaited<ReturnType<Listen>> | undefined
  /** The number of the table of runs, by which notifications name it. */
  #table: string | undefined

  constructor(tables: RunTables) {
    this.#tables = tables
  }

  /** Wakes the others, at once or soon. */
  wake(): void {
    this.#isWanted = true
    if (this.#isResting) return
    this.#isResting = true
    void this.wakeNow()
    later(restMs, () => {
      this.#isResting = false
      if (this.#isWanted) this.wake()
    })
  }

  async wakeNow(): Promise<void> {
    this.#isWanted = false
    // They look by themselves, too, so a failure is no error.
    await this.wakeBy(this.#tables).catch(() => undefined)
  }

  /** Wakes the others with the commit of a transaction. */
  wakeBy(tables: RunTables): Promise<unknown> {
    const call = this.#notification('', tables)
    return call ? tables.query(sql`select ${call}`) : Promise.resolve()
  }

  /** The call that comes back to this worker, for a statement that it makes from time to time; undefined if it does not listen. */
  sign(): Sql | undefined {
    if (!this.#end) return undefined
    this.#isExpected = true
    later(longestWayMs, () => {
      if (this.#isExpected) this.isConnected = false
    })
    return this.#notification(this.#id, this.#tables)
  }

  /** Listens, unless it does. `woken`: called when others wake this worker. `report`: called once if it fails. */
  async listen(woken: () => void, report: (error: unknown) => void): Promise<void> {
    const listen = listenerOf(this.#tables.engine.home)
    if (!listen || this.isConnected || this.#isOpening) return
    this.#isOpening = true
    try {
      await this.#end?.()
      this.#end = await listen(channel, (text) => this.#receive(text, woken))
      if (this.#isOver) return await this.close()
      // Runs may have been stored meanwhile.
      woken()
      const sign = this.sign()
      if (sign) await this.#tables.query(sql`select ${sign}`)
    } catch (error) {
      if (!this.#isReported && !this.#isOver) await this.#report(error, report)
    } finally {
      this.#isOpening = false
    }
  }

  async #report(error: unknown, report: (error: unknown) => void): Promise<void> {
    // A database that is away is reported where the worker polls.
    const isAway = await this.#tables.query(sql`select 1`).then(
      () => false,
      () => true,
    )
    if (isAway) return
    this.#isReported = true
    const options = { cause: error, hint: 'Let the server take one connection more for each worker.' }
    report(
      fault(
        'SERVICE_UNAVAILABLE',
        `The connection for "listen ${channel}" failed: runs of other processes are polled for.`,
        options,
      ),
    )
  }

  async close(): Promise<void> {
    this.#isOver = true
    this.isConnected = false
    await this.#end?.()
  }

  #receive(text: string | undefined, woken: () => void): void {
    const [table, worker] = text?.split(':') ?? []
    if (text === undefined) this.isConnected = false
    else if (worker === this.#id) {
      this.#table = table
      this.#isExpected = false
      this.#isReported = false
      this.isConnected = true
    } else if (worker === '' && table === this.#table) woken()
  }

  #notification(worker: string, { engine: { dialect }, collections }: RunTables): Sql | undefined {
    const { table, dbSchema } = collections.runs
    return dialect.notify?.(channel, { table, dbSchema }, sql.val(worker))
  }
}
