// Checks before an answer is read: of the rows below its items, and of its bytes.
import type { Database, Options } from '../../execution/database.ts'
import type { Limits } from '../../query/limits.ts'
import type { PreparedRead } from '../prepare.ts'
import { checkNestedRows, countedAlready, needsRowCheck } from './check-nested-rows.ts'
import { checkResultBytes, needsByteCheck } from './check-result-bytes.ts'

type Bounded = Database & { readonly limits: Limits }

/** True if anything has to be looked at. */
export const needsCheck = (prepared: PreparedRead, database: Bounded): boolean =>
  needsRowCheck(prepared) || needsByteCheck(prepared, database)

/** Refuses an answer that would be too large. Returns the read with statements that do not count again what was counted. */
export async function checkResult(
  database: Bounded,
  prepared: PreparedRead,
  options: Options,
): Promise<PreparedRead> {
  const isCounted = needsRowCheck(prepared)
  if (isCounted) await checkNestedRows(database, prepared, options)
  if (needsByteCheck(prepared, database)) await checkResultBytes(database, prepared, options)
  return isCounted ? countedAlready(prepared) : prepared
}
