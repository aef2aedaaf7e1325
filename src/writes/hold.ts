import type { Storable } from '../plan/stored-value.ts'
import type { Collection } from '../schema/model.ts'
import { keysStatement } from '../sql/write.ts'
import { run } from './rows.ts'
import type { Writing } from './writing.ts'

/** Lets nobody else change a row until the transaction ends, so that what is read of it now is still so when it is written. */
export async function hold(collection: Collection, key: Storable, writing: Writing): Promise<void> {
  const { dialect } = writing.engine
  if (!dialect.holdRows) return
  const { sql, parameters } = keysStatement(collection, [key], dialect)
  await run(writing, { sql: dialect.holdRows(sql), parameters })
}
