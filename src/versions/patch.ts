// What promoting a version would write, row by row, as far as it is known without writing it.
import type { Engine } from '../engine.ts'
import { Hooks } from '../hooks.ts'
import { storedFieldsOf } from '../plan/complete.ts'
import type { Given } from '../plan/payload.ts'
import { readStored } from '../plan/stored-value.ts'
import { type ChildrenWrite, type ItemWrite, keyText } from '../plan/write-plan.ts'
import type { Options } from '../run/execute.ts'
import type { StoredField } from '../schema/model.ts'
import { deletes } from '../writes/children.ts'
import { gather } from '../writes/gather.ts'
import { numberNew } from '../writes/numbering.ts'
import { visibleKeys } from '../writes/permits.ts'
import { type Holder, holders } from '../writes/rows.ts'
import { newWriting, type Writing } from '../writes/writing.ts'
import { Patch, type PatchedRow } from './rows.ts'
import type { Subject } from './table.ts'

export async function patchOf(
  { collection, key }: Subject,
  delta: Given,
  engine: Engine,
  options: Options,
): Promise<Patch> {
  // Nothing is done, so nobody is asked.
  const ordinary = newWriting(engine, options)
  const writing = { ...ordinary, engine: { ...ordinary.engine, hooks: new Hooks<Engine>() } }
  const items = await gather(collection, [{ given: delta, key, path: [], action: 'update' }], writing)
  const patch = new Patch()
  // What would be refused is left out: a draft is read whatever has become of its surroundings.
  for (const item of items) await apply(item, patch, writing)
  return patch
}

async function apply(item: ItemWrite, patch: Patch, writing: Writing): Promise<PatchedRow | undefined> {
  const { collection, key, action, values } = item
  if (action === 'update' && key === undefined) return undefined
  const targets: [StoredField, PatchedRow][] = []
  for (const { field, item: target } of item.targets) {
    const row = await apply(target, patch, writing)
    if (row) targets.push([field, row])
  }
  const row =
    action === 'create' || key === undefined ? patch.create(collection, key) : patch.row(collection, key)
  if (action === 'create') setDefaults(item, patch, row)
  for (const [field, value] of values) patch.set(row, field, value)
  for (const [field, target] of targets) patch.link(row, field, target)
  for (const children of item.children) await applyChildren(children, row, patch, writing)
  return row
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
  owner: PatchedRow,
  patch: Patch,
  writing: Writing,
): Promise<void> {
  const { relation, items } = children
  const { foreign, sort, target } = relation
  const known = owner.isNew || owner.key === undefined ? [] : [owner.key]
  const all = [...(await holders(foreign, known, sort, writing)).values()].flat()
  const seen = await visibleKeys(
    target,
    all.map(({ key }) => key),
    writing,
  )
  const there = all.filter(({ key }) => seen.has(keyText(key)))
  const gone = new Set(takenOut(children, there))
  for (const { key } of there.filter((one) => gone.has(one))) {
    if (deletes(relation)) patch.remove(target, key)
    else patch.set(patch.row(target, key), foreign, null)
  }
  const kept = there.filter((one) => !gone.has(one))
  numberNew(relation, items, kept)
  for (const item of items) {
    const row = await apply(item, patch, writing)
    if (row) patch.link(row, foreign, owner)
  }
}

function takenOut({ isWhole, items, removed }: ChildrenWrite, there: readonly Holder[]): readonly Holder[] {
  const named = new Set(
    (isWhole ? items : removed).flatMap(({ key }) => (key === undefined ? [] : [keyText(key)])),
  )
  return there.filter(({ key }) => named.has(keyText(key)) !== isWhole)
}
