// Pages of a list in an order that no index has. Each page would sort all rows anew, so the keys are sorted once, and the rows read by them.

import type { Database, Options } from '../execution/database.ts'
import { execute } from '../execution/execute.ts'
import { planSteps } from '../execution/plan-steps.ts'
import { storedKey } from '../plan/key.ts'
import { keyName } from '../plan/read/by-key.ts'
import type { ListPlan } from '../plan/read/read-plan.ts'
import type { Row } from '../rows/row.ts'
import type { Setting } from '../sql/frame.ts'
import { JsonElements } from '../values/json-elements.ts'
import type { Chunking } from './cursor-stream.ts'
import type { KeysetPages, PassedRows } from './keyset-pages.ts'
import { refuseExcess } from './nested-row-limit.ts'
import { RowsByKeys } from './rows-by-keys.ts'

/** Keys that are held at a time. Those of a million rows take some ten megabytes; of more rows, each million is sorted once. */
const mostKeys = 1_000_000

/** True if the database would sort for the next page, and for each behind it. */
export async function isSortedAnew(
  pages: KeysetPages,
  database: Database,
  options: Options,
): Promise<boolean> {
  const { streaming } = database.dialect
  if (streaming.kind !== 'pages' || !streaming.sorts) return false
  const { sorts } = streaming
  return (await planSteps(database, pages.next(1), options)).some(sorts)
}

/** Yields the next rows of a part of the order, up to a million. Some of them may be gone by then. Returns undefined if the database cannot write
 *  their keys. */
export async function* chunksByKeys(
  list: ListPlan,
  { rows: longest, counted }: Chunking,
  pages: KeysetPages,
  left: number,
  database: Database & Setting,
  options: Options,
): AsyncGenerator<readonly unknown[], PassedRows | undefined> {
  const most = Math.min(left, mostKeys)
  const sorted = pages.keys(most)
  if (!sorted) return undefined
  const [row] = await execute(database, sorted, options)
  const keys = new JsonElements(String(row?.[0]))
  const byKeys = new RowsByKeys(list, counted, database)
  let passed = 0
  let last: Row | undefined
  for (;;) {
    const some = keys.take(longest).map((item) => storedKey(list.collection, Object(item)[keyName]))
    if (some.length === 0) break
    const counts = byKeys.counts(some)
    if (counted && counts) refuseExcess(counted, (await execute(database, counts, options))[0])
    const rows = await execute(database, byKeys.rows(some), options)
    if (rows.length > 0) yield rows.map((one) => byKeys.mapper(one, undefined))
    last = rows.at(-1) ?? last
    passed += some.length
  }
  const isFull = passed === most
  if (last && isFull) pages.pass(last, byKeys.bookmarks)
  return { rows: passed, isFull }
}
