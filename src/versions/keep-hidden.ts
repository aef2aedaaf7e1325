// Saves changes in a version, and keeps the parts of relations in the delta that are hidden from the caller.

import type { EngineInternals } from '../engine/engine.ts'
import type { Options } from '../execution/database.ts'
import { keyIdentity } from '../plan/key.ts'
import type { ItemData } from '../plan/write/changes.ts'
import { targetIn } from '../plan/write/mask-secrets.ts'
import { type AnyReference, isToMany, type ManyToOne } from '../schema/model.ts'
import { mask } from '../types/hash.ts'
import { isRecord } from '../values/guards.ts'
import { newWriteContext } from '../writes/context/write-context.ts'
import { type Keeping, keepChildren, withKey } from './keep-hidden-children.ts'
import type { VersionedItem } from './version-rows.ts'
import { itemAt, nothing, rootOf, visibilityOf } from './visible-delta.ts'
import type { ItemNamed, VisibleFields } from './visible-fields.ts'

/** Returns the changes, merged with the hidden parts of the same relations. */
export async function keepHidden(
  subject: VersionedItem,
  { before, changes }: { readonly before: ItemData; readonly changes: ItemData },
  engine: EngineInternals,
  options: Options,
): Promise<ItemData> {
  const root = rootOf(subject, before)
  const keeping: Keeping = {
    visible: await visibilityOf(root, engine, options),
    writing: newWriteContext(engine, options),
    item: (item, payload, fields) => itemWith(item, payload, fields, keeping),
  }
  // Fields of the item itself that are not named are not saved again.
  return valuesWith(root, changes, keeping)
}

/** Returns the saved data of an item, merged with the hidden part of the delta. */
async function itemWith(
  item: ItemNamed,
  payload: ItemData,
  fields: VisibleFields,
  keeping: Keeping,
): Promise<ItemData> {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(item.payload)) {
    if (payload[name] !== undefined) continue
    const field = fields.get(name) && item.collection.fields.get(name)
    const rest = !field
      ? value
      : isToMany(field)
        ? await keepChildren(item, field, undefined, keeping)
        : undefined
    if (rest !== undefined) kept[name] = rest
  }
  return { ...kept, ...(await valuesWith(item, payload, keeping)) }
}

async function valuesWith(item: ItemNamed, payload: ItemData, keeping: Keeping): Promise<ItemData> {
  const values: Record<string, unknown> = {}
  for (const name of Object.keys(payload)) {
    const kept = await valueWith(item, name, payload, keeping)
    if (kept !== undefined) values[name] = kept
  }
  return values
}

async function valueWith(
  item: ItemNamed,
  name: string,
  payload: ItemData,
  keeping: Keeping,
): Promise<unknown> {
  const { [name]: value } = payload
  const field = item.collection.fields.get(name)
  if (!field) return value
  // A form sends back the mask that it was shown.
  if (field.kind === 'scalar') return field.isConcealed && value === mask ? item.payload[name] : value
  if (isToMany(field)) return keepChildren(item, field, value, keeping)
  return targetWith(item, field, payload, keeping)
}

/** Returns a related item: the same merged with its hidden part, or another one in its place. */
async function targetWith(
  { payload: before }: ItemNamed,
  field: ManyToOne | AnyReference,
  payload: ItemData,
  { visible, item }: Keeping,
): Promise<unknown> {
  const { [field.name]: value } = payload
  const was = before[field.name]
  const target = targetIn(field, before)
  const wanted = targetIn(field, { ...before, ...payload })
  if (!target || target !== wanted || !isRecord(was) || value === null) return value
  const [old, now] = [itemAt(was, { target }), itemAt(value, { target })]
  const fields = visible.fieldsIn(old)
  const isSame =
    old.key === undefined
      ? now.key === undefined && fields !== undefined
      : now.key !== undefined && keyIdentity(old.key) === keyIdentity(now.key)
  if (!isSame) return value
  return withKey(value, old, await item(old, now.payload, fields ?? nothing))
}
