// Workers as the database knows them: a row each, with when it was seen, and the run that it tries alone.
import { randomUUID } from 'node:crypto'
import { type Sql, sql } from '../../dialects/sql.ts'
import type { Row } from '../../rows/row.ts'
import { numberIn, textIn } from './run-row.ts'
import type { RunTables } from './run-tables.ts'

/** Milliseconds for which the row of a dead worker is kept. */
const keptMs = 86_400_000

export class WorkerRow {
  readonly #tables: RunTables
  readonly #leaseMs: number
  readonly #id = randomUUID()
  #run: string | undefined
  #hasLeft = false

  constructor(tables: RunTables, leaseMs: number) {
    this.#tables = tables
    this.#leaseMs = leaseMs
  }

  /** Says that the worker lives, for a lease from now on, and looks at what there is to do. `sign`: what is selected besides. */
  async seen(sign: Sql = sql`null`, signal?: AbortSignal): Promise<Outlook | undefined> {
    const columns = sql`${outlookColumns(this.#tables)}, ${sign} as ${this.#tables.column('sign')}`
    const found = await this.#tables.write(sql`${this.#update(sql``)} returning ${columns}`, { signal })
    const [row] = found
    if (row) return readOutlook(row)
    await this.#insert()
    return lookOut(this.#tables)
  }

  /** Says that the worker tries a run alone. If it dies before `clear`, it has died under that run. */
  async tries(run: string): Promise<void> {
    this.#run = run
    const { now, column: c } = this.#tables
    if ((await this.#tables.change(this.#update(sql`, ${c('since')} = ${now}`))) === 0) await this.#insert()
  }

  /** Says that it has survived a run: those that died before have not died of it. */
  async clear(run: string): Promise<void> {
    if (this.#run !== run) return
    this.#run = undefined
    await acquit(this.#tables, run)
  }

  /** Removes the row: a worker that ends by itself has not died. */
  async leave(): Promise<void> {
    this.#hasLeft = true
    const { workers, column: c } = this.#tables
    await this.#tables.change(sql`delete from ${workers} where ${c('id')} = ${sql.val(this.#id)}`)
  }

  #update(more: Sql): Sql {
    const { workers, now, column: c } = this.#tables
    const until = this.#tables.in(this.#leaseMs)
    return sql`update ${workers} set ${c('seen')} = ${now}, ${c('until')} = ${until}, ${c('run')} = ${sql.val(this.#run ?? null)}${more} where ${c('id')} = ${sql.val(this.#id)}`
  }

  /** Inserts its row: it is new, or was taken for dead so long that its row was removed. */
  async #insert(): Promise<void> {
    if (this.#hasLeft) return
    const { workers, now } = this.#tables
    const run = sql.val(this.#run ?? null)
    const values = sql.join([sql.val(this.#id), now, this.#tables.in(this.#leaseMs), run, now], sql`, `)
    await this.#tables.change(
      sql`insert into ${workers} (${this.#tables.columns('id', 'seen', 'until', 'run', 'since')}) values (${values})`,
    )
  }
}

/** Deaths of workers that tried a run alone. */
export interface Deaths {
  readonly count: number
  /** The longest time for which one of them lived with the run, in milliseconds. */
  readonly livedMs: number
  /** When the last one of them was seen, in milliseconds of the database. */
  readonly last: number
}

const isDead = (tables: RunTables): Sql => sql`${tables.column('until')} <= ${tables.now}`

export async function deathsUnder(tables: RunTables, run: string): Promise<Deaths> {
  const { column: c } = tables
  const [row] = await tables.query(
    sql`select cast(count(*) as text) as ${c('count')}, cast(max(${c('seen')} - ${c('since')}) as text) as ${c('since')}, cast(max(${c('seen')}) as text) as ${c('seen')} from ${tables.workers} where ${c('run')} = ${sql.val(run)} and ${isDead(tables)}`,
  )
  if (!row) return { count: 0, livedMs: 0, last: 0 }
  return { count: numberIn(row, 'count'), livedMs: numberIn(row, 'since'), last: numberIn(row, 'seen') }
}

/** True if a worker has died since a moment that tried no run, or one which others have survived. */
export async function otherHasDied(tables: RunTables, since: number): Promise<boolean> {
  const { column: c } = tables
  const rows = await tables.query(
    sql`select 1 as ${c('found')} from ${tables.workers} where ${c('run')} is null and ${c('seen')} > ${sql.val(since)} and ${isDead(tables)} limit 1`,
  )
  return rows.length > 0
}

/** Notes that no worker has died of a run. */
export async function acquit(tables: RunTables, run: string): Promise<void> {
  const { column: c } = tables
  await tables.change(
    sql`update ${tables.workers} set ${c('run')} = null where ${c('run')} = ${sql.val(run)}`,
  )
}

/** Removes the rows of workers that died under a run, which is taken up again. */
export async function forgetDeaths(tables: RunTables, run: string): Promise<void> {
  const isOf = sql`${tables.column('run')} = ${sql.val(run)}`
  await tables.change(sql`delete from ${tables.workers} where ${isOf} and ${isDead(tables)}`)
}

/** Removes the rows of workers that died long ago, but those under runs that are set aside. */
export async function pruneWorkers(tables: RunTables): Promise<void> {
  const { column: c } = tables
  const isAside = sql`exists (select 1 from ${tables.runs} as r where r.${c('id')} = w.${c('run')} and r.${c('state')} = 'waiting')`
  await tables.change(
    sql`delete from ${tables.workers} as w where ${c('until')} < ${tables.in(-keptMs)} and not ${isAside}`,
  )
}

/** When there is something to do for workers, as it is known at one moment, in milliseconds of the database. */
export interface Outlook {
  readonly now: number
  /** When a run is due, or the lease of one ends. While a worker tries a run alone, or has died under one, that is now. */
  readonly next: number
}

/** The columns of an outlook. Each of its moments is the first entry of an index. */
function outlookColumns({ runs, workers, now, column: c }: RunTables): Sql {
  const due = sql`select min(${c('due')}) as ${c('due')} from ${runs} where ${c('state')} = 'ready'`
  const lease = sql`select min(${c('lease')}) from ${runs} where ${c('state')} = 'running'`
  const tried = sql`select 0 from ${workers} where ${c('run')} is not null`
  const next = sql`select min(${c('due')}) from (${due} union all ${lease} union all ${tried}) as d`
  return sql`cast(${now} as text) as ${c('now')}, cast((${next}) as text) as ${c('due')}`
}

const readOutlook = (row: Row): Outlook => ({
  now: Number(textIn(row, 'now')),
  next: Number(textIn(row, 'due') ?? Number.POSITIVE_INFINITY),
})

export async function lookOut(tables: RunTables): Promise<Outlook | undefined> {
  const [row] = await tables.query(sql`select ${outlookColumns(tables)}`)
  return row && readOutlook(row)
}
