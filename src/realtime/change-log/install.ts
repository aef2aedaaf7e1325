// Installs and removes the change log: its tables, and triggers on those of collections.

import type { OwnName } from '../../access/access.ts'
import type { LoggedFacts } from '../../dialects/change-log/phrases.ts'
import { render, type Sql } from '../../dialects/sql.ts'
import { type Engine, type EngineInternals, internalsOf } from '../../engine/engine.ts'
import { checkOptions, flag, optionNames } from '../../errors/check-options.ts'
import { fault, isEngineError, quote } from '../../errors/errors.ts'
import { Problems } from '../../errors/problems.ts'
import { suggestion } from '../../errors/suggest.ts'
import { execute } from '../../execution/execute.ts'
import type { CollectionName } from '../../schema/infer.ts'
import type { Collection, Schema } from '../../schema/model.ts'
import { record } from '../feed-options.ts'
import { ask, type ChangeLog, factsOf, findChangeLog, isToMend, obstacleOf } from './logged-tables.ts'

/** Options of `installChangeLog`. */
export interface ChangeLogOptions {
  /** How much is kept for readers that come late. By default what there is, at first an hour and a million entries. */
  readonly keep?: ChangeLogKeep
  /** True to return the statements, and to run none. By default false. */
  readonly dryRun?: boolean
}

/** How much of a change log is kept. A reader that comes later begins anew. */
export interface ChangeLogKeep {
  /** Milliseconds for which an entry is kept. By default an hour. */
  readonly forMs?: number
  /** Number of entries that are kept. By default a million. */
  readonly rows?: number
}

/** Options of `removeChangeLog`. */
export interface ChangeLogRemoval {
  /** True to return the statements, and to run none. By default false. */
  readonly dryRun?: boolean
}

/** Outcome of the installation or removal of a change log. */
export interface ChangeLogReport {
  /** The statements that were run, or are to be: none if nothing is to change. */
  readonly statements: readonly string[]
  /** Remarks on what the log cannot tell, in sentences. */
  readonly remarks: readonly string[]
}

const installOptions = optionNames<ChangeLogOptions>({ keep: record, dryRun: flag })
const removeOptions = optionNames<ChangeLogRemoval>({ dryRun: flag })
const atLeast = (least: number) => ({
  says: `is a whole number of ${least} or more`,
  holds: (input: unknown) => Number.isSafeInteger(input) && Number(input) >= least,
})
const keepOptions = optionNames<ChangeLogKeep>({ forMs: atLeast(1_000), rows: atLeast(1_000) })
const usualKeep = { forMs: 3_600_000, rows: 1_000_000 }

/** Installs the change log for collections: triggers log which of their items are written, whoever writes them. What is there already stays; triggers of
 *  an older schema are replaced.
 *  @example await installChangeLog(engine, ['articles', 'tags'])
 *  await removeChangeLog(engine) */
export async function installChangeLog<S extends Schema>(
  engine: Engine<S>,
  collections: readonly (CollectionName<S> | OwnName)[],
  options: ChangeLogOptions = {},
): Promise<ChangeLogReport> {
  checkOptions(options, installOptions)
  checkOptions(options.keep ?? {}, keepOptions, ['keep'])
  const own = wholeEngine(engine)
  const found = collectionsNamed(own, collections)
  const log = await findChangeLog(own)
  const facts = await factsOf(log, found)
  refuseUnfit(found, facts)
  const isThere = await hasTables(log)
  const flawed = [...facts].filter(([collection, known]) => isToMend(collection, known))
  const statements = [
    ...(isThere ? [] : log.phrases.create),
    ...log.phrases.upkeep(isThere ? await upkeepMark(log) : null),
    ...(await keepStatements(log, isThere, options.keep)),
    ...flawed.flatMap(([, known]) => known.install()),
  ]
  const remarks = [...facts].flatMap(([{ name }, known]) =>
    known.remarks.map((remark) => `"${name}" ${remark}`),
  )
  const lacked = new Set(flawed.flatMap(([, { lackedRight }]) => lackedRight ?? []))
  if (!isThere && log.phrases.lackedRight) {
    const [row] = await ask(own, log.phrases.lackedRight)
    if (typeof row?.[0] === 'string') lacked.add(row[0])
  }
  return run(own, statements, { remarks, lacked: [...lacked], isDry: options.dryRun === true })
}

/** Removes the change log of some collections, or of all. With the last one it leaves no trace.
 *  @example await removeChangeLog(engine) */
export async function removeChangeLog<S extends Schema>(
  engine: Engine<S>,
  collections?: readonly (CollectionName<S> | OwnName)[],
  options: ChangeLogRemoval = {},
): Promise<ChangeLogReport> {
  checkOptions(options, removeOptions)
  const own = wholeEngine(engine)
  const log = await findChangeLog(own)
  const names = collections && collectionsNamed(own, collections).map(({ name }) => name)
  const there = await ask(own, log.phrases.drops)
  const removed = names && new Set(names.flatMap((name) => log.phrases.ownNames(name)))
  const drops = there.filter((row) => !removed || removed.has(String(row[1])))
  const isThere = await hasTables(log)
  const rest = !isThere
    ? []
    : drops.length === there.length
      ? log.phrases.drop
      : (names ?? []).map((name) => log.phrases.forget(name))
  const statements = [...drops.map((row) => String(row[0])), ...rest]
  return run(own, statements, { remarks: [], lacked: [], isDry: options.dryRun === true })
}

/** Returns the engine with all of its collections. */
export function wholeEngine(engine: Engine): EngineInternals {
  const own = internalsOf(engine)
  if (!own.scope) return own.withOwn().fresh()
  throw fault('INVALID_OPTIONS', 'The change log is one of the engine itself, and not of one of its callers.')
}

function collectionsNamed(engine: EngineInternals, names: unknown): readonly Collection[] {
  const { collections } = engine.schema
  if (!Array.isArray(names))
    throw fault('INVALID_OPTIONS', `Collections are a list of names, not ${quote(names)}.`)
  const problems = new Problems('INVALID_OPTIONS')
  const found = [...new Set<unknown>(names)].flatMap((name) => {
    const collection = typeof name === 'string' ? collections.get(name) : undefined
    if (!collection)
      problems.add([names.indexOf(name)], `There is no collection ${quote(name)}.`, () =>
        suggestion(String(name), collections.keys()),
      )
    return collection ?? []
  })
  problems.throwIfAny()
  // Tables are locked one after the other, by all in one order.
  return found.toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

function refuseUnfit(collections: readonly Collection[], facts: ReadonlyMap<Collection, LoggedFacts>): void {
  const problems = new Problems('INVALID_OPTIONS')
  for (const collection of collections) {
    const known = facts.get(collection)
    const obstacle = known && obstacleOf(collection, known)
    if (obstacle !== undefined) problems.add([collection.name], `"${collection.name}" ${obstacle}.`)
  }
  problems.throwIfAny()
}

/** True if the tables of the log are there. Refuses those of somebody else. */
export async function hasTables({ engine, phrases }: ChangeLog): Promise<boolean> {
  const { catalogue } = engine.dialect
  let count = 0
  for (const table of phrases.tables) {
    const parts = catalogue?.partsOf?.(table)
    const rows = parts ? await ask(engine, parts) : []
    if (rows.length === 0) continue
    count += 1
    const columns = new Set(rows.flatMap((row) => (row[1] === 'column' ? [String(row[0])] : [])))
    const missing = table.columns.find((name) => !columns.has(name))
    if (missing !== undefined) throw notOurs(table.table, missing)
  }
  if (count > 0 && count < phrases.tables.length) throw incomplete()
  return count > 0
}

const notOurs = (table: string, column: string) =>
  fault(
    'INVALID_OPTIONS',
    `The table ${quote(table)} has no column ${quote(column)}, so it is none of the change log's.`,
    { hint: 'Give that table another name, or a schema of its own.' },
  )

const incomplete = () =>
  fault('INVALID_OPTIONS', 'A part of the tables of the change log is missing.', {
    hint: 'Drop the tables whose names begin with quernel_changes, and install it anew.',
  })

async function upkeepMark({ engine, phrases }: ChangeLog): Promise<string | null> {
  const [row] = await ask(engine, phrases.upkeepMark)
  return typeof row?.[0] === 'string' ? row[0] : null
}

async function keepStatements(
  { engine, phrases }: ChangeLog,
  isThere: boolean,
  keep: ChangeLogKeep | undefined,
): Promise<readonly Sql[]> {
  const [row] = isThere ? await ask(engine, phrases.kept) : []
  const kept = row ? { forMs: Number(row[0]), rows: Number(row[1]) } : undefined
  const { forMs, rows } = { ...usualKeep, ...kept, ...withoutAbsent(keep ?? {}) }
  const isSame = kept?.forMs === forMs && kept.rows === rows
  return isSame ? [] : [phrases.keep({ forMs, rows })]
}

const withoutAbsent = (keep: ChangeLogKeep): ChangeLogKeep =>
  Object.fromEntries(Object.entries(keep).filter(([, value]) => value !== undefined))

interface RunSettings {
  readonly remarks: readonly string[]
  /** Rights that the role lacks. */
  readonly lacked: readonly string[]
  readonly isDry: boolean
}

/** Runs statements in one transaction. */
async function run(
  engine: EngineInternals,
  pieces: readonly (Sql | string)[],
  { remarks, lacked, isDry }: RunSettings,
): Promise<ChangeLogReport> {
  const { dialect } = engine
  const statements = pieces.map((piece) =>
    typeof piece === 'string' ? { sql: piece, parameters: [] } : render(piece, dialect),
  )
  const report = { statements: statements.map(({ sql: text }) => text), remarks }
  if (isDry || statements.length === 0) return report
  if (lacked.length > 0) throw forbidden(lacked, report, undefined)
  const alone = dialect.installAlone ? [render(dialect.installAlone, dialect)] : []
  try {
    await engine.atomic(async (inside) => {
      for (const statement of [...alone, ...statements])
        await execute(inside, { ...statement, kind: 'write' }, {})
    }, {})
  } catch (error) {
    const isForbidden = isEngineError(error) && error.code === 'FORBIDDEN'
    throw isForbidden && !hasNoTransactions(error, engine)
      ? forbidden(['a right that it takes'], report, error)
      : error
  }
  return report
}

const hasNoTransactions = (error: Error, { dialect }: EngineInternals): boolean =>
  dialect.faultOf(error.cause)?.lacksTransactions === true

/** The statements travel beside the message, for whoever may run them. */
const forbidden = (lacked: readonly string[], { statements }: ChangeLogReport, cause: unknown) =>
  fault('FORBIDDEN', `The role that the database is opened as lacks ${lacked.join(', and ')}.`, {
    hint: 'Let a role that has it run the statements in extensions.statements, or print them by "quernel changes install --dry".',
    extensions: { statements },
    cause,
  })
