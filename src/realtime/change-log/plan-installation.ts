// Plans the statements that install and remove the change log.

import type { LoggedFacts, LogKeep } from '../../dialects/change-log/phrases.ts'
import type { Sql } from '../../dialects/sql.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { fault, quote } from '../../errors/errors.ts'
import { Problems } from '../../errors/problems.ts'
import type { Collection } from '../../schema/model.ts'
import {
  ask,
  type ChangeLog,
  factsOf,
  findChangeLog,
  isToMend,
  loggedTable,
  obstacleOf,
  strangersInLog,
} from './logged-tables.ts'

/** Statements that are to be run. */
export interface InstallationPlan {
  readonly statements: readonly (Sql | string)[]
  readonly remarks: readonly string[]
  /** Rights that the role lacks. */
  readonly lacked: readonly string[]
  /** The statement behind them that refuses what others have in it. Absent = nothing was created. */
  readonly guard?: Sql | undefined
}

/** Plans what is to be created or mended for collections. */
export async function planInstallation(
  engine: EngineInternals,
  collections: readonly Collection[],
  keep: Partial<LogKeep> | undefined,
): Promise<InstallationPlan> {
  const log = await findChangeLog(engine)
  await refuseStrangers(log, collections)
  const facts = await factsOf(log, collections)
  refuseUnfit(collections, facts)
  const isThere = await hasTables(log)
  const flawed = [...facts].filter(([collection, known]) => isToMend(collection, known))
  const rights = isThere && log.phrases.rightsOfOthers ? await ask(engine, log.phrases.rightsOfOthers) : []
  const statements = [
    ...(isThere ? [] : log.phrases.create),
    ...log.phrases.upkeep(isThere ? await upkeepMark(log) : null),
    ...(await keepStatements(log, isThere, keep)),
    ...flawed.flatMap(([, known]) => known.install()),
    ...rights.map((row) => String(row[0])),
  ]
  const remarks = [...facts].flatMap(([{ name }, known]) =>
    known.remarks.map((remark) => `"${name}" ${remark}`),
  )
  const lacked = new Set(flawed.flatMap(([, { lackedRight }]) => lackedRight ?? []))
  if (!isThere && log.phrases.lackedRight) {
    const [row] = await ask(engine, log.phrases.lackedRight)
    if (typeof row?.[0] === 'string') lacked.add(row[0])
  }
  const guard = flawed.length > 0 || !isThere ? log.phrases.guard?.(collections.map(loggedTable)) : undefined
  return { statements, remarks, lacked: [...lacked], guard }
}

/** Refuses a log with parts that belong to other owners: code that they put there would run as the role that uses it. */
export async function refuseStrangers(log: ChangeLog, collections: readonly Collection[]): Promise<void> {
  const problems = new Problems('INVALID_OPTIONS')
  for (const found of await strangersInLog(log, collections, true))
    problems.add([], `The change log is not safe: ${found}.`, () => remedy)
  problems.throwIfAny()
}

const remedy =
  'Install the change log as the role that owns the tables. A table of another owner under one of its names has to be dropped first, or to be given away by "alter table … owner to".'

/** Plans what is to be removed: of some collections, or of all. */
export async function planRemoval(
  engine: EngineInternals,
  names: readonly string[] | undefined,
): Promise<InstallationPlan> {
  const log = await findChangeLog(engine)
  const there = await ask(engine, log.phrases.drops)
  const removed = names && new Set(names.flatMap((name) => log.phrases.ownNames(name)))
  const drops = there.filter((row) => !removed || removed.has(String(row[1])))
  // Those of a log of which a part is missing go, too.
  const count = await countTables(log)
  const rest =
    count === 0
      ? []
      : drops.length === there.length
        ? log.phrases.drop
        : (names ?? []).map((name) => log.phrases.forget(name))
  // To delete entries runs what the owner of their table has put there; to drop it runs nothing.
  if (rest !== log.phrases.drop) await refuseStrangers(log, [])
  return { statements: [...drops.map((row) => String(row[0])), ...rest], remarks: [], lacked: [] }
}

/** True if the tables of the log are there. */
export async function hasTables(log: ChangeLog): Promise<boolean> {
  // They come and go together, and others may do that between the looks at each.
  for (let look = 0; look < maxLooks; look++) {
    const count = await countTables(log)
    if (count === 0 || count === log.phrases.tables.length) return count > 0
  }
  throw incomplete()
}

const maxLooks = 3

/** Returns how many of the tables of the log exist. Refuses those of other owners. */
async function countTables({ engine, phrases }: ChangeLog): Promise<number> {
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
  return count
}

const notOurs = (table: string, column: string) =>
  fault(
    'INVALID_OPTIONS',
    `The table ${quote(table)} has no column ${quote(column)}, so it is none of the change log's.`,
    { hint: 'Give that table another name, or a schema of its own.' },
  )

const incomplete = () =>
  fault('INVALID_OPTIONS', 'A part of the tables of the change log is missing.', {
    hint: 'Remove it by removeChangeLog or "quernel changes remove", and install it anew.',
  })

async function upkeepMark({ engine, phrases }: ChangeLog): Promise<string | null> {
  const [row] = await ask(engine, phrases.upkeepMark)
  return typeof row?.[0] === 'string' ? row[0] : null
}

const usualKeep = { forMs: 3_600_000, rows: 1_000_000 }

async function keepStatements(
  { engine, phrases }: ChangeLog,
  isThere: boolean,
  keep: Partial<LogKeep> | undefined,
): Promise<readonly Sql[]> {
  const [row] = isThere ? await ask(engine, phrases.kept) : []
  const kept = row ? { forMs: Number(row[0]), rows: Number(row[1]) } : undefined
  const { forMs, rows } = { ...usualKeep, ...kept, ...withoutAbsent(keep ?? {}) }
  const isSame = kept?.forMs === forMs && kept.rows === rows
  return isSame ? [] : [phrases.keep({ forMs, rows })]
}

const withoutAbsent = (keep: Partial<LogKeep>): Partial<LogKeep> =>
  Object.fromEntries(Object.entries(keep).filter(([, value]) => value !== undefined))

function refuseUnfit(collections: readonly Collection[], facts: ReadonlyMap<Collection, LoggedFacts>): void {
  const problems = new Problems('INVALID_OPTIONS')
  for (const collection of collections) {
    const known = facts.get(collection)
    const obstacle = known && obstacleOf(collection, known)
    if (obstacle !== undefined) problems.add([collection.name], `"${collection.name}" ${obstacle}.`)
  }
  problems.throwIfAny()
}
