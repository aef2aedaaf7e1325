// The writes of a promotion, row by row, where they are known without being performed.

import type { Engine, EngineInternals } from '../../engine/engine.ts'
import { Hooks } from '../../engine/hooks.ts'
import { Problems } from '../../errors/problems.ts'
import type { Options } from '../../execution/database.ts'
import { type Key, keyIdentities, keyIdentity, keyInItem, readKey } from '../../plan/key.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { storedFieldsOf, withDefaults } from '../../plan/write/defaults.ts'
import { readPayload } from '../../plan/write/payload.ts'
import { readStored } from '../../plan/write/stored-value.ts'
import type { ChildrenWrite, ItemWrite } from '../../plan/write/write-plan.ts'
import { type Collection, isByValue, type ManyToOne, type OwnField } from '../../schema/model.ts'
import { isLinkRead } from '../../writes/authorize/linked-values.ts'
import { visibleItems } from '../../writes/authorize/visible-keys.ts'
import { keysWithin } from '../../writes/authorize/within.ts'
import { deletes } from '../../writes/children/removed-children.ts'
import { numberNew } from '../../writes/children/sort-field.ts'
import { newWriteContext, type WriteContext } from '../../writes/context/write-context.ts'
import { planWrites } from '../../writes/plan-writes.ts'
import { childrenOfItems, heldByWrites } from '../../writes/stored/held-values.ts'
import type { Holder } from '../../writes/stored/rows-by-key.ts'
import type { VersionedItem } from '../version-rows.ts'
import { newRow, type OverlayRow } from './overlay-row.ts'
import { emptyNeed } from './required-data.ts'
import { Patch, type PatchedRow } from './row-changes.ts'

export async function patchOf(
  { collection, key }: VersionedItem,
  delta: ItemData,
  engine: EngineInternals,
  options: Options,
): Promise<Patch> {
  // Nothing is written, so no hooks run.
  const ordinary = newWriteContext(engine, options)
  const writing = { ...ordinary, engine: { ...ordinary.engine, hooks: new Hooks<Engine>() } }
  const items = await planWrites(collection, [{ payload: delta, key, path: [], action: 'update' }], writing)
  const patch = new Patch()
  // Mistakes are left out: a draft can be read even if related items have changed since.
  for (const item of items) await apply(item, patch, writing)
  return patch
}

export interface ItemOfDelta {
  readonly collection: Collection
  readonly key: Key | undefined
  readonly payload: ItemData
  /** The relation by which it refers to the item around it, and that item. */
  readonly owner?:
    | { readonly field: ManyToOne; readonly collection: Collection; readonly key: Key | undefined }
    | undefined
}

/** Returns the row that an item of a delta would create, with the values that are known before it is stored. */
export function rowOfNew(
  { collection, key, payload, owner }: ItemOfDelta,
  { moment }: WriteContext,
): OverlayRow {
  const patch = new Patch()
  const row = patch.create(collection, key)
  const place = { collection, path: [], problems: new Problems('INVALID_PAYLOAD'), isKeyed: false }
  const read = readPayload(payload, place)
  const fills = { isLink: false, isAttached: false, owner: owner?.field, action: 'create', path: [] } as const
  withDefaults({ ...read, ...fills, collection }, moment, place.problems)
  // A key that is made on creation is another one each time.
  for (const [field, value] of read.values)
    if (!field.isKey || payload[field.name] !== undefined) patch.set(row, field, value)
  const links = read.targets.map(({ field, collection: of, payload: item }) => ({
    field,
    collection: of,
    key: readKey(of, keyInItem(of, item)),
  }))
  for (const link of owner ? [...links, owner] : links)
    patch.link(row, link.field, new Patch().create(link.collection, link.key))
  return newRow(row, emptyNeed())
}

async function apply(item: ItemWrite, patch: Patch, writing: WriteContext): Promise<PatchedRow | undefined> {
  const { collection, key, action, values } = item
  if (action === 'update' && key === undefined) return undefined
  const targets: [OwnField, PatchedRow, Key | undefined][] = []
  for (const { field, item: target } of item.targets) {
    const row = await apply(target, patch, writing)
    if (row)
      targets.push([field, row, field.kind === 'm2o' ? await heldOfItem(field, target, writing) : undefined])
  }
  const row =
    action === 'create' || key === undefined ? patch.create(collection, key) : patch.row(collection, key)
  if (action === 'create') setDefaults(item, patch, row)
  for (const [field, value] of values) patch.set(row, field, value)
  for (const [field, target, held] of targets) patch.link(row, field, target, held)
  for (const children of item.children) {
    const held = await heldOfItem(children.relation.foreign, item, writing)
    await applyChildren(children, { row, held }, patch, writing)
  }
  return row
}

/** Returns what a relation holds of an item in place of its key, where it is known and may be shown. */
async function heldOfItem(
  field: ManyToOne,
  from: ItemWrite,
  writing: WriteContext,
): Promise<Key | undefined> {
  if (!isByValue(field) || !(await isLinkRead({ from, field }, writing))) return undefined
  const [held] = await heldByWrites(field, [from], writing)
  return held?.after ?? undefined
}

function setDefaults({ collection }: ItemWrite, patch: Patch, row: PatchedRow): void {
  for (const field of storedFieldsOf(collection)) {
    const read =
      field.default === undefined || field.default === null ? undefined : readStored(field, field.default)
    if (read?.kind === 'value') patch.set(row, field, read.value)
  }
}

async function applyChildren(
  children: ChildrenWrite,
  { row: owner, held }: { readonly row: PatchedRow; readonly held: Key | undefined },
  patch: Patch,
  writing: WriteContext,
): Promise<void> {
  const { relation, items } = children
  const { foreign, sort, target } = relation
  const known = owner.isNew || owner.key === undefined ? [] : [owner.key]
  const all = [...(await childrenOfItems(foreign, known, sort, writing)).values()].flat()
  const seen = await keysWithin(
    relation,
    all.map(({ key }) => key),
    writing,
  )
  const there = all.filter(({ key }) => seen.has(keyIdentity(key)))
  const removed = await visibleItems(
    target,
    children.removed.map(({ key }) => key),
    writing,
  )
  const gone = new Set(takenOut(children, removed, there))
  for (const { key } of there.filter((one) => gone.has(one))) {
    if (deletes(relation)) patch.remove(target, key)
    else patch.set(patch.row(target, key), foreign, null)
  }
  const kept = there.filter((one) => !gone.has(one))
  numberNew(relation, items, kept)
  for (const item of items) {
    const row = await apply(item, patch, writing)
    if (row) patch.link(row, foreign, owner, held)
  }
}

/** `removed`: the keys that are taken out, as the rows spell them. */
function takenOut(
  { isComplete, items }: ChildrenWrite,
  removed: ReadonlyMap<string, Key>,
  there: readonly Holder[],
): readonly Holder[] {
  const keys = isComplete
    ? items.flatMap(({ key }) => (key === undefined ? [] : [key]))
    : [...removed.values()]
  const named = keyIdentities(keys)
  return there.filter(({ key }) => named.has(keyIdentity(key)) !== isComplete)
}
