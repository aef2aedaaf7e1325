import type { Engine } from '../engine.ts'
import { execute, executeSoon, type Options } from '../run/execute.ts'
import { filledOf, type Prepared } from '../run/prepare.ts'
import type { Row } from '../run/row.ts'
import { next, type Soon } from '../run/soon.ts'
import type { Filled } from '../run/template.ts'
import type { CountStatement, Counts } from '../sql/statement.ts'

/** How many rows there are, as far as it was asked. */
export type Counted = Readonly<Partial<Record<keyof Counts, number>>>

type RowsAndCounts = readonly [rows: readonly Row[], counts: Counted]

/** The rows and the counts. Where there are several connections, neither waits for the other. */
export function rowsAndCounts(
  engine: Engine,
  prepared: Prepared,
  options: Options,
  statement: Filled,
): Soon<RowsAndCounts> {
  const { counts } = prepared.template
  if (!counts) return next(executeSoon(engine, statement, options), (rows) => [rows, {}])
  return bothOf(counts, engine, prepared, options, statement)
}

async function bothOf(
  counts: CountStatement,
  engine: Engine,
  prepared: Prepared,
  options: Options,
  statement: Filled,
): Promise<RowsAndCounts> {
  const { beside } = prepared.template
  if (engine.db !== engine.home || engine.dialect.hasOneConnection) {
    const rows = await execute(engine, statement, options)
    const [row] = rows
    if (!beside || !row) return [rows, await count(counts)]
    return [rows, { ...(await count(beside.counts)), filtered: Number(row[beside.at]) }]
  }
  return Promise.all([execute(engine, statement, options), count(counts)])

  async function count(asked: CountStatement | undefined): Promise<Counted> {
    if (!asked) return {}
    const [row] = await execute(engine, filledOf(prepared, asked), options)
    return Object.fromEntries(asked.counted.map((name, index) => [name, Number(row?.[index])]))
  }
}
