// Installs and removes the change log: its tables, and triggers on those of collections.

import type { OwnName } from '../../access/access.ts'
import { render, type Sql } from '../../dialects/sql.ts'
import { type Engine, type EngineInternals, internalsOf } from '../../engine/engine.ts'
import { checkOptions, flag, optionNames } from '../../errors/check-options.ts'
import { fault, isEngineError, quote } from '../../errors/errors.ts'
import { Problems } from '../../errors/problems.ts'
import { suggestion } from '../../errors/suggest.ts'
import { execute } from '../../execution/execute.ts'
import type { CollectionName } from '../../schema/infer.ts'
import type { Collection, Schema } from '../../schema/model.ts'
import { record } from '../feed/feed-options.ts'
import { ask, findChangeLog } from './logged-tables.ts'
import { type InstallationPlan, planInstallation, planRemoval, refuseStrangers } from './plan-installation.ts'

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
  /** Remarks on changes that the log cannot contain, in sentences. */
  readonly remarks: readonly string[]
}

const installOptions = optionNames<ChangeLogOptions>({ keep: record, dryRun: flag })
const removeOptions = optionNames<ChangeLogRemoval>({ dryRun: flag })
const atLeast = (least: number) => ({
  says: `is a whole number of ${least} or more`,
  holds: (input: unknown) => Number.isSafeInteger(input) && Number(input) >= least,
})
const keepOptions = optionNames<ChangeLogKeep>({ forMs: atLeast(1_000), rows: atLeast(1_000) })
/** Installs the change log for collections: triggers log which of their items are written, by any client of the database. What is there already stays; triggers of
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
  const plan = (on: EngineInternals) => planInstallation(on, found, options.keep)
  // Asked behind the statements, too: others may have been quicker to create.
  const verify = async (on: EngineInternals) => refuseStrangers(await findChangeLog(on), found)
  return run(own, { plan, verify, isDry: options.dryRun === true })
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
  const names = collections && collectionsNamed(own, collections).map(({ name }) => name)
  return run(own, { plan: (on) => planRemoval(on, names), isDry: options.dryRun === true })
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

/** Runs what is planned in one transaction. It is planned again there: several processes may do so at once, and the first one may have done it all. */
async function run(
  engine: EngineInternals,
  {
    plan,
    verify,
    isDry,
  }: {
    readonly plan: (on: EngineInternals) => Promise<InstallationPlan>
    readonly verify?: (inside: EngineInternals) => Promise<void>
    readonly isDry: boolean
  },
): Promise<ChangeLogReport> {
  const { dialect } = engine
  const planned = await plan(engine)
  let report = reportOf(planned, engine)
  if (isDry || planned.statements.length === 0) return report
  if (planned.lacked.length > 0) throw forbidden(planned.lacked, report, undefined)
  try {
    return await engine.atomic(async (inside) => {
      // Commits of others are seen then, whatever the transactions of the database are by default.
      for (const first of [dialect.isolation?.become('read committed'), dialect.installAlone])
        if (first) await ask(inside, first)
      const now = await plan(inside)
      report = reportOf(now, engine)
      for (const statement of now.statements.map((piece) => written(piece, engine)))
        await execute(inside, { ...statement, kind: 'write' }, {})
      await verify?.(inside)
      if (now.guard) await ask(inside, now.guard, 'write')
      return report
    }, {})
  } catch (error) {
    const isForbidden = isEngineError(error) && error.code === 'FORBIDDEN'
    throw isForbidden && !hasNoTransactions(error, engine)
      ? forbidden(['a right that it takes'], report, error)
      : error
  }
}

const written = (piece: Sql | string, { dialect }: EngineInternals) =>
  typeof piece === 'string' ? { sql: piece, parameters: [] } : render(piece, dialect)

const reportOf = (
  { statements, guard, remarks }: InstallationPlan,
  engine: EngineInternals,
): ChangeLogReport => ({
  statements: [...statements, ...(guard ? [guard] : [])].map((piece) => written(piece, engine).sql),
  remarks,
})

const hasNoTransactions = (error: Error, { dialect }: EngineInternals): boolean =>
  dialect.faultOf(error.cause)?.lacksTransactions === true

/** The statements travel beside the message, for a role that may run them. */
const forbidden = (lacked: readonly string[], { statements }: ChangeLogReport, cause: unknown) =>
  fault('FORBIDDEN', `The role that the database is opened as lacks ${lacked.join(', and ')}.`, {
    hint: 'Let a role that has it run the statements in extensions.statements, which "quernel changes" prints with "--dry".',
    extensions: { statements },
    cause,
  })
