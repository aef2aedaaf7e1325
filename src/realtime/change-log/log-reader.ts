// Reads the change log from where the last look has ended, and watches that its triggers are there.

import type { LookStatement } from '../../dialects/change-log/phrases.ts'
import { render, type Sql } from '../../dialects/sql.ts'
import { type EngineInternals, internalsOf } from '../../engine/engine.ts'
import { fault, isEngineError } from '../../errors/errors.ts'
import { execute } from '../../execution/execute.ts'
import type { Row } from '../../rows/row.ts'
import type { BlindCollection, SourceBatch, SourceChange, SourceContext } from '../feed/source.ts'
import { turn, waitFor } from '../timers.ts'
import { changesOf } from './logged-changes.ts'
import { ask, type ChangeLog, dangerOf, findChangeLog, noLog, TriggerWatch } from './logged-tables.ts'

/** News that a look has found. */
export interface LogNews {
  readonly batch: SourceBatch
  /** True if there is more to read at once. */
  readonly isFull: boolean
}

/** Milliseconds after which old entries are removed, and entries after which they are. */
const pruneEvery = 10_000
const pruneAfter = 1_000
/** Portions that are removed at a time. */
const maxPortions = 20
/** Milliseconds after which a statement is not right behind another one. */
const behind = 5
/** Milliseconds for which the database may be locked by others before that is an error. */
const longestLock = 10_000
const overdue = 'The change log has not been pruned for ten times what it keeps, and grows.'
const overdueHint = {
  hint: 'Find the transaction that holds the row of quernel_changes_state, or the lock of the file, or one that stays open: "backend_xid" of pg_stat_activity.',
}
const idle = { isBroken: false, isFull: false }
/** The position while there is no log. */
const nowhere = 'no log'

export class LogReader {
  readonly #context: SourceContext
  readonly #engine: EngineInternals
  readonly #watch: TriggerWatch
  #log: ChangeLog | undefined
  readonly #texts = new Map<Sql, string>()
  #position: string | undefined
  /** Collections whose triggers are lost, not reported yet. */
  #blind: readonly BlindCollection[] | undefined
  #changes: SourceChange[] = []
  #prunedAt = performance.now()
  #readSince = 0
  #cannotPrune = false
  #isOverdue = false
  #lockedSince: number | undefined

  constructor(context: SourceContext, watchEvery: number | undefined) {
    this.#context = context
    this.#engine = internalsOf(context.engine).withOwn().fresh()
    this.#watch = new TriggerWatch(this.#engine, watchEvery)
  }

  /** Continues after a position that was reported, or begins. */
  goOnAfter(position: string | undefined): void {
    this.#position = position === nowhere ? undefined : position
    // A new reader gets the state of all triggers.
    if (position === undefined) this.#watch.forget()
    // The schema may stand in another place by now.
    this.#log = undefined
  }

  /** Looks once. Undefined while the database is locked: nothing is known then, not even where a log that was not read yet stands. */
  async look(): Promise<LogNews | undefined> {
    try {
      const news = await this.#look()
      this.#lockedSince = undefined
      return news
    } catch (error) {
      if (!this.#isLocked(error)) throw error
      // A lock of the file is not waited for: the next look comes soon.
      const now = performance.now()
      this.#lockedSince ??= now
      if (now - this.#lockedSince > longestLock) throw error
      return undefined
    }
  }

  async #look(): Promise<LogNews> {
    const found = this.#log
    const isKnown = found && !(found.phrases.strangersToReaders && this.#watch.isDue(found))
    const log = isKnown ? found : await this.#find()
    try {
      // Whatever takes the place of the log is not read before it is known whose it is.
      const danger = isKnown ? undefined : await dangerOf(log)
      if (danger !== undefined) return this.#newsWithout(danger)
      this.#log = log
      return await this.#read(log)
    } catch (error) {
      // It may be removed between any two statements.
      if (!isEngineError(error) || !this.#engine.dialect.lacksTable(error.cause)) throw error
      return this.#begin(log, false)
    }
  }

  async #read(log: ChangeLog): Promise<LogNews> {
    const { phrases } = log
    const isDue = this.#watch.isDue(log)
    if (isDue) this.#note(await this.#watch.look(log))
    // A log in the place of another one is seen by the look that follows one at the triggers.
    if (!isDue && (await this.#isIdle(log))) return this.#newsAt(this.#position ?? nowhere, idle)
    const rows = await this.#rows(log, phrases.look(this.#position))
    const seen = phrases.readLook(rows, this.#position)
    if (seen.position === undefined) return await this.#begin(log, rows.length > 0)
    this.#position = seen.position
    this.#readSince += seen.entries.length
    this.#changes.push(...changesOf(seen.entries, this.#context, log))
    if (!seen.isFull) await this.#prune(log)
    return this.#newsAt(seen.position, seen)
  }

  async #find(): Promise<ChangeLog> {
    this.#texts.clear()
    const log = await findChangeLog(this.#engine)
    // The journal mode can be read while the file is locked, and a statement right behind one that succeeded would wait for the lock.
    if (log.kind === 'write') await waitFor(behind, this.#context.signal)
    return log
  }

  /** True if nothing was logged since the last look. */
  async #isIdle(log: ChangeLog): Promise<boolean> {
    const { peek } = log.phrases
    if (!peek || this.#position === undefined) return false
    const [row] = await this.#rows(log, { text: peek.text, values: [] })
    return !peek.isNews(row, this.#position)
  }

  /** The texts of looks are written once: to write one takes longer than it takes to find nothing. */
  async #rows({ kind }: ChangeLog, { text, values }: LookStatement): Promise<readonly Row[]> {
    const sql = this.#texts.get(text) ?? render(text, this.#engine.dialect).sql
    this.#texts.set(text, sql)
    return execute(this.#engine, { sql, parameters: values, kind }, {})
  }

  /** Lets the log begin; where there is none, no collection can be watched until it is looked for again. */
  async #begin({ phrases }: ChangeLog, isThere: boolean): Promise<LogNews> {
    if (isThere && phrases.begin) {
      await ask(this.#engine, phrases.begin, 'write')
      return this.#look()
    }
    return this.#newsWithout(noLog)
  }

  #newsWithout(reason: string): LogNews {
    this.#log = undefined
    this.#position = undefined
    this.#note(this.#watch.lackAll(reason))
    return this.#newsAt(nowhere, idle)
  }

  #note({ blind, changes }: Awaited<ReturnType<TriggerWatch['look']>>): void {
    this.#blind = blind ?? this.#blind
    this.#changes.push(...changes)
  }

  #newsAt(position: string, { isBroken, isFull }: { isBroken: boolean; isFull: boolean }): LogNews {
    const [blind, changes] = [this.#blind, this.#changes]
    this.#blind = undefined
    this.#changes = []
    const batch = { position, changes, ...(isBroken && { isBroken }), ...(blind && { blind }) }
    return { batch, isFull }
  }

  /** Removes old entries now and then. Where others do so, it is left to them. */
  async #prune(log: ChangeLog): Promise<void> {
    const { phrases } = log
    const now = performance.now()
    if (now - this.#prunedAt < pruneEvery && this.#readSince < pruneAfter) return
    this.#prunedAt = now
    this.#readSince = 0
    try {
      for (let portion = 0; portion < maxPortions && !this.#context.signal.aborted; portion++) {
        const [last] = await this.#inTurn(phrases.prune)
        if (Number(last?.[0]) !== 1) break
        await turn()
      }
      await this.#reportIfOverdue(log)
      this.#cannotPrune = false
    } catch (error) {
      const isLocked = this.#isLocked(error)
      // No change is missed by that. It is reported once, and tried again.
      if (!isLocked && !this.#cannotPrune) this.#context.onError(error)
      this.#cannotPrune = true
      if (isLocked) await this.#reportIfOverdue(log)
    }
  }

  /** Reports once that the log grows because its lock is held by others whenever a reader prunes. */
  async #reportIfOverdue({ phrases, kind }: ChangeLog): Promise<void> {
    const [row] = await ask(this.#engine, phrases.overdue, kind)
    const isOverdue = Number(row?.[0]) === 1
    if (isOverdue && !this.#isOverdue)
      this.#context.onError(fault('SERVICE_UNAVAILABLE', overdue, overdueHint))
    this.#isOverdue = isOverdue
  }

  /** Runs the statements that remove a portion. Readers of a database of several writers may see each other's: there they see what is committed. */
  async #inTurn(statements: ChangeLog['phrases']['prune']): ReturnType<typeof ask> {
    const { isolation } = this.#engine.dialect
    const run = async (engine: EngineInternals) => {
      let rows: Awaited<ReturnType<typeof ask>> = []
      for (const statement of statements) rows = await ask(engine, statement, 'write')
      return rows
    }
    if (!isolation) return run(this.#engine)
    return this.#engine.atomic(async (inside) => {
      await ask(inside, isolation.become('read committed'))
      return run(inside)
    }, {})
  }

  #isLocked(error: unknown): boolean {
    const { writeLock } = this.#engine.dialect
    return isEngineError(error) && writeLock?.isTaken(error.cause) === true
  }
}
