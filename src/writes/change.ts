// Rows that a list shows, changed alike.
import type { Given } from '../plan/payload.ts'
import type { ListPlan } from '../plan/read-plan.ts'
import type { Storable } from '../plan/stored-value.ts'
import { keyText } from '../plan/write-plan.ts'
import type { Collection } from '../schema/model.ts'
import { type Affected, type Caution, refuseMore, told } from './affected.ts'
import { chosenKeys } from './chosen.ts'
import type { Intent } from './decide.ts'
import { heldKeys } from './held.ts'
import { carryOut, type Prepared, prepare, rehearse, write } from './write.ts'
import { newWriting, type Writing } from './writing.ts'

/** So many items are gathered at a time. */
const most = 5_000

export async function changeChosen(
  collection: Collection,
  list: ListPlan,
  given: Given,
  writing: Writing,
  caution: Caution,
): Promise<Affected> {
  const intentOf = (key: Storable) => ({ given, key, path: [], action: 'update' as const })
  if (caution.dryRun) {
    const keys = await chosenKeys(list, readerOf(writing))
    refuseMore(keys.length, caution)
    for (const part of parts(keys)) await rehearse(collection, part.map(intentOf), writing)
    return told(collection, keys)
  }
  const keys = takesTime(collection, given, writing)
    ? await changePrepared(collection, list, intentOf, writing, caution)
    : await changeHeld(collection, list, intentOf, writing, caution)
  return told(collection, keys)
}

type IntentOf = (key: Storable) => Intent

async function changeHeld(
  collection: Collection,
  list: ListPlan,
  intentOf: IntentOf,
  writing: Writing,
  caution: Caution,
): Promise<readonly Storable[]> {
  const keys = await heldKeys(list, collection, writing, { use: 'change', reader: readerOf(writing) })
  refuseMore(keys.length, caution)
  for (const part of parts(keys)) await write(collection, part.map(intentOf), writing)
  return keys
}

/** Changes items that hooks are asked about before they are held. Whoever has to wait may then find others, and hooks are asked about these. */
async function changePrepared(
  collection: Collection,
  list: ListPlan,
  intentOf: IntentOf,
  writing: Writing,
  caution: Caution,
): Promise<readonly Storable[]> {
  let prepared: readonly Prepared[] = []
  let preparedFor: string | undefined
  const ask = async (keys: readonly Storable[]) => {
    refuseMore(keys.length, caution)
    const names = keys.map(keyText).join('\n')
    if (names === preparedFor) return
    const { caller, options, occasion } = writing
    const anew = { ...newWriting(caller, options), occasion }
    const made: Prepared[] = []
    for (const part of parts(keys)) made.push(await prepare(collection, part.map(intentOf), anew))
    prepared = made
    preparedFor = names
  }
  const holding = { use: 'change', reader: readerOf(writing), ask } as const
  const keys = await heldKeys(list, collection, writing, holding)
  for (const part of prepared) await carryOut(part)
  return keys
}

const readerOf = ({ caller, options }: Writing) => ({ engine: caller, options })

function parts(keys: readonly Storable[]): readonly (readonly Storable[])[] {
  const starts = Array.from({ length: Math.ceil(keys.length / most) }, (_, at) => at * most)
  return starts.map((from) => keys.slice(from, from + most))
}

/** Whether hooks are asked, or secrets hashed, of which there may be some in what is nested. Nobody is to wait for that. */
function takesTime({ fields }: Collection, given: Given, { engine: { hooks } }: Writing): boolean {
  if (hooks.areAskedOfWrites) return true
  return Object.entries(given).some(([name, value]) => {
    const field = fields.get(name)
    return typeof value === 'object' || (field?.kind === 'scalar' && field.value.family === 'hash')
  })
}
