// Rows that a list shows, changed alike.
import type { Given } from '../plan/payload.ts'
import type { ListPlan } from '../plan/read-plan.ts'
import type { Storable } from '../plan/stored-value.ts'
import type { Collection } from '../schema/model.ts'
import { type Affected, type Caution, refuseMore, told } from './affected.ts'
import { chosenKeys } from './chosen.ts'
import { heldKeys } from './held.ts'
import { rehearse, write } from './write.ts'
import type { Writing } from './writing.ts'

/** So many items are gathered at a time. */
const most = 5_000

export async function changeChosen(
  collection: Collection,
  list: ListPlan,
  given: Given,
  writing: Writing,
  caution: Caution,
): Promise<Affected> {
  const reader = { engine: writing.caller, options: writing.options }
  const keys = await (caution.dryRun
    ? chosenKeys(list, reader)
    : heldKeys(list, collection, writing, { use: 'change', reader }))
  refuseMore(keys.length, caution)
  const intentOf = (key: Storable) => ({ given, key, path: [], action: 'update' as const })
  if (caution.dryRun) {
    for (let from = 0; from < keys.length; from += most)
      await rehearse(collection, keys.slice(from, from + most).map(intentOf), writing)
    return told(collection, keys)
  }
  for (let from = 0; from < keys.length; from += most)
    await write(collection, keys.slice(from, from + most).map(intentOf), writing)
  return told(collection, keys)
}
