import type { Storable } from '../plan/stored-value.ts'
import type { Collection } from '../schema/model.ts'
import { keysStatement } from '../sql/write.ts'
import { run } from './rows.ts'
import type { Writing } from './writing.ts'

/** Lets nobody else change some rows until the transaction ends, so that what is read of them now is still so when they are written. */
export async function hold(
  collection: Collection,
  keys: readonly Storable[],
  writing: Writing,
): Promise<void> {
  const { dialect } = writing.engine
  if (!dialect.holdRows || keys.length === 0) return
  const { sql, parameters } = keysStatement(collection, keys, dialect)
  await run(writing, { sql: dialect.holdRows(sql), parameters })
}
