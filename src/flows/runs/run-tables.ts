// The tables of runs: names, and statements of our own on them.
import { heldMark } from '../../dialects/connections/statement-mark.ts'
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
import { fault, unreachable } from '../../errors/errors.ts'
import type { Options } from '../../execution/database.ts'
import { affect, execute } from '../../execution/execute.ts'
import type { ShownKey } from '../../plan/key.ts'
import type { Row } from '../../rows/row.ts'
import type { OwnRuns } from '../../schema/own-runs.ts'
import { tableName } from '../../sql/frame.ts'
import { conditionOf, nameOf, type OwnIndex } from '../../sql/install.ts'
import type { Statement } from '../../sql/statement.ts'
import { withRetry } from '../../writes/context/retry.ts'
import { tellWritten } from '../../writes/stored/announce.ts'
import { textsIn } from './run-row.ts'

/** A statement whose text is written once. */
interface AlikeStatement {
  readonly statement: () => Sql
  readonly parameters: readonly unknown[]
  /** True if its result is not read: in a transaction it may be sent with the statement behind it. */
  readonly isUnread?: boolean
}

/** Maximum number of texts of statements that are kept. */
const mostTexts = 200

export class RunTables {
  readonly engine: EngineInternals
  readonly collections: OwnRuns
  readonly runs: Sql
  readonly steps: Sql
  readonly definitions: Sql
  readonly workers: Sql
  /** Milliseconds since 1970, in place of the time of the database. */
  readonly clock: (() => number) | undefined
  readonly knownTexts = new Map<string, string>()

  constructor(engine: EngineInternals, clock: (() => number) | undefined) {
    const { runs: collections, dialect } = engine
    if (!collections) throw unreachable('runs of an engine without tables for them')
    this.engine = engine
    this.clock = clock
    this.collections = collections
    this.runs = tableName(collections.runs, dialect)
    this.steps = tableName(collections.steps, dialect)
    this.definitions = tableName(collections.definitions, dialect)
    this.workers = tableName(workersOf(collections.runs), dialect)
  }

  /** Returns the tables inside of a transaction: all but the engine is the same. */
  within(engine: EngineInternals): RunTables {
    return Object.create(this, { engine: { value: engine } }) as RunTables // its prototype is one
  }

  async atomic<Result>(work: (inside: RunTables) => Promise<Result>): Promise<Result> {
    return this.engine.atomic((inside) => work(this.within(inside)), {})
  }

  /** The time of the database, in milliseconds since 1970. */
  get now(): Sql {
    return this.clock ? sql.val(this.clock()) : this.engine.dialect.now()
  }

  /** A time from now on. */
  in(milliseconds: number): Sql {
    if (this.clock) return sql.val(this.clock() + Math.round(milliseconds))
    return sql`${this.now} + ${sql.val(Math.round(milliseconds))}`
  }

  readonly column = (name: string): Sql => this.engine.dialect.identifier(name)

  /** True for runs that are not over, in the form in which an index serves it. */
  isUnfinished(alias: Sql = sql``): Sql {
    return conditionOf(isUnfinished, this.collections.runs, (column) => sql`${alias}${this.column(column)}`)
  }

  runsBy(index: OwnIndex, alias: Sql = sql``): Sql {
    const phrase = this.engine.dialect.byIndex?.(nameOf(index, { collection: this.collections.runs }))
    return sql`${this.runs}${alias}${phrase ?? sql``}`
  }

  hasUnfinished(flow: string, lane: string | undefined): Sql {
    const same = sql`${placeOf(this, sql`o.`)} = (${sql.val(flow)}, ${sql.val(lane)})`
    return sql`(${this.firstInLanes(sql`(${sql.val(flow)}, ${sql.val(lane)})`, sql`case when ${same} then 1 end`)}) is not null`
  }

  /** The first run that is not over of a lane, or of one behind it where that has none. By this order alone its index is taken: a database that
   *  looks for any run of a lane, or for the least number, reads very many that are over instead.
   *  `from`: flow and lane. `selected`: what is returned of it, by the alias "o". */
  firstInLanes(from: Sql, selected: Sql, more: Sql = sql``): Sql {
    const o = sql`o.`
    const lane = this.column('lane')
    const isKnown = sql`${o}${lane} is not null and ${this.isUnfinished(o)}`
    return sql`select ${selected} from ${this.runsBy(laneIndex, sql` as o`)} where ${placeOf(this, o)} >= ${from} and ${isKnown}${more} order by ${o}${this.column('flow')}, ${o}${lane}, ${o}${this.column('number')} limit 1`
  }

  /** The first run of a lane that has begun and is not over. One that is asleep there, or waits, has its turn still.
   *  `lane`: its flow and its lane. The alias is "o". */
  firstBegun(lane: Sql): Sql {
    const o = sql`o.`
    const hasBegun = sql`${o}${this.column('lane')} is not null and ${this.isUnfinished(o)} and ${o}${this.column('started')} is not null`
    return sql`select ${o}${this.column('number')} from ${this.runsBy(begunIndex, sql` as o`)} where ${placeOf(this, o)} = ${lane} and ${hasBegun} order by ${o}${this.column('flow')}, ${o}${this.column('lane')}, ${o}${this.column('number')} limit 1`
  }

  list(values: readonly unknown[]): Sql {
    return listed(values.map((value) => sql.val(value)))
  }

  columns(...names: readonly string[]): Sql {
    return listed(names.map((name) => this.column(name)))
  }

  /** Columns whose values are texts, whatever the driver makes of their types. */
  texts(...names: readonly string[]): Sql {
    return listed(names.map((name) => sql`cast(${this.column(name)} as text) as ${this.column(name)}`))
  }

  async query(statement: Sql): Promise<readonly Row[]> {
    return installed(this.engine, execute(this.engine, render(statement, this.engine.dialect), {}))
  }

  /** Runs a statement whose text is written once for all that have the same shape, and that binds the same values in the same order. */
  async writeAlike(
    shape: string,
    { statement, parameters, isUnread = false }: AlikeStatement,
  ): Promise<readonly Row[]> {
    // The time of a test is bound, too.
    if (this.clock) return this.write(statement())
    const { knownTexts: texts } = this
    // Its first one says whether the tables are there.
    const isHeld = isUnread && this.engine.unit !== undefined && texts.has(shape)
    const place = isHeld ? `${heldMark}${shape}` : shape
    let text = texts.get(place)
    if (text === undefined) {
      if (texts.size >= mostTexts) texts.clear()
      text = `${isHeld ? heldMark : ''}${render(statement(), this.engine.dialect).sql}`
      texts.set(place, text)
    }
    const known: Statement = { sql: text, parameters, kind: 'write' }
    return written(this.engine, () => execute(this.engine, known, {}))
  }

  /** Runs a statement that writes, and returns its rows. */
  async write(statement: Sql, options: Options = {}): Promise<readonly Row[]> {
    const rendered: Statement = { ...render(statement, this.engine.dialect), kind: 'write' }
    return written(this.engine, () => execute(this.engine, rendered, options), options)
  }

  /** Runs a statement that writes, and returns the number of rows that it has changed. */
  async change(statement: Sql): Promise<number> {
    const rendered: Statement = { ...render(statement, this.engine.dialect), kind: 'write' }
    return written(this.engine, async () => affect(this.engine, rendered, {}))
  }

  /** Updates runs, under the alias "r". Listeners are notified of them. Returns their ids. */
  async update(assignments: Sql, where: Sql): Promise<readonly string[]> {
    const update = sql`update ${this.runs} as r set ${assignments} where ${where} returning ${this.texts('id')}`
    const ids = textsIn(await this.write(update))
    this.tell('items.update', 'runs', ids)
    return ids
  }

  /** Makes runs ready that have waited. Returns their ids. */
  ready(where: Sql): Promise<readonly string[]> {
    const { column: c, now } = this
    const ready = sql`${c('state')} = 'ready', ${c('waits')} = null, ${c('due')} = ${now}`
    return this.update(ready, sql`${c('state')} = 'waiting' and ${where}`)
  }

  hasListener(event: 'items.create', collection: 'steps'): boolean {
    return this.engine.hooks.listeners.want(event, this.collections[collection].name)
  }

  /** Reports rows that were written to listeners. */
  tell(
    event: 'items.create' | 'items.update' | 'items.delete',
    collection: 'runs' | 'steps',
    keys: readonly ShownKey[],
  ): void {
    tellWritten(this.engine, event, this.collections[collection], keys)
  }

  /** Refuses tables that lack something on which runs rely. */
  async requireInstalled(): Promise<void> {
    const lack = await lackOf(this)
    if (lack === undefined) return
    throw fault('INVALID_OPTIONS', `${lack}. Call flows.install() first.`, {
      hint: 'Await flows.install() before flows.start(), also after an upgrade.',
    })
  }
}

/** Returns what the tables lack on which runs rely; undefined if that is nothing. */
async function lackOf({ engine, runs, collections }: RunTables): Promise<string | undefined> {
  const { dialect } = engine
  try {
    await execute(engine, render(sql`select 1 from ${runs} where 1 = 0`, dialect), {})
  } catch (error) {
    if (dialect.lacksTable(Object(error).cause)) return 'The tables of runs are not there yet'
    throw error
  }
  return lackingIn(engine, runTables(collections))
}

/** Writes by a statement. Outside of a transaction it waits for its turn where one process writes at a time. */
const written = <Answer>(
  engine: EngineInternals,
  work: () => Promise<Answer>,
  options: Options = {},
): Promise<Answer> => installed(engine, Promise.resolve(withRetry(engine, options, work)))

/** Returns an answer, and says what to do where the tables are missing. */
async function installed<Answer>({ dialect }: EngineInternals, answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer
  } catch (error) {
    if (!dialect.lacksTable(Object(error).cause)) throw error
    throw fault('SERVICE_UNAVAILABLE', 'The tables of runs are not there yet.', {
      hint: 'Await flows.install() before anything is written.',
      cause: error,
    })
  }
}

const placeOf = ({ column: c }: RunTables, alias: Sql): Sql =>
  sql`(${alias}${c('flow')}, ${alias}${c('lane')})`

const listed = (parts: readonly Sql[]): Sql => sql.join(parts, sql`, `)
