// Which statements go to readers: those that no index bounds, groups, and those that have been slow.
import { Kysely } from 'kysely'
import type { Readers } from '../../../dialects/connections/readers.ts'
import type { HostDatabase } from '../../../dialects/host.ts'
import { resultOf } from '../../../dialects/sqlite/result-codes.ts'
import { isEngineError } from '../../../errors/errors.ts'
import { Cache } from '../../../values/cache.ts'
import type { equipDatabase } from '../equip.ts'
import { type ReaderThreads, sqliteReaders } from './kysely.ts'
import { withoutWal } from './messages.ts'
import { looksUp, reasonIn, stepsOf } from './plan-reason.ts'

/** The connection of the process, once it is open. */
export interface MainConnection {
  readonly database: ReturnType<typeof equipDatabase> | undefined
  /** True while nothing uses it. */
  readonly isIdle: boolean
}

/** Facts of a statement by which its place is chosen. */
interface Choice {
  reason: string | undefined
  /** Number of times that it was slow, and that it was quick since the first of them. */
  slow: number
  quick: number
  /** True if it stays whatever it takes. */
  isRefused: boolean
}

/** Maximum number of statements whose choice is kept. */
const choicesKept = 500

/** Milliseconds from which on a statement is slow, and how often it may be among so many quick runs. */
const slow = { milliseconds: 5, times: 3, among: 10 }

export class ReaderChoice implements Readers {
  readonly #main: () => MainConnection
  readonly #threads: ReaderThreads
  readonly #choices = new Cache<Choice>(choicesKept)
  #path: string | undefined
  #db: HostDatabase | undefined
  #hasWarned = false
  /** Number of statements that were slow of late. */
  #slowShapes = 0
  readonly forStreams: Readers

  constructor(threads: ReaderThreads, main: () => MainConnection) {
    this.#threads = threads
    this.#main = main
    const choice = this
    this.forStreams = {
      get db() {
        return choice.db
      },
      get forStreams() {
        return this
      },
      reasonFor: (sql, parameters) =>
        this.#of(sql, parameters)?.isRefused === false && this.#isOpen() ? 'a stream' : undefined,
      note: () => undefined,
      cannotRun: (sql, error) => this.cannotRun(sql, error),
    }
  }

  get db(): HostDatabase {
    this.#db ??= new Kysely<unknown>({
      dialect: sqliteReaders({ ...this.#threads, path: this.#path ?? '' }),
    })
    return this.#db
  }

  reasonFor(sql: string, parameters: readonly unknown[]): string | undefined {
    const reason = this.#of(sql, parameters)?.reason
    return reason !== undefined && this.#isOpen() ? reason : undefined
  }

  note(sql: string, milliseconds: number): void {
    const isSlow = milliseconds >= slow.milliseconds
    if (!isSlow && this.#slowShapes === 0) return
    const choice = this.#choices.get(sql)
    if (!choice || choice.isRefused || choice.reason !== undefined) return
    if (isSlow) {
      if (choice.slow === 0) this.#slowShapes += 1
      choice.slow += 1
      if (choice.slow >= slow.times) choice.reason = `more than ${slow.milliseconds} ms, ${slow.times} times`
    } else if (choice.slow > 0) choice.quick += 1
    // A pause of the process falls into any read: among many quick ones it is no reason.
    if (choice.quick < slow.among && choice.reason === undefined) return
    choice.slow = 0
    choice.quick = 0
    this.#slowShapes = Math.max(0, this.#slowShapes - 1)
  }

  cannotRun(sql: string, error: unknown): boolean {
    const { sentence } = resultOf(isEngineError(error) ? error.cause : error)
    if (!/no such (?:function|table|module|collation sequence)|unknown (?:function|database)/.test(sentence))
      return false
    this.#choices.set(sql, { reason: undefined, slow: 0, quick: 0, isRefused: true })
    // A table may be missing in the process, too, which reports it.
    if (this.#hasWarned || sentence.includes('no such table')) return true
    this.#hasWarned = true
    process.emitWarning(`A read runs in the process, because a reader lacks what it names: ${sentence}`, {
      code: 'QUERNEL_READER',
    })
    return true
  }

  async close(): Promise<void> {
    await this.#db?.destroy()
  }

  /** False where a reader would read something else: in a transaction that the host has begun on the connection itself. */
  #isOpen(): boolean {
    const { database, isIdle } = this.#main()
    return !(isIdle && database?.inTransaction)
  }

  #of(sql: string, parameters: readonly unknown[]): Choice | undefined {
    const known = this.#choices.get(sql)
    if (known) return known
    const { database } = this.#main()
    if (!database || database.isInMemory) return undefined
    const choice = this.#choose(database, sql, parameters)
    if (choice) this.#choices.set(sql, choice)
    return choice
  }

  /** Returns nothing where the connection is closed, or refuses the statement. It fails by itself then, and is asked about anew the next time. */
  #choose(
    database: NonNullable<MainConnection['database']>,
    sql: string,
    parameters: readonly unknown[],
  ): Choice | undefined {
    try {
      this.#path ??= pathOf(database)
      if (this.#path === '') return undefined
      // A table of the connection alone may hide one of the file.
      const isRefused = database.once('select 1 from temp.sqlite_master limit 1').length > 0
      const steps = stepsOf(database, sql, parameters)
      return {
        reason: isRefused ? undefined : reasonIn(database, sql, steps),
        slow: looksUp(steps) ? Number.NEGATIVE_INFINITY : 0,
        quick: 0,
        isRefused,
      }
    } catch (error) {
      if (isEngineError(error)) throw error
      return undefined
    }
  }
}

/** Returns the path of the file, empty for a database in memory. A file without WAL mode is refused. */
export function pathOf(database: NonNullable<MainConnection['database']>): string {
  const files = database.once('pragma database_list') as readonly Readonly<Record<string, unknown>>[] // as SQLite documents it
  const path = String(files.find(({ name }) => name === 'main')?.file ?? '')
  if (path === '') return ''
  const [mode] = database.once('pragma journal_mode')
  const journal = String(Object.values(Object(mode))[0])
  if (journal === 'wal') return path
  throw withoutWal(journal, 'readers')
}
