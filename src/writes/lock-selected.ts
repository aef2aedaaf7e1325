// Rows chosen by a list, and held until the transaction ends: when they are written they still are what they were chosen for.
import type { RowUse } from '../dialects/phrase-types.ts'
import type { ListPlan } from '../plan/read-plan.ts'
import type { Storable } from '../plan/stored-value.ts'
import { keyText } from '../plan/write-plan.ts'
import type { Collection } from '../schema/model.ts'
import { lockVisible } from './lock-rows.ts'
import { matchingKeys, selectedKeys } from './select-keys.ts'
import type { WriteContext } from './write-context.ts'

export interface LockedRows {
  readonly use: RowUse
  /** Whose list it is; the engine's own unless it is said otherwise. */
  readonly reader?: Pick<WriteContext, 'engine' | 'options'>
  /** Calls hooks about rows before they are held. */
  readonly ask?: (keys: readonly Storable[]) => Promise<void>
}

/** The keys of a list's rows. `collection`: that of the list, as it is and not as the reader sees it. */
export async function lockSelectedKeys(
  list: ListPlan,
  collection: Collection,
  writing: WriteContext,
  { use, reader = writing, ask }: LockedRows,
): Promise<readonly Storable[]> {
  for (let before: string | undefined; ; ) {
    const keys = await selectedKeys(list, reader)
    await ask?.(keys)
    if (!writing.engine.dialect.holdRows || keys.length === 0) return keys
    const held = await lockVisible(collection, { keys, use }, writing)
    // Whoever was waited for may have changed them, and then the list shows others.
    const still = await matchingKeys(list.collection, keys, list.condition, reader)
    const chosen = keys.map(keyText).join('\n')
    // A number or a moment finer than answers show it is never found by its key.
    if ((still.size === keys.length && held?.size === keys.length) || chosen === before) return keys
    before = chosen
  }
}
