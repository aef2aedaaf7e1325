// Reads the change log from where the last look has ended, and watches that its triggers are there.

import { type EngineInternals, internalsOf } from '../../engine/engine.ts'
import { isEngineError } from '../../errors/errors.ts'
import { attempt } from '../../execution/report-errors.ts'
import type { BlindCollection, SourceBatch, SourceChange, SourceContext } from '../source.ts'
import { turn } from '../timers.ts'
import { changesOf } from './logged-changes.ts'
import { ask, type ChangeLog, findChangeLog } from './logged-tables.ts'
import { TriggerWatch } from './trigger-watch.ts'

/** News that a look has found. */
export interface LogNews {
  readonly batch: SourceBatch
  /** True if there is more to read at once. */
  readonly isFull: boolean
}

/** Entries that are read at once. */
const most = 5_000
/** Milliseconds after which old entries are removed, and entries after which they are. */
const pruneEvery = 10_000
const pruneAfter = 1_000
/** Portions that are removed at a time. */
const mostPortions = 20
/** Milliseconds for which the database may be locked by others before that is an error. */
const longestLock = 10_000
/** The position while there is no log. */
const nowhere = 'no log'

export class LogReader {
  readonly #context: SourceContext
  readonly #engine: EngineInternals
  readonly #watch: TriggerWatch
  #log: ChangeLog | undefined
  #position: string | undefined
  /** Collections whose triggers are lost, not reported yet. */
  #blind: readonly BlindCollection[] | undefined
  #changes: SourceChange[] = []
  #prunedAt = performance.now()
  #readSince = 0
  #cannotPrune = false
  #lockedSince: number | undefined

  constructor(context: SourceContext, watchEvery: number | undefined) {
    this.#context = context
    this.#engine = internalsOf(context.engine).withOwn().fresh()
    this.#watch = new TriggerWatch(this.#engine, watchEvery)
  }

  /** Goes on after a position that was told, or begins. */
  goOnAfter(position: string | undefined): void {
    this.#position = position === nowhere ? undefined : position
    // Whoever begins is told all that there is.
    if (position === undefined) this.#watch.forget()
    // The schema may stand in another place by now.
    this.#log = undefined
  }

  /** Looks once. */
  async look(): Promise<LogNews> {
    try {
      const news = await this.#look()
      this.#lockedSince = undefined
      return news
    } catch (error) {
      if (!this.#isLocked(error)) throw error
      // Whoever has locked the file is not waited for: the next look comes soon.
      const now = performance.now()
      this.#lockedSince ??= now
      if (now - this.#lockedSince > longestLock) throw error
      return { batch: { position: this.#position ?? nowhere, changes: [] }, isFull: false }
    }
  }

  async #look(): Promise<LogNews> {
    this.#log ??= await findChangeLog(this.#engine)
    const log = this.#log
    const { phrases } = log
    this.#note(await this.#watch.look(log))
    try {
      const rows = await ask(this.#engine, phrases.look(this.#position, most), log.kind)
      const found = phrases.readLook(rows, this.#position, most)
      if (found.position === undefined) return await this.#begin(log, rows.length > 0)
      this.#position = found.position
      this.#readSince += found.entries.length
      this.#changes.push(...changesOf(found.entries, this.#context, log))
      if (!found.isFull) await this.#prune(log)
      return this.#newsAt(found.position, found)
    } catch (error) {
      if (!isEngineError(error) || !this.#engine.dialect.lacksTable(error.cause)) throw error
      return this.#begin(log, false)
    }
  }

  /** Lets the log begin; where there is none, no collection can be watched until it is looked for again. */
  async #begin({ phrases }: ChangeLog, isThere: boolean): Promise<LogNews> {
    if (isThere && phrases.begin) {
      await ask(this.#engine, phrases.begin, 'write')
      return this.#look()
    }
    this.#log = undefined
    this.#position = undefined
    this.#note(this.#watch.lackAll())
    return this.#newsAt(nowhere, { isBroken: false, isFull: false })
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
  async #prune({ phrases }: ChangeLog): Promise<void> {
    const now = performance.now()
    if (now - this.#prunedAt < pruneEvery && this.#readSince < pruneAfter) return
    this.#prunedAt = now
    this.#readSince = 0
    try {
      for (let portion = 0; portion < mostPortions && !this.#context.signal.aborted; portion++) {
        const [last] = await this.#inTurn(phrases.prune)
        if (Number(last?.[0]) !== 1) break
        await turn()
      }
      this.#cannotPrune = false
    } catch (error) {
      // Nothing is missed for it. It is told once, and tried again.
      if (!this.#isLocked(error) && !this.#cannotPrune)
        await attempt(() => Promise.reject(error), undefined, this.#context.onError)
      this.#cannotPrune = true
    }
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
