// Rows chosen by a list, and held until the transaction ends: when they are written they still are what they were chosen for.
import type { ListPlan } from '../plan/read-plan.ts'
import type { Storable } from '../plan/stored-value.ts'
import { keyText } from '../plan/write-plan.ts'
import type { Collection } from '../schema/model.ts'
import { chosenKeys, matchingKeys } from './chosen.ts'
import { hold } from './hold.ts'
import type { Writing } from './writing.ts'

/** The keys of a list's rows. `collection`: that of the list, as it is and not as the reader sees it. */
export async function heldKeys(
  list: ListPlan,
  collection: Collection,
  writing: Writing,
  reader: Pick<Writing, 'engine' | 'options'> = writing,
): Promise<readonly Storable[]> {
  for (let before: string | undefined; ; ) {
    const keys = await chosenKeys(list, reader)
    if (!writing.engine.dialect.holdRows || keys.length === 0) return keys
    await hold(collection, keys, writing)
    // Whoever was waited for may have changed them, and then the list shows others.
    const still = await matchingKeys(list.collection, keys, list.condition, reader)
    const chosen = keys.map(keyText).join('\n')
    // A number or a moment finer than answers show it is never found by its key.
    if (still.size === keys.length || chosen === before) return keys
    before = chosen
  }
}
