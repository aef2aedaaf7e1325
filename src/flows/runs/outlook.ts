// When there is something to do for workers, as it is known at one moment.
import { type Sql, sql } from '../../dialects/sql.ts'
import type { Row } from '../../rows/row.ts'
import { textIn } from './run-row.ts'
import type { RunTables } from './run-tables.ts'

/** Milliseconds of the database. */
export interface Outlook {
  readonly now: number
  /** When a run is due, or the lease of one ends. While a worker tries a run alone, or has died under one, that is now. */
  readonly next: number
}

/** The columns of an outlook. Each of its moments is the first entry of an index. */
export function outlookColumns({ runs, workers, now, column: c }: RunTables): Sql {
  const due = sql`select min(${c('due')}) as ${c('due')} from ${runs} where ${c('state')} = 'ready'`
  const lease = sql`select min(${c('lease')}) from ${runs} where ${c('state')} = 'running'`
  const tried = sql`select 0 from ${workers} where ${c('run')} is not null`
  const next = sql`select min(${c('due')}) from (${due} union all ${lease} union all ${tried}) as d`
  return sql`cast(${now} as text) as ${c('now')}, cast((${next}) as text) as ${c('due')}`
}

export const readOutlook = (row: Row): Outlook => ({
  now: Number(textIn(row, 'now')),
  next: Number(textIn(row, 'due') ?? Number.POSITIVE_INFINITY),
})

export async function lookOut(tables: RunTables): Promise<Outlook | undefined> {
  const [row] = await tables.query(sql`select ${outlookColumns(tables)}`)
  return row && readOutlook(row)
}
