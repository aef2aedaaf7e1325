// Reasons in the plan of a statement for which a reader runs it.
import type { equipDatabase } from '../equip.ts'

type Database = ReturnType<typeof equipDatabase>

/** Number of rows of a table that is read as a whole sooner than a thread is asked. */
const smallTable = 5_000

interface PlanStep {
  readonly id: number
  readonly parent: number
  readonly detail: string
}

/** Returns what makes a statement slow whatever its values are; undefined if an index or its limit bounds it. */
export function reasonIn(database: Database, sql: string, steps: readonly PlanStep[]): string | undefined {
  const named = tablesIn(sql)
  const large = (step: PlanStep, kinds: RegExp): string | undefined => {
    const name = kinds.exec(step.detail)?.[1]
    if (name === undefined || /VIRTUAL TABLE|CONSTANT ROW/.test(step.detail)) return undefined
    const table = named.get(name) ?? (/^(?:_q\d+$|\()/.test(name) ? undefined : name)
    return table !== undefined && isLarge(database, table) ? table : undefined
  }
  const first = (among: readonly PlanStep[], kinds: RegExp) =>
    among.map((step) => large(step, kinds)).find((table) => table !== undefined)
  const outer = withoutCorrelated(steps)
  const isSorted = outer.some(({ detail }) => detail.startsWith('USE TEMP B-TREE'))
  const isBounded = !isSorted && endsWithLimit(sql)
  const scanned = isBounded ? undefined : first(steps, /^SCAN (\S+)/)
  if (scanned !== undefined) return `scan of ${scanned}`
  if (!isSorted && !/ group by /.test(sql)) return undefined
  const table = first(outer, /^(?:SCAN|SEARCH) (\S+)/)
  return table && `${isSorted ? 'sort' : 'groups'} of ${table}`
}

/** True if rows are only looked up by their keys. Such a statement is never slow itself, whatever the process waits for meanwhile. */
export const looksUp = (steps: readonly PlanStep[]): boolean =>
  steps.every(({ detail }) => detail.includes(' USING INTEGER PRIMARY KEY (rowid=?)'))

/** Returns the plan of a statement. */
export const stepsOf = (database: Database, sql: string, parameters: readonly unknown[]) =>
  database.once(`explain query plan ${sql}`, parameters) as readonly PlanStep[] // as SQLite documents it

/** Tables by the aliases that the engine's statements have for them. */
const tablesIn = (sql: string): ReadonlyMap<string, string> =>
  new Map(
    [...sql.matchAll(/"((?:[^"]|"")+)" as "(_q\d+)"/g)].map(([, table = '', alias = '']) => [alias, table]),
  )

/** True if a scan ends with the limit: nothing is left out or counted on the way. */
const endsWithLimit = (sql: string): boolean =>
  / limit /.test(sql) &&
  !/ where | offset | group by |\b(?:count|sum|avg|total|min|max|quernel_\w+)\(/.test(sql)

/** Returns the steps without those of lists in items, which are short. */
function withoutCorrelated(steps: readonly PlanStep[]): readonly PlanStep[] {
  const byId = new Map(steps.map((step) => [step.id, step]))
  const isCorrelated = (step: PlanStep | undefined): boolean =>
    step !== undefined && (step.detail.startsWith('CORRELATED') || isCorrelated(byId.get(step.parent)))
  return steps.filter((step) => !isCorrelated(step))
}

/** True if a table has many rows by the statistics of the database, or else by its greatest rowid. One without either may. */
function isLarge(database: Database, table: string): boolean {
  return (statistics(database, table) ?? greatestRowid(database, table) ?? smallTable) >= smallTable
}

function statistics(database: Database, table: string): number | undefined {
  try {
    const [row] = database.once('select stat from sqlite_stat1 where tbl = ? limit 1', [table])
    return row === undefined ? undefined : Number.parseInt(String(Object(row).stat), 10)
  } catch {
    // Nothing was analysed.
    return undefined
  }
}

function greatestRowid(database: Database, table: string): number | undefined {
  try {
    const [row] = database.once(`select max(rowid) as greatest from "${table.replaceAll('"', '""')}"`)
    return Number(Object(row).greatest ?? 0)
  } catch {
    // A view, or a table without rowids.
    return undefined
  }
}
