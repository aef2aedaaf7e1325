// Rows that change: those that get the same values go together in one statement.
import type { Storable } from '../plan/stored-value.ts'
import { type ItemWrite, keyText } from '../plan/write-plan.ts'
import type { Collection } from '../schema/model.ts'
import { updateStatement, type Values } from '../sql/write.ts'
import { keepingRules, pathOf } from './breach.ts'
import { danglingField } from './dangling.ts'
import { dropEchoes } from './echoes.ts'
import { grouped } from './grouped.ts'
import { keyOf, keysOf, whyNone } from './rows.ts'
import { keyed, refuseShared } from './shared-keys.ts'
import type { Writing } from './writing.ts'

/** Changes the rows of items that exist. */
export async function updateRows(
  collection: Collection,
  items: readonly ItemWrite[],
  writing: Writing,
): Promise<void> {
  await dropEchoes(collection, items, writing)
  const changed = items.filter(({ values }) => values.size > 0)
  for (const part of withoutRepetition(changed))
    for (const group of grouped(part, ({ values }) => valuesText(values)).values())
      await updateAlike(collection, group, writing)
}

/** Parts in which each item stands once: what is said of an item later has to be done later. */
function withoutRepetition(items: readonly ItemWrite[]): readonly (readonly ItemWrite[])[] {
  const parts: ItemWrite[][] = []
  const seen = new Set<string>()
  for (const item of items) {
    const key = keyText(keyOf(item))
    const part = seen.has(key) ? undefined : parts.at(-1)
    if (part) part.push(item)
    else {
      parts.push([item])
      seen.clear()
    }
    seen.add(key)
  }
  return parts
}

/** Changes items that get the same values. */
async function updateAlike(
  collection: Collection,
  group: readonly ItemWrite[],
  writing: Writing,
): Promise<void> {
  const [first] = group
  if (!first) return
  const keys = group.map(keyOf)
  const statement = updateStatement(collection, first.values, keyed(keys, writing), writing.engine.dialect)
  const found = await keepingRules(
    collection,
    pathOf(group),
    writing,
    () => keysOf(statement, collection, writing),
    () => danglingField([first.values], writing),
  )
  refuseShared(found, keys, collection)
  // Somebody may have deleted it since it was looked up.
  if (found.length < keys.length) throw await whyNone(collection, keyOf(first), writing, first.path)
  // The database may call it otherwise than the caller did, where it takes two texts for the same.
  if (group.length === 1) first.key = found[0]
}

/** The same text for equal values of equal fields. */
export function valuesText(values: Values): string {
  return [...values].map(([{ name }, value]) => `${name}=${typeof value} ${plainText(value)}`).join('\n')
}

const plainText = (value: Storable | null) =>
  JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? `${one}n` : one))
