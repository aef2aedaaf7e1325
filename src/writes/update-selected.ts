// Updates the rows that a list selects, all alike.

import type { ItemData } from '../plan/changes.ts'
import { type Key, keyIdentity } from '../plan/key.ts'
import type { ListPlan } from '../plan/read-plan.ts'
import type { Collection } from '../schema/model.ts'
import { type Affected, affectedResult, type Caution, refuseTooMany } from './affected-rows.ts'
import type { Intent } from './create-or-update.ts'
import { lockSelectedKeys } from './lock-selected.ts'
import { selectedKeys } from './select-keys.ts'
import { carryOut, type PreparedWrite, prepare, rehearse, write } from './write.ts'
import { newWriteContext, type WriteContext } from './write-context.ts'

/** Maximum number of items that are gathered at a time. */
const most = 5_000

export async function updateSelected(
  collection: Collection,
  list: ListPlan,
  given: ItemData,
  writing: WriteContext,
  caution: Caution,
): Promise<Affected> {
  const intentOf = (key: Key) => ({ given, key, path: [], action: 'update' as const })
  if (caution.dryRun) {
    const keys = await selectedKeys(list, readerOf(writing))
    refuseTooMany(keys.length, caution)
    for (const part of parts(keys)) await rehearse(collection, part.map(intentOf), writing)
    return affectedResult(collection, keys)
  }
  const keys = takesTime(collection, given, writing)
    ? await changePrepared(collection, list, intentOf, writing, caution)
    : await changeHeld(collection, list, intentOf, writing, caution)
  return affectedResult(collection, keys)
}

type IntentOf = (key: Key) => Intent

async function changeHeld(
  collection: Collection,
  list: ListPlan,
  intentOf: IntentOf,
  writing: WriteContext,
  caution: Caution,
): Promise<readonly Key[]> {
  const keys = await lockSelectedKeys(list, collection, writing, { use: 'change', reader: readerOf(writing) })
  refuseTooMany(keys.length, caution)
  for (const part of parts(keys)) await write(collection, part.map(intentOf), writing)
  return keys
}

/** Updates items, running the hooks before the lock. After waiting for a lock the list may select others, for which the hooks run then. */
async function changePrepared(
  collection: Collection,
  list: ListPlan,
  intentOf: IntentOf,
  writing: WriteContext,
  caution: Caution,
): Promise<readonly Key[]> {
  let prepared: readonly PreparedWrite[] = []
  let preparedFor: string | undefined
  const ask = async (keys: readonly Key[]) => {
    refuseTooMany(keys.length, caution)
    const names = keys.map(keyIdentity).join('\n')
    if (names === preparedFor) return
    const { caller, options, occasion } = writing
    const anew = { ...newWriteContext(caller, options), occasion }
    const made: PreparedWrite[] = []
    for (const part of parts(keys)) made.push(await prepare(collection, part.map(intentOf), anew))
    prepared = made
    preparedFor = names
  }
  const holding = { use: 'change', reader: readerOf(writing), ask } as const
  const keys = await lockSelectedKeys(list, collection, writing, holding)
  for (const part of prepared) await carryOut(part)
  return keys
}

const readerOf = ({ caller, options }: WriteContext) => ({ engine: caller, options })

function parts(keys: readonly Key[]): readonly (readonly Key[])[] {
  const starts = Array.from({ length: Math.ceil(keys.length / most) }, (_, at) => at * most)
  return starts.map((from) => keys.slice(from, from + most))
}

/** True if hooks run or secrets are hashed, possibly for nested items. No other transaction should wait for that. */
function takesTime({ fields }: Collection, given: ItemData, { engine: { hooks } }: WriteContext): boolean {
  if (hooks.areAskedOfWrites) return true
  return Object.entries(given).some(([name, value]) => {
    const field = fields.get(name)
    return typeof value === 'object' || (field?.kind === 'scalar' && field.value.family === 'hash')
  })
}
