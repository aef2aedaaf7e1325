// Which statements go to readers: those that no index bounds, groups, and those that have been slow.
import { Kysely } from 'kysely'
import type { Readers, StatementPlace } from '../../../dialects/connections/readers.ts'
import type { HostDatabase } from '../../../dialects/host.ts'
import { resultOf } from '../../../dialects/sqlite/result-codes.ts'
import { isEngineError } from '../../../errors/errors.ts'
import { Cache } from '../../../values/cache.ts'
import type { equipDatabase } from '../equip.ts'
import { type SqliteReaderOptions, sqliteReaders } from './kysely.ts'
import { pathOf, type ReaderThreads } from './options.ts'
import { looksUp, reasonIn, stepsOf } from './plan-reason.ts'

interface MainConnection {
  readonly database: ReturnType<typeof equipDatabase>
  readonly isIdle: () => boolean
}

/** Facts of a statement by which its place is chosen. */
interface Choice extends StatementPlace {
  reason: string | undefined
  isTimed: boolean
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
  readonly #main: MainConnection
  readonly #options: SqliteReaderOptions
  readonly #choices = new Cache<Choice>(choicesKept)
  #db: HostDatabase | undefined
  #hasWarned = false
  /** Number of statements that were slow of late. */
  #slowShapes = 0
  readonly forStreams: Readers

  constructor(threads: ReaderThreads, main: MainConnection) {
    this.#options = { ...threads, path: pathOf(main.database) }
    this.#main = main
    const choice = this
    this.forStreams = {
      get db() {
        return choice.db
      },
      get forStreams() {
        return this
      },
      placeOf: (sql, parameters) =>
        this.#of(sql, parameters)?.isRefused === false && this.#isOpen()
          ? { reason: 'a stream', isTimed: false }
          : undefined,
      note: () => undefined,
      cannotRun: (sql, error) => this.cannotRun(sql, error),
    }
  }

  get db(): HostDatabase {
    this.#db ??= new Kysely<unknown>({ dialect: sqliteReaders(this.#options) })
    return this.#db
  }

  placeOf(sql: string, parameters: readonly unknown[]): StatementPlace | undefined {
    const choice = this.#of(sql, parameters)
    return choice?.reason === undefined || this.#isOpen() ? choice : undefined
  }

  note(sql: string, milliseconds: number): void {
    const isSlow = milliseconds >= slow.milliseconds
    if (!isSlow && this.#slowShapes === 0) return
    const choice = this.#choices.get(sql)
    if (!choice?.isTimed) return
    if (isSlow) {
      if (choice.slow === 0) this.#slowShapes += 1
      choice.slow += 1
      if (choice.slow >= slow.times) choice.reason = `more than ${slow.milliseconds} ms, ${slow.times} times`
      choice.isTimed = choice.reason === undefined
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
    this.#choices.set(sql, { reason: undefined, isTimed: false, slow: 0, quick: 0, isRefused: true })
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
    return !(this.#main.database.inTransaction && this.#main.isIdle())
  }

  #of(sql: string, parameters: readonly unknown[]): Choice | undefined {
    const known = this.#choices.get(sql)
    if (known) return known
    const choice = this.#choose(sql, parameters)
    if (choice) this.#choices.set(sql, choice)
    return choice
  }

  /** Returns nothing where the connection is closed, or refuses the statement. It fails by itself then, and is asked about anew the next time. */
  #choose(sql: string, parameters: readonly unknown[]): Choice | undefined {
    const { database } = this.#main
    try {
      // A table of the connection alone may hide one of the file.
      const isRefused = database.once('select 1 from temp.sqlite_master limit 1').length > 0
      const steps = stepsOf(database, sql, parameters)
      const reason = isRefused ? undefined : reasonIn(database, sql, steps)
      const isTimed = !isRefused && reason === undefined && !looksUp(steps)
      return { reason, isTimed, slow: 0, quick: 0, isRefused }
    } catch {
      return undefined
    }
  }
}
