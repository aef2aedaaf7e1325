// Counts the rows below the items of a result before they are read, if there may be too many.

import type { Database, Options } from '../execution/database.ts'
import { execute } from '../execution/execute.ts'
import { refuseExcess } from './nested-row-limit.ts'
import { filledOf, mayBeTooMany, type PreparedRead } from './prepare.ts'

/** True if the rows below have to be counted before those of a page are read. */
export const needsRowCheck = (prepared: PreparedRead): boolean =>
  prepared.template.below?.counts !== undefined && mayBeTooMany(prepared)

/** Refuses a read with too many rows below its items. */
export async function checkNestedRows(
  database: Database,
  prepared: PreparedRead,
  options: Options,
): Promise<void> {
  const { below } = prepared.template
  if (!below?.counts) return
  const [row] = await execute(database, filledOf(prepared, below.counts), options)
  refuseExcess(below, row)
}
