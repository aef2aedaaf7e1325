import type { CatalogueTable } from '../dialects/catalogue.ts'
import { fault, quote } from '../errors/errors.ts'
import type { IntrospectOptions, Selection } from './introspect-options.ts'

export function selectTables(
  tables: readonly CatalogueTable[],
  { include, exclude }: IntrospectOptions,
): readonly CatalogueTable[] {
  refuseIdle(include, tables)
  const isIncluded = include === undefined ? () => true : matcher(include)
  const isExcluded = exclude === undefined ? () => false : matcher(exclude)
  const isNamed = new Set(namesIn(include))
  return tables.filter(
    (table) => isIncluded(table) && !isExcluded(table) && (!isOfChangeLog(table) || isNamed.has(table.name)),
  )
}

/** True for a table of the change log, which is no data of the host: it has the keys of all rows. */
const isOfChangeLog = ({ name, columns }: CatalogueTable): boolean =>
  logColumns[name]?.every((column) => columns.some((one) => one.name === column)) === true

const logColumns: Readonly<Record<string, readonly string[]>> = {
  quernel_changes: ['seq', 'collection', 'op', 'key', 'old'],
  quernel_changes_state: ['pruned', 'keep_ms', 'keep_rows'],
  quernel_changes_marks: ['seq', 'xid', 'at'],
  quernel_changes_epoch: ['epoch'],
}

/** Returns the patterns that are names: they mean one table, be it a partition. */
export const namesIn = (selection: Selection | undefined): readonly string[] =>
  selection === undefined || typeof selection === 'function'
    ? []
    : patternsOf(selection).filter((pattern) => !pattern.includes('*'))

function matcher(selection: Selection): (table: CatalogueTable) => boolean {
  if (typeof selection === 'function') return selection
  const patterns = patternsOf(selection).map(matches)
  return (table) => patterns.some((isMatch) => isMatch(table))
}

const patternsOf = (selection: string | readonly string[]): readonly string[] =>
  typeof selection === 'string' ? [selection] : selection

function matches(pattern: string): (table: CatalogueTable) => boolean {
  const escaped = pattern.replace(/[\\^$.+?()[\]{}|]/g, '\\$&').replaceAll('*', '.*')
  const whole = new RegExp(`^${escaped}$`, 's')
  return ({ schema, name }) => whole.test(name) || (pattern.includes('.') && whole.test(`${schema}.${name}`))
}

/** Refuses to include tables that do not exist: the name is a mistake. */
function refuseIdle(include: Selection | undefined, tables: readonly CatalogueTable[]): void {
  if (include === undefined || typeof include === 'function') return
  const idle = patternsOf(include).find((pattern) => !tables.some(matches(pattern)))
  if (idle === undefined) return
  throw fault('INVALID_OPTIONS', `No table of the database is called ${quote(idle)}.`, { path: ['include'] })
}
