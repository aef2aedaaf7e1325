// Updates the rows that a list selects, all alike.

import { type Key, keyIdentity } from '../plan/key.ts'
import type { ItemData } from '../plan/write/changes.ts'
import type { Collection } from '../schema/model.ts'
import { newWriteContext, type WriteContext } from './context/write-context.ts'
import type { Intent } from './create-or-update.ts'
import { type Affected, affectedResult, type BulkBounds, refuseTooMany } from './lists/affected-rows.ts'
import { lockSelectedKeys, withSelected } from './stored/lock-selected.ts'
import { selectedKeys } from './stored/select-keys.ts'
import type { ListUpdate } from './update/update-whole.ts'
import { executeWrite, type PreparedWrite, prepareWrite, rehearse, write } from './write.ts'

/** Maximum number of items that are gathered at a time. */
const most = 5_000

export async function updateSelected(
  change: ListUpdate,
  writing: WriteContext,
  bounds: BulkBounds,
): Promise<Affected> {
  const { collection, payload } = change
  const update = bounds.dryRun
    ? rehearseUpdate
    : takesTime(collection, payload, writing)
      ? updatePrepared
      : updateLocked
  return affectedResult(collection, await update(change, writing, bounds))
}

/** Reports what an update would be refused for, and changes nothing. */
async function rehearseUpdate(
  { collection, list, payload }: ListUpdate,
  writing: WriteContext,
  bounds: BulkBounds,
): Promise<readonly Key[]> {
  const keys = await selectedKeys(list, readerOf(writing))
  refuseTooMany(keys.length, bounds)
  for (const intents of batches(keys, payload)) await rehearse(collection, intents, writing)
  return keys
}

async function updateLocked(
  { collection, list, payload }: ListUpdate,
  writing: WriteContext,
  bounds: BulkBounds,
): Promise<readonly Key[]> {
  const { caller, options, moment } = writing
  const locking = { use: 'change', reader: readerOf(writing), most } as const
  const updateAll = async (keys: readonly Key[]) => {
    refuseTooMany(keys.length, bounds)
    const anew = { ...newWriteContext(caller, options), moment }
    for (const intents of batches(keys, payload)) await write(collection, intents, anew)
    return keys
  }
  // Once the first of several batches is written, nothing is tried again.
  return withSelected({ list, collection }, writing, locking, updateAll)
}

/** Updates items, running the hooks before the lock. After waiting for a lock the list may select others, for which the hooks run then. */
async function updatePrepared(
  { collection, list, payload }: ListUpdate,
  writing: WriteContext,
  bounds: BulkBounds,
): Promise<readonly Key[]> {
  let prepared: readonly PreparedWrite[] = []
  let preparedFor: string | undefined
  const beforeLock = async (keys: readonly Key[]) => {
    refuseTooMany(keys.length, bounds)
    const names = keys.map(keyIdentity).join('\n')
    if (names === preparedFor) return
    prepared = await prepareAll(collection, batches(keys, payload), writing)
    preparedFor = names
  }
  const locking = { use: 'change', reader: readerOf(writing), beforeLock } as const
  const keys = await lockSelectedKeys(list, collection, writing, locking)
  for (const batch of prepared) await executeWrite(batch)
  return keys
}

async function prepareAll(
  collection: Collection,
  batched: readonly (readonly Intent[])[],
  { caller, options, moment }: WriteContext,
): Promise<readonly PreparedWrite[]> {
  const writing = { ...newWriteContext(caller, options), moment }
  const prepared: PreparedWrite[] = []
  for (const intents of batched) prepared.push(await prepareWrite(collection, intents, writing))
  return prepared
}

const readerOf = ({ caller, options }: WriteContext) => ({ engine: caller, options })

/** Returns the updates of the items with some keys, as many at a time as are gathered. */
function batches(keys: readonly Key[], payload: ItemData): readonly (readonly Intent[])[] {
  const starts = Array.from({ length: Math.ceil(keys.length / most) }, (_, at) => at * most)
  return starts.map((from) =>
    keys.slice(from, from + most).map((key) => ({ payload, key, path: [], action: 'update' as const })),
  )
}

/** True if hooks run or secrets are hashed, possibly for nested items. No other transaction should wait for that. */
function takesTime({ fields }: Collection, payload: ItemData, { engine: { hooks } }: WriteContext): boolean {
  if (hooks.runOnWrites) return true
  return Object.entries(payload).some(([name, value]) => {
    const field = fields.get(name)
    return typeof value === 'object' || (field?.kind === 'scalar' && field.value.family === 'hash')
  })
}
