import type { Engine } from '../engine.ts'
import { execute, type Options } from '../run/execute.ts'
import type { Prepared } from '../run/prepare.ts'
import type { Row } from '../run/row.ts'
import { type Filled, fill } from '../run/template.ts'

/** How many rows there are, as far as it was asked. */
export interface Counted {
  readonly total: number
  readonly filtered: number
  readonly groups: number
}

/** The rows and the counts. Where there are several connections, neither waits for the other. */
export async function rowsAndCounts(
  engine: Engine,
  prepared: Prepared,
  options: Options,
  statement: Filled,
): Promise<readonly [rows: readonly Row[], counts: Counted]> {
  const { counts, beside } = prepared.template
  if (!counts) return [await execute(engine, statement, options), nothing]
  const counted = async () => countedIn(prepared, await first(engine, prepared, counts, options))
  if (engine.db !== engine.home || engine.dialect.hasOneConnection) {
    const rows = await execute(engine, statement, options)
    const [row] = rows
    if (!beside || !row || statement.sql !== prepared.template.rows.sql) return [rows, await counted()]
    const rest = beside.counts && (await first(engine, prepared, beside.counts, options))
    return [rows, { ...nothing, total: Number(rest?.[0] ?? 0), filtered: Number(row[beside.at]) }]
  }
  return Promise.all([execute(engine, statement, options), counted()])
}

const nothing: Counted = { total: 0, filtered: 0, groups: 0 }

async function first(
  engine: Engine,
  { answers }: Prepared,
  statement: Prepared['template']['rows'],
  options: Options,
): Promise<Row | undefined> {
  return (await execute(engine, fill(statement, answers), options))[0]
}

/** The columns of the counts, in the order in which they were asked for. */
function countedIn({ template }: Prepared, row: Row | undefined): Counted {
  const { meta, list } = template
  const isGrouped = list.rows.kind === 'groups'
  const asksPages = meta.includes('page_count')
  let at = 0
  const next = (isAsked: boolean) => (isAsked ? Number(row?.[at++]) : 0)
  return {
    total: next(meta.includes('total_count')),
    filtered: next(meta.includes('filter_count') || (asksPages && !isGrouped)),
    groups: next(asksPages && isGrouped),
  }
}
