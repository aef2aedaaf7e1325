// The tables of collections, with the columns that the change log names: those of the key, and those that link a row to others.
import { changeLogOf } from '../../dialects/change-log/named.ts'
import type {
  ChangeLogPhrases,
  LoggedColumn,
  LoggedFacts,
  LoggedTable,
  LogPhrases,
} from '../../dialects/change-log/phrases.ts'
import { beginsByItself } from '../../dialects/connections/kysely-connections.ts'
import { render, type Sql } from '../../dialects/sql.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { fault } from '../../errors/errors.ts'
import { withConnection } from '../../execution/connection.ts'
import { execute } from '../../execution/execute.ts'
import type { Row } from '../../rows/row.ts'
import { type Collection, isStored, keyFieldsOf, partsOf, type StoredField } from '../../schema/model.ts'
import type { BlindCollection, SourceChange } from '../feed/source.ts'

/** The change log of an engine's database. */
export interface ChangeLog {
  readonly engine: EngineInternals
  readonly phrases: LogPhrases
  readonly read: ChangeLogPhrases['read']
  /** "write" where a look has to take care that it does not wait for a writer. */
  readonly kind: 'write' | undefined
}

/** Finds where the change log stands, or would. */
export async function findChangeLog(engine: EngineInternals): Promise<ChangeLog> {
  const log = changeLogOf(engine.dialect)
  const [row] = log.home ? await ask(engine, log.home) : []
  const home = log.home ? row?.[0] : ''
  if (typeof home !== 'string')
    throw fault('INVALID_OPTIONS', 'The search path of this connection names no schema for the change log.')
  const isFar = await withConnection(engine.db, async (connection) => beginsByItself(connection))
  const phrases = log.at(home, isFar)
  const [mode] = phrases.journal ? await ask(engine, phrases.journal, 'write') : []
  const mayWait = phrases.journal && !/wal|memory/i.test(String(Object.values(Object(mode))[0]))
  return { engine, phrases, read: log.read, kind: mayWait ? 'write' : undefined }
}

/** Runs a statement of the log. One that writes never waits for others who write. */
export const ask = (engine: EngineInternals, piece: Sql, kind?: 'write'): Promise<readonly Row[]> =>
  execute(engine, { ...render(piece, engine.dialect), kind }, {})

/** Fields whose values say which rows of other collections depend on a row. */
export function linkingFields({ fields }: Collection): readonly StoredField[] {
  const found = new Set<StoredField>()
  for (const field of fields.values()) {
    if (field.kind === 'm2o') for (const part of partsOf(field)) found.add(part)
    if (field.kind === 'any') found.add(field).add(field.by)
    if (isStored(field) && field.isReferenced) found.add(field)
  }
  return [...found].filter(({ isKey }) => !isKey)
}

export const loggedTable = (collection: Collection): LoggedTable => ({
  collection: collection.name,
  table: collection.table,
  dbSchema: collection.dbSchema,
  key: keyFieldsOf(collection).map(loggedColumn),
  old: linkingFields(collection).map(loggedColumn),
})

export const loggedColumn = ({ column, value }: StoredField): LoggedColumn => ({ column, type: value })

/** Returns a reason for which a log is not read: others own a part of it, so that reading it could run what they wrote, or there is none. Undefined if it may be
 *  read. */
export async function dangerOf({ engine, phrases, kind }: ChangeLog): Promise<string | undefined> {
  const tables = [...engine.schema.collections.values()].map(loggedTable)
  const found = phrases.strangersToReaders?.(tables)
  const [row] = found ? await ask(engine, found, kind) : []
  if (!row) return undefined
  return typeof row[0] === 'string' ? row[0] : noLog
}

export const noLog = 'the database has no change log'

/** The same for what runs in its triggers. */
export async function strangersInLog(
  { engine, phrases, kind }: ChangeLog,
  collections: readonly Collection[],
  isInstalling: boolean,
): Promise<readonly string[]> {
  const found = phrases.strangersInLog?.(collections.map(loggedTable), isInstalling)
  return found ? (await ask(engine, found, kind)).map((row) => String(row[0])) : []
}

/** Collections that are looked at by one statement. */
const max = 100

/** Returns what the database knows of the tables of collections. */
export async function factsOf(
  { engine, phrases, kind }: ChangeLog,
  collections: readonly Collection[],
): Promise<ReadonlyMap<Collection, LoggedFacts>> {
  const found = new Map<Collection, LoggedFacts>()
  for (let from = 0; from < collections.length; from += max) {
    const some = collections.slice(from, from + max)
    const tables = some.map(loggedTable)
    for (const row of await ask(engine, phrases.facts(tables), kind)) {
      const at = Number(row[0])
      const [collection, table] = [some[at], tables[at]]
      if (collection && table) found.set(collection, phrases.readFacts(table, String(row[1])))
    }
  }
  return found
}

/** Returns why changes of a collection cannot be logged, behind its name; undefined if they can. */
export function obstacleOf(
  { key, table }: Collection,
  { obstacle }: Pick<LoggedFacts, 'obstacle'>,
): string | undefined {
  if (/^quernel_changes(_|$)/i.test(table)) return 'is a table of the change log'
  if (!key) return 'has no key, so that its written rows could not be identified'
  return obstacle === undefined ? undefined : `has a table that ${obstacle}`
}

/** Returns why changes of a collection are not logged, behind its name; undefined if they are. */
export function flawOf(collection: Collection, facts: LoggedFacts): string | undefined {
  const obstacle = obstacleOf(collection, facts)
  const { wanted, found } = facts
  if (obstacle !== undefined) return obstacle
  if (found.length === 0) return 'has no triggers of the change log'
  for (const { name, on, mark } of wanted) {
    const trigger = found.find((one) => one.name === name && one.on === on)
    if (!trigger) return `lacks the trigger "${name}" on ${on}`
    if (!trigger.isEnabled) return `has the trigger "${name}" on ${on}, which is disabled`
    if (trigger.mark !== mark) return 'has triggers of an older schema'
  }
  return undefined
}

/** True if installing would change something. A trigger too many, such as one of a partition that was detached, logs rows that are not needed. */
export function isToMend(collection: Collection, facts: LoggedFacts): boolean {
  const { wanted, found } = facts
  return flawOf(collection, facts) !== undefined || found.length > wanted.length
}

/** Changes of the triggers. */
interface WatchedTriggers {
  /** The collections whose changes are not all in the log; undefined if these are the same as before. */
  readonly blind?: readonly BlindCollection[] | undefined
  /** Collections of which rows may have come or gone without a trigger. */
  readonly changes: readonly SourceChange[]
}

/** Milliseconds after which the triggers are looked at again, and the version of the schema. */
const usualMs = 60_000
const versionEveryMs = 1_000

/** The key under which tests of a source let it look at triggers more often. */
export const watchEveryMs: unique symbol = Symbol('watch every')

/** Watches that the triggers are there. They get lost in silence: by a migration that builds a table anew, by tables that change names, by
 *  `disable trigger`. */
export class TriggerWatch {
  readonly #engine: EngineInternals
  readonly #everyMs: number
  #lookedAt = Number.NEGATIVE_INFINITY
  #versionAt = Number.NEGATIVE_INFINITY
  #version: string | undefined
  /** Undefined before the first look. */
  #blind: ReadonlyMap<string, string> | undefined
  /** The triggers and the partitions of each table. */
  #made: ReadonlyMap<string, string> = new Map()

  constructor(engine: EngineInternals, everyMs = usualMs) {
    this.#engine = engine
    this.#everyMs = everyMs
  }

  /** Makes the next look report the state of all triggers. */
  forget(): void {
    this.#blind = undefined
    this.#lookedAt = Number.NEGATIVE_INFINITY
  }

  /** True if it is time to look at the triggers, or at the version of the schema. */
  isDue({ phrases: { schemaVersion } }: ChangeLog): boolean {
    const now = performance.now()
    return (
      now - this.#lookedAt >= this.#everyMs ||
      (schemaVersion !== undefined && now - this.#versionAt >= versionEveryMs)
    )
  }

  /** Looks at the triggers, if it is time or if the schema has changed. */
  async look(log: ChangeLog): Promise<WatchedTriggers> {
    const now = performance.now()
    const version = await this.#versionNow(log)
    this.#versionAt = now
    if (now - this.#lookedAt < this.#everyMs && version === this.#version) return { changes: [] }
    const facts = await factsOf(log, [...this.#engine.schema.collections.values()])
    // Noted only now: what has failed comes again.
    this.#lookedAt = now
    this.#version = version
    const blind = new Map<string, string>()
    const made = new Map<string, string>()
    for (const [collection, known] of facts) {
      const flaw = flawOf(collection, known)
      if (flaw !== undefined) blind.set(collection.name, flaw)
      made.set(collection.name, madeOf(known))
    }
    const changed = [...made].filter(([name, now]) => (this.#made.get(name) ?? now) !== now)
    this.#made = made
    return { ...this.#news(blind), changes: changed.map(([collection]) => ({ collection })) }
  }

  /** Reports that there is no log to read, so that the next look checks the triggers. */
  lackAll(reason: string): WatchedTriggers {
    this.#lookedAt = performance.now() - this.#everyMs + versionEveryMs
    const names = [...this.#engine.schema.collections.keys()]
    return {
      ...this.#news(new Map(names.map((name) => [name, `is not logged, as ${reason}`]))),
      changes: [],
    }
  }

  #news(blind: ReadonlyMap<string, string>): Pick<WatchedTriggers, 'blind'> {
    const before = this.#blind
    this.#blind = blind
    const isSame =
      before?.size === blind.size && [...blind].every(([name, flaw]) => before.get(name) === flaw)
    return isSame ? {} : { blind: [...blind].map(([collection, reason]) => ({ collection, reason })) }
  }

  async #versionNow({ phrases: { schemaVersion }, kind }: ChangeLog): Promise<string | undefined> {
    if (!schemaVersion) return undefined
    const [row] = await ask(this.#engine, schemaVersion, kind)
    return String(Object.values(Object(row))[0])
  }
}

const madeOf = ({ found, parts }: LoggedFacts): string => JSON.stringify([found, parts])
