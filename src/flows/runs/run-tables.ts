// The tables of runs: names, and statements of our own on them.
import { render, type Sql, sql } from '../../dialects/sql.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import {
  begunIndex,
  isUnfinished,
  lackingIn,
  laneIndex,
  runTables,
  workersOf,
} from '../../engine/install-tables.ts'
import { fault } from '../../errors/errors.ts'
import { affect, execute } from '../../execution/execute.ts'
import type { Row } from '../../rows/row.ts'
import type { Collection } from '../../schema/model.ts'
import { tableName } from '../../sql/frame.ts'
import { conditionOf, nameOf, type OwnIndex } from '../../sql/install.ts'
import type { Statement } from '../../sql/statement.ts'
import { withRetry } from '../../writes/retry.ts'

/** Maximum number of texts of statements that are kept. */
const mostTexts = 200

export class RunTables {
  readonly engine: EngineInternals
  readonly collections: {
    readonly runs: Collection
    readonly steps: Collection
    readonly definitions: Collection
  }
  readonly runs: Sql
  readonly steps: Sql
  readonly definitions: Sql
  readonly workers: Sql

  readonly #texts = new Map<string, string>()
  readonly #clock: (() => number) | undefined

  constructor(engine: EngineInternals, clock: (() => number) | undefined) {
    this.#clock = clock
    const { runs } = engine
    if (!runs)
      throw fault('INVALID_OPTIONS', 'This engine has no tables for runs.', {
        hint: 'Create it with createEngine({ db, schema, flows: {} }), and await flows.install().',
      })
    this.engine = engine
    this.collections = runs
    const { dialect } = engine
    this.runs = tableName(runs.runs, dialect)
    this.steps = tableName(runs.steps, dialect)
    this.definitions = tableName(runs.definitions, dialect)
    this.workers = tableName(workersOf(runs.runs), dialect)
  }

  /** The time of the database, in milliseconds since 1970. */
  get now(): Sql {
    return this.#clock ? sql.val(this.#clock()) : this.engine.dialect.now()
  }

  /** A time from now on. */
  in(milliseconds: number): Sql {
    if (this.#clock) return sql.val(this.#clock() + Math.round(milliseconds))
    return sql`${this.now} + ${sql.val(Math.round(milliseconds))}`
  }

  column(name: string): Sql {
    return this.engine.dialect.identifier(name)
  }

  /** True for runs that are not over, in the form in which an index serves it. */
  isUnfinished(alias: Sql = sql``): Sql {
    return conditionOf(isUnfinished, this.collections.runs, (column) => sql`${alias}${this.column(column)}`)
  }

  /** The runs as they are read by an index. */
  runsBy(index: OwnIndex, alias: Sql = sql``): Sql {
    const phrase = this.engine.dialect.byIndex?.(nameOf(index, { collection: this.collections.runs }))
    return sql`${this.runs}${alias}${phrase ?? sql``}`
  }

  /** True if a run of a lane is not over. */
  hasUnfinished(flow: string, lane: string | undefined): Sql {
    const same = sql`${this.#lane(sql`o.`)} = (${sql.val(flow)}, ${sql.val(lane)})`
    return sql`(${this.firstInLanes(sql`(${sql.val(flow)}, ${sql.val(lane)})`, sql`case when ${same} then 1 end`)}) is not null`
  }

  /** The first run that is not over of a lane, or of one behind it where that has none. By this order alone its index is taken: a database that
   *  looks for any run of a lane, or for the least number, reads very many that are over instead.
   *  `from`: flow and lane. `selected`: what is returned of it, by the alias "o". */
  firstInLanes(from: Sql, selected: Sql, more: Sql = sql``): Sql {
    const o = sql`o.`
    const lane = this.column('lane')
    const isKnown = sql`${o}${lane} is not null and ${this.isUnfinished(o)}`
    return sql`select ${selected} from ${this.runsBy(laneIndex, sql` as o`)} where ${this.#lane(o)} >= ${from} and ${isKnown}${more} order by ${o}${this.column('flow')}, ${o}${lane}, ${o}${this.column('number')} limit 1`
  }

  /** The first run of a lane that has begun and is not over. One that is asleep there, or waits, has its turn still.
   *  `lane`: its flow and its lane. The alias is "o". */
  firstBegun(lane: Sql): Sql {
    const o = sql`o.`
    const hasBegun = sql`${o}${this.column('lane')} is not null and ${this.isUnfinished(o)} and ${o}${this.column('started')} is not null`
    return sql`select ${o}${this.column('number')} from ${this.runsBy(begunIndex, sql` as o`)} where ${this.#lane(o)} = ${lane} and ${hasBegun} order by ${o}${this.column('flow')}, ${o}${this.column('lane')}, ${o}${this.column('number')} limit 1`
  }

  #lane(alias: Sql): Sql {
    return sql`(${alias}${this.column('flow')}, ${alias}${this.column('lane')})`
  }

  /** Values, as a list of them is written. */
  list(values: readonly unknown[]): Sql {
    return sql.join(
      values.map((value) => sql.val(value)),
      sql`, `,
    )
  }

  columns(...names: readonly string[]): Sql {
    return sql.join(
      names.map((name) => this.column(name)),
      sql`, `,
    )
  }

  /** Columns whose values are texts, whatever the driver makes of their types. */
  texts(...names: readonly string[]): Sql {
    return sql.join(
      names.map((name) => sql`cast(${this.column(name)} as text) as ${this.column(name)}`),
      sql`, `,
    )
  }

  async query(statement: Sql, engine: EngineInternals = this.engine): Promise<readonly Row[]> {
    return this.#known(execute(engine, render(statement, engine.dialect), {}))
  }

  /** Runs a statement whose text is written once for all that have the same shape, and that binds the same values in the same order. */
  async writeAlike(
    shape: string,
    { statement, parameters }: { readonly statement: () => Sql; readonly parameters: readonly unknown[] },
    engine: EngineInternals,
  ): Promise<readonly Row[]> {
    // The time of a test is bound, too.
    if (this.#clock) return this.write(statement(), engine)
    let text = this.#texts.get(shape)
    if (text === undefined) {
      if (this.#texts.size >= mostTexts) this.#texts.clear()
      text = render(statement(), engine.dialect).sql
      this.#texts.set(shape, text)
    }
    const known: Statement = { sql: text, parameters, kind: 'write' }
    return this.#write(engine, () => execute(engine, known, {}))
  }

  /** Runs a statement that writes, and returns its rows. */
  async write(statement: Sql, engine: EngineInternals = this.engine): Promise<readonly Row[]> {
    const rendered: Statement = { ...render(statement, engine.dialect), kind: 'write' }
    return this.#write(engine, () => execute(engine, rendered, {}))
  }

  /** Runs a statement that writes, and returns the number of rows that it has changed. */
  async change(statement: Sql, engine: EngineInternals = this.engine): Promise<number> {
    const rendered: Statement = { ...render(statement, engine.dialect), kind: 'write' }
    return this.#write(engine, () => affect(engine, rendered, {}))
  }

  /** Writes by a statement. Outside of a transaction it waits for its turn where one process writes at a time. */
  #write<Answer>(engine: EngineInternals, work: () => Promise<Answer>): Promise<Answer> {
    return this.#known(Promise.resolve(withRetry(engine, {}, work)))
  }

  /** Refuses tables that lack something on which runs rely. */
  async requireInstalled(): Promise<void> {
    const lack = await this.#lack()
    if (lack === undefined) return
    throw fault('INVALID_OPTIONS', `${lack}. Call flows.install() first.`, {
      hint: 'Await flows.install() before flows.start(), also after an upgrade.',
    })
  }

  async #lack(): Promise<string | undefined> {
    try {
      await execute(this.engine, render(sql`select 1 from ${this.runs} where 1 = 0`, this.engine.dialect), {})
    } catch (error) {
      if (this.engine.dialect.lacksTable(Object(error).cause)) return 'The tables of runs are not there yet'
      throw error
    }
    return lackingIn(this.engine, runTables(this.collections))
  }

  /** Returns an answer, and says what to do where the tables are missing. */
  async #known<Answer>(answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer
    } catch (error) {
      if (!this.engine.dialect.lacksTable(Object(error).cause)) throw error
      throw fault('SERVICE_UNAVAILABLE', 'The tables of runs are not there yet.', {
        hint: 'Await flows.install() before anything is written.',
        cause: error,
      })
    }
  }
}

/** Returns a value as a column of JSON takes it. */
export const jsonText = (value: unknown): string | null =>
  value === undefined || value === null ? null : JSON.stringify(value)
export const json = (value: unknown): Sql => sql.val(jsonText(value))

/** Returns what a column of JSON holds; undefined if that is nothing. */
export const fromJson = (text: unknown): unknown =>
  typeof text === 'string' ? (JSON.parse(text) as unknown) : undefined

export const textIn = (row: Row, name: string): string | undefined => {
  const value: unknown = Reflect.get(row, name)
  return typeof value === 'string' ? value : undefined
}

export const numberIn = (row: Row, name: string): number => Number(Reflect.get(row, name) ?? 0)
