import type { EngineInternals } from '../../engine/engine.ts'
import type { Options } from '../../execution/database.ts'
import { execute, executeSoon } from '../../execution/execute.ts'
import type { BoundStatement } from '../../execution/statement.ts'
import { filledOf, type PreparedRead } from '../../prepared/prepare.ts'
import type { Row } from '../../rows/row.ts'
import type { CountStatement, Counts } from '../../sql/count-statement.ts'

export type Counted = Readonly<Partial<Record<keyof Counts, number>>>

export interface RowsAndCounts {
  readonly rows: readonly Row[]
  readonly counts: Counted
}

/** Reads the rows and the counts, in parallel if there are several connections. Without counts there is no promise if the database responds
 *  synchronously. */
export function readRowsAndCounts(
  engine: EngineInternals,
  prepared: PreparedRead,
  options: Options,
  statement: BoundStatement,
): RowsAndCounts | Promise<RowsAndCounts> {
  if (prepared.template.counts) return readBoth(engine, prepared, options, statement)
  const rows = executeSoon(engine, statement, options)
  return rows instanceof Promise ? rows.then((found) => ({ rows: found, counts: {} })) : { rows, counts: {} }
}

async function readBoth(
  engine: EngineInternals,
  prepared: PreparedRead,
  options: Options,
  statement: BoundStatement,
): Promise<RowsAndCounts> {
  const { counts, beside } = prepared.template
  if (engine.db !== engine.home || engine.dialect.hasOneConnection) {
    const rows = await execute(engine, statement, options)
    const [row] = rows
    if (!beside || !row) return { rows, counts: await count(counts) }
    return { rows, counts: { ...(await count(beside.counts)), filtered: Number(row[beside.at]) } }
  }
  const [rows, counted] = await Promise.all([execute(engine, statement, options), count(counts)])
  return { rows, counts: counted }

  async function count(requested: CountStatement | undefined): Promise<Counted> {
    if (!requested) return {}
    const [row] = await execute(engine, filledOf(prepared, requested), options)
    return Object.fromEntries(requested.counted.map((name, index) => [name, Number(row?.[index])]))
  }
}
