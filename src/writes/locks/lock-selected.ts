// Locks rows that a list selects until the transaction ends, so that the list still selects them when they are written.

import type { RowUse } from '../../dialects/phrase-types.ts'
import { type Key, keyIdentity } from '../../plan/key.ts'
import type { ListPlan } from '../../plan/read-plan.ts'
import type { Collection } from '../../schema/model.ts'
import type { WriteContext } from '../write-context.ts'
import { lockVisible } from './lock-rows.ts'
import { matchingKeys, selectedKeys } from './select-keys.ts'

export interface LockedRows {
  readonly use: RowUse
  /** Reader of the list. By default the engine itself. */
  readonly reader?: Pick<WriteContext, 'engine' | 'options'>
  /** Runs hooks before the rows are locked. */
  readonly beforeLock?: (keys: readonly Key[]) => Promise<void>
}

/** Returns the keys of a list's rows. `collection`: that of the list, unlimited and not as it is visible to the reader. */
export async function lockSelectedKeys(
  list: ListPlan,
  collection: Collection,
  writing: WriteContext,
  { use, reader = writing, beforeLock }: LockedRows,
): Promise<readonly Key[]> {
  for (let before: string | undefined; ; ) {
    const keys = await selectedKeys(list, reader)
    await beforeLock?.(keys)
    if (!writing.engine.dialect.lockRows || keys.length === 0) return keys
    const locked = await lockVisible(collection, { keys, use }, writing)
    // A transaction that held a lock may have changed the rows, and then the list selects others.
    const still = await matchingKeys(list.collection, keys, list.condition, reader)
    const selected = keys.map(keyIdentity).join('\n')
    // A number or timestamp with more digits than results show is never found by its key.
    if ((still.size === keys.length && locked?.size === keys.length) || selected === before) return keys
    before = selected
  }
}
