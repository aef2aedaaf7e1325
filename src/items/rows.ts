import type { Engine } from '../engine.ts'
import { execute, type Options } from '../run/execute.ts'
import type { Row } from '../run/mapper.ts'
import type { Prepared } from '../run/prepare.ts'
import { type Filled, fill } from '../run/template.ts'

/** The rows and the counts. Where there are several connections, neither waits for the other. */
export async function rowsAndCounts(
  engine: Engine,
  { template, answers }: Prepared,
  options: Options,
  statement: Filled,
): Promise<readonly [rows: readonly Row[], counts: Row | undefined]> {
  if (!template.counts) return [await execute(engine, statement, options), undefined]
  const counting = fill(template.counts, answers)
  if (engine.db !== engine.home || engine.dialect.hasOneConnection) {
    const rows = await execute(engine, statement, options)
    return [rows, (await execute(engine, counting, options))[0]]
  }
  const [rows, [counts]] = await Promise.all([
    execute(engine, statement, options),
    execute(engine, counting, options),
  ])
  return [rows, counts]
}
