// Compares the engine's own tables and its change log with what the engine would create.
import type { EngineInternals } from '../engine/engine.ts'
import { missingField, ownTables, partsOf } from '../engine/install-tables.ts'
import { isEngineError, quote } from '../errors/errors.ts'
import { checkChangeLog } from '../realtime/change-log/check.ts'
import { findChangeLog } from '../realtime/change-log/logged-tables.ts'
import { hasTables } from '../realtime/change-log/plan-installation.ts'
import type { Collection } from '../schema/model.ts'
import { versionsIn } from '../schema/own-collections.ts'
import { missingIndexes, nameOf } from '../sql/install.ts'
import { type Finding, finding } from './differences.ts'

/** Compares the tables of versions, files and flows that are in use. */
export async function ownDifferences(
  engine: EngineInternals,
  files: Collection | undefined,
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const table of ownTables({ versions: versionsIn(engine), files, runs: engine.runs })) {
    const { collection } = table
    const parts = await partsOf(table, engine)
    const indexes = missingIndexes(table, parts)
    const names = indexes.map((index) => quote(nameOf(index, table)))
    const field = parts && missingField(table, parts, engine)
    const lacks = field ? `the column ${quote(field.column)}` : `the index ${names.join(', ')}`
    if (parts && !field && indexes.length === 0) continue
    const message = parts
      ? `The table ${quote(collection.table)} of the engine is old: it lacks ${lacks}.`
      : `There is no table ${quote(collection.table)}, which engine.install() creates.`
    const about = {
      kind: 'own table',
      wished: collection.table,
      found: parts ? `without ${lacks}` : null,
      message,
    } as const
    findings.push({ ...finding(collection, [], about), own: { table, parts, indexes: field ? [] : indexes } })
  }
  return findings
}

/** Finds what a change log that is there does not log. A collection without triggers may never have been meant to be logged. */
export async function changeLogDifferences(engine: EngineInternals): Promise<readonly Finding[]> {
  const log = await findChangeLog(engine).catch(withoutPlace)
  try {
    if (!log || !(await hasTables(log))) return []
    const { broken, logged } = await checkChangeLog(engine.asEngine())
    if (broken.length + logged.length === 0)
      return [notLogged('quernel_changes', 'The change log logs nothing.')]
    return broken.map(({ collection, reason }) =>
      notLogged(collection, `The change log lacks changes of ${quote(collection)}, which ${reason}.`),
    )
  } catch (error) {
    if (!isEngineError(error)) throw error
    if (error.code === 'INVALID_OPTIONS') return [notLogged('quernel_changes', error.message)]
    if (error.code === 'FORBIDDEN') return [notLogged('quernel_changes', unreadableLog, 'unreadable')]
    throw error
  }
}

/** Takes a log that has no place for none. Any other failure says nothing of the log. */
function withoutPlace(error: unknown): undefined {
  if (!isEngineError(error) || error.code !== 'INVALID_OPTIONS') throw error
}

const unreadableLog =
  'The change log is there, and the role of this connection may not read it, so it is not checked.'

const notLogged = (
  collection: string,
  message: string,
  kind: 'change log' | 'unreadable' = 'change log',
): Finding => ({
  difference: { kind, collection, wished: 'logged', found: null, message },
  fields: [],
})
