// Removes what is kept of runs that are over, by portions, so that nothing is loaded and nothing waits.
import { type Sql, sql } from '../../dialects/sql.ts'
import { tellWritten } from '../../writes/announce.ts'
import type { KeptRuns } from '../flow-options.ts'
import { requestMs } from './find-run.ts'
import { numberIn, type RunTables, textIn } from './run-tables.ts'

const dayMs = 86_400_000
/** Rows of one portion. */
const portion = 500
/** Portions of one pass: the rest has time until the next one. */
const mostPortions = 200

const defaults = { days: 30, runs: 100_000, bytes: 1024 ** 3 } as const satisfies Required<KeptRuns>

/** Removes runs that are older than they are kept, and the oldest of too many. Returns their number. */
export async function pruneRuns(tables: RunTables, keep: KeptRuns = {}): Promise<number> {
  const { days, runs } = { ...defaults, ...keep }
  const c = (name: string) => tables.column(name)
  let removed = await removeWhere(
    tables,
    sql`${c('ended')} < ${tables.in(-days * dayMs)}`,
    Number.POSITIVE_INFINITY,
  )
  const [over] = await tables.query(
    sql`select count(*) as ${c('count')} from ${tables.runs} where ${c('ended')} is not null`,
  )
  const count = over ? numberIn(over, 'count') : 0
  if (count > runs)
    removed += await removeWhere(
      tables,
      sql`${c('state')} in ('succeeded', 'cancelled', 'skipped')`,
      count - runs,
    )
  return removed
}

/** Removes what the oldest runs have answered, as far as all of it is too large: that they have run is known longer. It looks at every row, so
 *  it is not for each minute. */
export async function pruneResults(tables: RunTables, keep: KeptRuns = {}): Promise<void> {
  const { bytes } = { ...defaults, ...keep }
  const size = await sizeOf(tables)
  if (size > bytes) await removeResults(tables, size - bytes)
}

/** Removes definitions that nobody has used for as long as runs are kept, and by which no run began. */
export async function pruneDefinitions(tables: RunTables, keep: KeptRuns = {}): Promise<void> {
  const { days } = { ...defaults, ...keep }
  const c = (name: string) => tables.column(name)
  // Whoever uses one says so each hour.
  const unused = sql`${c('created')} < ${tables.in(-Math.max(1, days) * dayMs)} and ${c('tick')} is null`
  await tables.change(
    sql`delete from ${tables.definitions} where ${unused} and ${c('hash')} not in (select ${c('definition')} from ${tables.runs})`,
  )
}

/** True for a run whose answer may still be asked for. */
function isRemovable(tables: RunTables): Sql {
  const c = (name: string) => tables.column(name)
  // Whoever has started a run asks for what it has answered.
  const isAwaited = sql`exists (select 1 from ${tables.runs} as p where p.${c('id')} = r.${c('parent')} and ${tables.isUnfinished(sql`p.`)})`
  return sql`${tables.column('ended')} is not null and not ${isAwaited} and (${tables.column('request')} is null or ${tables.column('created')} < ${tables.in(-requestMs)})`
}

async function removeWhere(tables: RunTables, where: Sql, most: number): Promise<number> {
  const c = (name: string) => tables.column(name)
  let removed = 0
  for (let round = 0; round < mostPortions && removed < most; round++) {
    const found = await tables.query(
      sql`select ${tables.texts('id')} from ${tables.runs} as r where ${where} and ${isRemovable(tables)} order by ${c('ended')} limit ${sql.val(Math.min(portion, most - removed))}`,
    )
    const ids = found.flatMap((row) => textIn(row, 'id') ?? [])
    if (ids.length === 0) break
    const list = tables.list(ids)
    await tables.engine.atomic(async (inside) => {
      // One that was taken up meanwhile stays.
      const over = sql`select ${c('id')} from ${tables.runs} where ${c('id')} in (${list}) and ${c('ended')} is not null`
      const steps = await tables.write(
        sql`delete from ${tables.steps} where ${c('run')} in (${over}) returning ${tables.texts('id')}`,
        inside,
      )
      await tables.change(
        sql`delete from ${tables.runs} where ${c('id')} in (${list}) and ${c('ended')} is not null`,
        inside,
      )
      tellWritten(inside, 'items.delete', tables.collections.runs, ids)
      tellWritten(
        inside,
        'items.delete',
        tables.collections.steps,
        steps.map((row) => numberIn(row, 'id')),
      )
    }, {})
    removed += ids.length
    if (ids.length < portion) break
  }
  return removed
}

const sized = ['trigger', 'result', 'progress'] as const

/** Returns the bytes of what runs have answered that are over. */
async function sizeOf(tables: RunTables): Promise<number> {
  const c = (name: string) => tables.column(name)
  const lengthOf = (name: string) => sql`coalesce(length(cast(${c(name)} as text)), 0)`
  const [runs] = await tables.query(
    sql`select coalesce(sum(${sql.join(sized.map(lengthOf), sql` + `)}), 0) as ${c('size')} from ${tables.runs} where ${c('ended')} is not null`,
  )
  const [steps] = await tables.query(
    sql`select coalesce(sum(${lengthOf('options')} + ${lengthOf('result')}), 0) as ${c('size')} from ${tables.steps}`,
  )
  return (runs ? numberIn(runs, 'size') : 0) + (steps ? numberIn(steps, 'size') : 0)
}

/** Removes what the oldest runs that succeeded have answered, until some bytes are free. */
async function removeResults(tables: RunTables, bytes: number): Promise<void> {
  const c = (name: string) => tables.column(name)
  let freed = 0
  for (let round = 0; round < mostPortions && freed < bytes; round++) {
    const found = await tables.query(
      sql`select ${tables.texts('id')}, coalesce(length(cast(${c('trigger')} as text)), 0) + coalesce(length(cast(${c('result')} as text)), 0) + (select coalesce(sum(coalesce(length(cast(s.${c('options')} as text)), 0) + coalesce(length(cast(s.${c('result')} as text)), 0)), 0) from ${tables.steps} as s where s.${c('run')} = r.${c('id')}) as ${c('size')} from ${tables.runs} as r where ${c('state')} = 'succeeded' and ${c('progress')} is not null and ${isRemovable(tables)} order by ${c('ended')} limit ${sql.val(portion)}`,
    )
    const ids = found.flatMap((row) => textIn(row, 'id') ?? [])
    if (ids.length === 0) break
    const list = tables.list(ids)
    await tables.engine.atomic(async (inside) => {
      await tables.change(
        sql`update ${tables.steps} set ${c('options')} = null, ${c('result')} = null where ${c('run')} in (${list})`,
        inside,
      )
      await tables.change(
        sql`update ${tables.runs} set ${c('trigger')} = 'null', ${c('result')} = null, ${c('progress')} = null where ${c('id')} in (${list})`,
        inside,
      )
      tellWritten(inside, 'items.update', tables.collections.runs, ids)
    }, {})
    freed += found.reduce((sum, row) => sum + numberIn(row, 'size'), 0)
  }
}
