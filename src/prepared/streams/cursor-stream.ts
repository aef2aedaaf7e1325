// Streams any number of rows by a cursor: the database keeps the position, in a transaction of its own or in that of the host.

import type { CursorPhrases } from '../../dialects/transaction-phrases.ts'
import { onAbort } from '../../errors/abort-signal.ts'
import type { Connection } from '../../execution/connection.ts'
import type { Database, Options } from '../../execution/database.ts'
import { confirmColumns, connected, execute, runOn } from '../../execution/execute.ts'
import { attempt } from '../../execution/report-errors.ts'
import type { BoundStatement } from '../../execution/statement.ts'
import { closingIfLeft, compiled, patient, rawOf } from '../../execution/statement-timeout.ts'
import { takeStreamSlot } from '../../execution/stream-slots.ts'
import { undo } from '../../execution/transaction/uncertain-commit.ts'
import { asRefusedOperand, translated } from '../../execution/translate-errors.ts'
import { readKey } from '../../plan/key.ts'
import { isOneOf, keyMember, keyName, wholeList } from '../../plan/read/by-key.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import { compileMapper } from '../../rows/compile-mapper.ts'
import type { Mapper, Row } from '../../rows/row.ts'
import type { Setting } from '../../sql/frame.ts'
import { rowStatement } from '../../sql/row-statements.ts'
import { countsBelow, type RowsBelow, refuseExcess } from '../limits/nested-row-limit.ts'
import { bindStatement } from '../templates/template.ts'

export interface Chunking {
  readonly rows: number
  /** Lists below each chunk that are counted before it is read, where one row alone may have too many. */
  readonly counted: RowsBelow | undefined
}

export interface ChunksLeft extends Chunking {
  readonly left: number
}

interface CursorChunks extends Chunking {
  readonly cursor: CursorPhrases
}

export async function* byCursor(
  list: ListPlan,
  { rows: longest, counted, cursor }: CursorChunks,
  database: Database & Setting,
  options: Options,
): AsyncGenerator<readonly unknown[]> {
  const { recipe, ...statement } = rowStatement(list, database, { probe: 0 })
  const mapper = compileMapper(recipe)
  const opening = bindStatement(statement, new Map())
  await confirmColumns(database, opening, options)
  const name = `quernel_${++opened}`
  const { run, end } = await open(cursor, database, options)
  const fetching = { sql: cursor.fetch(name, longest), parameters: [] }
  const ahead =
    counted &&
    list.collection.key &&
    new Ahead(`${name}_keys`, list, counted, { cursor, setting: database, run })
  try {
    // Rows without a key cannot be found a second time.
    if (counted && !ahead) {
      const counts = bindStatement(countsBelow(list, counted, database), new Map())
      refuseExcess(counted, (await run(counts))[0])
    }
    await run({ sql: cursor.open(name, opening.sql), parameters: opening.parameters })
    await ahead?.open()
    for (;;) {
      await ahead?.check(longest)
      const rows = await run(fetching)
      if (rows.length === 0) return
      yield rows.map((row) => mapper(row, undefined))
    }
  } finally {
    await end([name, ...(ahead ? [ahead.name] : [])])
  }
}

interface CursorReading extends Pick<Session, 'run'> {
  readonly cursor: CursorPhrases
  readonly setting: Setting
}

/** A second cursor, which reads the keys of a chunk ahead, before the chunk itself. */
class Ahead {
  readonly name: string
  readonly #list: ListPlan
  readonly #below: RowsBelow
  readonly #cursor: CursorPhrases
  readonly #setting: Setting
  readonly #run: Session['run']
  readonly #mapper: Mapper
  readonly #statement: BoundStatement

  constructor(name: string, list: ListPlan, below: RowsBelow, { cursor, setting, run }: CursorReading) {
    this.name = name
    this.#list = list
    this.#below = below
    this.#cursor = cursor
    this.#setting = setting
    this.#run = run
    const keys = { ...list, rows: { kind: 'items', members: [keyMember(list.collection)] } } as const
    const { recipe, ...statement } = rowStatement(keys, setting, { probe: 0 })
    this.#mapper = compileMapper(recipe)
    this.#statement = bindStatement(statement, new Map())
  }

  async open(): Promise<void> {
    const { sql, parameters } = this.#statement
    await this.#run({ sql: this.#cursor.open(this.name, sql), parameters })
  }

  /** Refuses the next chunk if there are too many rows below its items. */
  async check(rows: number): Promise<void> {
    const { collection, rows: shown } = this.#list
    const found = await this.#run({ sql: this.#cursor.fetch(this.name, rows), parameters: [] })
    const keys = found
      .map((row) => readKey(collection, Reflect.get(Object(this.#mapper(row, undefined)), keyName)))
      .filter((key) => key !== undefined)
    if (keys.length === 0) return
    const list = { ...wholeList(collection, isOneOf(collection, keys)), rows: shown }
    const counts = bindStatement(countsBelow(list, this.#below, this.#setting), new Map())
    refuseExcess(this.#below, (await this.#run(counts))[0])
  }
}

// Names of cursors are unique within a transaction.
let opened = 0

interface Session {
  readonly run: (statement: BoundStatement) => Promise<readonly Row[]>
  /** Ends the session and closes the named cursors. */
  readonly end: (cursors: readonly string[]) => Promise<void>
}

/** Opens the transaction of a cursor: that of the host, or one of its own with a connection of its own. */
async function open(cursor: CursorPhrases, database: Database, options: Options): Promise<Session> {
  let hasFailed = false
  const noting = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work
    } catch (error) {
      hasFailed = true
      throw error
    }
  }
  // A transaction begun here would end that of the host, whose changes would then stay.
  if (database.db !== database.home) {
    const run = refusing(database, (statement) => noting(execute(database, statement, options)))
    const end = async (cursors: readonly string[]) => {
      // In a failed transaction the cursors are closed already.
      if (!hasFailed) for (const name of cursors) await run({ sql: cursor.close(name), parameters: [] })
    }
    return { run, end }
  }
  const { connection, release } = await hold(database, options)
  const { signal, timeoutMs = database.timeoutMs } = options
  // The raw connection cannot be found while a statement runs or has just failed, so it is looked up first.
  const raw = rawOf(connection, database)
  const own = patient(connection, database, timeoutMs)
  const begin = () => own.executeQuery(compiled(cursor.begin, database))
  const close = async () => {
    stopListening()
    const failed = await undo(cursor.end, { connection, raw, timeoutMs }, database)
    release()
    if (!failed || hasFailed) return
    const tell = () => translated(() => Promise.reject(failed.error), database, signal)
    await attempt(tell, undefined, database.onError)
  }
  let ended: Promise<void> | undefined
  const end = () => {
    ended ??= close()
    return ended
  }
  let running: Promise<unknown> = Promise.resolve()
  // After an abort the reader may never read on. The running statement ends first, and none is started any more.
  const stopListening = onAbort(signal, () => void running.then(end, end))
  try {
    signal?.throwIfAborted()
    running = noting(translated(begin, database, signal))
    await running
  } catch (error) {
    await end()
    throw error
  }
  const runHere = (statement: BoundStatement) =>
    closingIfLeft(connection, database, () => runOn(connection, database, statement, options))
  const run = refusing(database, (statement) => translated(() => runHere(statement), database, signal))
  const runNext: Session['run'] = (statement) => {
    const rows = noting(run(statement))
    running = rows
    return rows
  }
  return { run: runNext, end }
}

/** Runs the statements of a cursor. What its own statement asks for is only looked at when rows are fetched. */
function refusing(database: Database, run: Session['run']): Session['run'] {
  let statement = ''
  return (next) => {
    if (next.parameters.length > 0) statement = next.sql
    return run(next).catch((error: unknown) => {
      throw asRefusedOperand(error, statement, database)
    })
  }
}

interface HeldConnection {
  readonly connection: Connection
  readonly release: () => void
}

/** Acquires a connection for a stream, and its slot, until it is released. */
async function hold(database: Database, options: Options): Promise<HeldConnection> {
  const leave = await takeStreamSlot(database, options)
  try {
    const { connection, release } = await connectionOf(database, options)
    const releaseBoth = () => {
      release()
      leave()
    }
    return { connection, release: releaseBoth }
  } catch (error) {
    leave()
    throw error
  }
}

function connectionOf(database: Database, options: Options): Promise<HeldConnection> {
  return new Promise((resolve, reject) => {
    const use = (connection: Connection) =>
      new Promise<void>((release) => {
        // The caller may have given up while the connection was prepared, and would not release it.
        if (options.signal?.aborted) release()
        else resolve({ connection, release })
      })
    connected(database, options, use).catch(reject)
  })
}
