// Removes what is kept of runs that are over, by portions, so that nothing is loaded and nothing waits.
import { type Sql, sql } from '../../dialects/sql.ts'
import type { KeptRuns } from '../flow-options.ts'
import { requestMs } from './find-run.ts'
import { numberIn, textsIn } from './run-row.ts'
import type { RunTables } from './run-tables.ts'

const dayMs = 86_400_000
/** Rows of one portion. */
const portion = 500
/** Portions of one pass: the rest has time until the next one. */
const mostPortions = 200

const defaults = { days: 30, runs: 100_000, bytes: 1024 ** 3 } as const satisfies Required<KeptRuns>

/** Removes runs that are older than they are kept, and the oldest of too many. Returns their number. */
export async function pruneRuns(tables: RunTables, keep: KeptRuns = {}): Promise<number> {
  const { days, runs } = { ...defaults, ...keep }
  const { column: c } = tables
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

/** Removes results of the oldest runs until all results are small enough; the runs themselves are kept longer. It looks at every row, so it is
 *  not for each minute. */
export async function pruneResults(tables: RunTables, keep: KeptRuns = {}): Promise<void> {
  const { bytes } = { ...defaults, ...keep }
  const size = await sizeOfResults(tables)
  if (size > bytes) await removeResults(tables, size - bytes)
}

/** Removes definitions that were unused for as long as runs are kept, and with which no run began. */
export async function pruneDefinitions(tables: RunTables, keep: KeptRuns = {}): Promise<void> {
  const { days } = { ...defaults, ...keep }
  const { column: c } = tables
  // A process that uses one marks it each hour.
  const unused = sql`${c('created')} < ${tables.in(-Math.max(1, days) * dayMs)} and ${c('tick')} is null`
  await tables.change(
    sql`delete from ${tables.definitions} where ${unused} and ${c('hash')} not in (select ${c('definition')} from ${tables.runs})`,
  )
}

/** True for a run whose answer may still be asked for. */
function isRemovable(tables: RunTables): Sql {
  const { column: c } = tables
  // The run that started it reads its result.
  const isAwaited = sql`exists (select 1 from ${tables.runs} as p where p.${c('id')} = r.${c('parent')} and ${tables.isUnfinished(sql`p.`)})`
  return sql`${tables.column('ended')} is not null and not ${isAwaited} and (${tables.column('request')} is null or ${tables.column('created')} < ${tables.in(-requestMs)})`
}

async function removeWhere(tables: RunTables, where: Sql, most: number): Promise<number> {
  const { column: c } = tables
  const next = (removed: number) =>
    sql`select ${tables.texts('id')}, 1 as ${c('size')} from ${tables.runs} as r where ${where} and ${isRemovable(tables)} order by ${c('ended')} limit ${sql.val(Math.min(portion, most - removed))}`
  return inPortions(tables, { most, next }, async (inside, ids) => {
    const list = tables.list(ids)
    // One that was taken up meanwhile stays.
    const over = sql`select ${c('id')} from ${tables.runs} where ${c('id')} in (${list}) and ${c('ended')} is not null`
    const steps = await inside.write(
      sql`delete from ${tables.steps} where ${c('run')} in (${over}) returning ${tables.texts('id')}`,
    )
    await inside.change(
      sql`delete from ${tables.runs} where ${c('id')} in (${list}) and ${c('ended')} is not null`,
    )
    inside.tell('items.delete', 'runs', ids)
    const numbers = steps.map((row) => numberIn(row, 'id'))
    inside.tell('items.delete', 'steps', numbers)
  })
}

/** Prunes runs, a portion in each transaction, and returns the sum of their sizes. `next`: reads the ids and sizes of those that come next. */
async function inPortions(
  tables: RunTables,
  { most, next }: { readonly most: number; readonly next: (pruned: number) => Sql },
  prune: (inside: RunTables, ids: readonly string[]) => Promise<void>,
): Promise<number> {
  let pruned = 0
  for (let round = 0; round < mostPortions && pruned < most; round++) {
    const rows = await tables.query(next(pruned))
    if (rows.length === 0) break
    await tables.atomic((inside) => prune(inside, textsIn(rows)))
    for (const row of rows) pruned += numberIn(row, 'size')
    if (rows.length < portion) break
  }
  return pruned
}

const bytesIn = (tables: RunTables, names: readonly string[], alias = sql``): Sql =>
  sql.join(
    names.map((name) => sql`coalesce(length(cast(${alias}${tables.column(name)} as text)), 0)`),
    sql` + `,
  )

/** Returns the bytes of what runs have answered that are over. */
async function sizeOfResults(tables: RunTables): Promise<number> {
  const { column: c } = tables
  const ofRuns = bytesIn(tables, ['trigger', 'result', 'progress'])
  const ofSteps = bytesIn(tables, ['options', 'result'])
  const sizes = [
    sql`select coalesce(sum(${ofRuns}), 0) as ${c('size')} from ${tables.runs} where ${c('ended')} is not null`,
    sql`select coalesce(sum(${ofSteps}), 0) as ${c('size')} from ${tables.steps}`,
  ]
  let sum = 0
  for (const size of sizes) for (const row of await tables.query(size)) sum += numberIn(row, 'size')
  return sum
}

/** Removes what the oldest runs that succeeded have answered, until some bytes are free. */
async function removeResults(tables: RunTables, bytes: number): Promise<void> {
  const { column: c } = tables
  const oldest = sql`select ${tables.texts('id')}, ${bytesIn(tables, ['trigger', 'result'])} + (select coalesce(sum(${bytesIn(tables, ['options', 'result'], sql`s.`)}), 0) from ${tables.steps} as s where s.${c('run')} = r.${c('id')}) as ${c('size')} from ${tables.runs} as r where ${c('state')} = 'succeeded' and ${c('progress')} is not null and ${isRemovable(tables)} order by ${c('ended')} limit ${sql.val(portion)}`
  await inPortions(tables, { most: bytes, next: () => oldest }, async (inside, ids) => {
    const list = tables.list(ids)
    await inside.change(
      sql`update ${tables.steps} set ${c('options')} = null, ${c('result')} = null where ${c('run')} in (${list})`,
    )
    await inside.update(
      sql`${c('trigger')} = 'null', ${c('result')} = null, ${c('progress')} = null`,
      sql`${c('id')} in (${list})`,
    )
  })
}
