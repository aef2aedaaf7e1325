// Stores the gathered items: first the targets of an item, then the item, then its children. Items of one collection are stored together,
// so that the number of statements does not depend on their number.

import { type Key, keyIdentity, keyToText } from '../plan/key.ts'
import { setParts } from '../plan/write/reference-parts.ts'
import { type ChildrenWrite, type ItemWrite, isTouched } from '../plan/write/write-plan.ts'
import { type Collection, keyFieldsOf, type ManyToOne, type StoredField } from '../schema/model.ts'
import { insertStatement } from '../sql/write/insert-statement.ts'
import { withConstraintErrors } from './authorize/constraint-error.ts'
import { attachChild } from './children/attach-child.ts'
import { removeFrom } from './children/removed-children.ts'
import { hasNoPlace, numberNew } from './children/sort-field.ts'
import { batchesOf, batchSize } from './context/batches.ts'
import { groupBy } from './context/group-by.ts'
import { inHalves } from './context/in-halves.ts'
import type { WriteContext } from './context/write-context.ts'
import { deleteVersionsOf } from './delete/delete-versions.ts'
import { countOn } from './insert/count-on.ts'
import { insertedKeys } from './insert/keys-by-statement.ts'
import { announceStored } from './stored/announce.ts'
import { childrenOfItems, heldValues, nothingHeld } from './stored/held-values.ts'
import { missingTargetField } from './stored/missing-target.ts'
import { keyOfItem, pathOf, requireEach } from './stored/rows-by-key.ts'
import { updateRows } from './update/update-rows.ts'

/** Ends an attempt of an upsert: others have written meanwhile what it found, or found missing. All of it is undone, and tried again. */
export class LostRace extends Error {}

export async function store(items: readonly ItemWrite[], writing: WriteContext): Promise<void> {
  if (items.length === 0) return
  for (const [collection, group] of groupBy(items, (item) => item.collection))
    await storeAlike(collection, group, writing)
}

async function storeAlike(
  collection: Collection,
  items: readonly ItemWrite[],
  writing: WriteContext,
): Promise<void> {
  await storeTargets(items, writing)
  await insert(
    collection,
    items.filter(({ action }) => action === 'create'),
    writing,
  )
  await updateRows(
    collection,
    items.filter((item) => item.action === 'update' && isTouched(item)),
    writing,
  )
  await announceStored(collection, items, writing)
  await storeChildren(items, writing)
}

async function storeTargets(items: readonly ItemWrite[], writing: WriteContext): Promise<void> {
  const all = items.flatMap((of) => of.targets.map((target) => ({ ...target, of })))
  await store(
    all.map(({ item }) => item),
    writing,
  )
  for (const [field, group] of groupBy(all, (one) => one.field)) {
    const keys = group.map(({ item }) => keyOfItem(item))
    const held = field.kind === 'm2o' ? await heldValues(field, keys, writing) : undefined
    for (const { item, of } of group)
      if (field.kind === 'any') of.values.set(field, keyToText(item.collection, keyOfItem(item)))
      else refer(of, field, held?.get(keyIdentity(keyOfItem(item))), writing)
  }
  writing.problems.throwIfAny()
}

/** Sets the fields of an item that refer to another. */
function refer(
  of: ItemWrite,
  field: ManyToOne,
  held: Key | null | undefined,
  { problems }: WriteContext,
): void {
  const path = [...of.path, field.name]
  if (held === null || held === undefined) problems.report(nothingHeld(field, path))
  else setParts(field, held, of.values, { key: of.key, path, problems, isKeyed: of.action === 'update' })
}

async function insert(
  collection: Collection,
  items: readonly ItemWrite[],
  writing: WriteContext,
): Promise<void> {
  for (const alike of runs(items)) {
    const [first] = alike
    const fields = first ? [...first.values.keys()] : []
    const most = isTellable(collection, fields, writing) ? batchSize(fields.length) : 1
    for (const [from, until] of batchesOf(alike.length, most))
      await inHalves(
        alike.slice(from, until),
        (some, inside) => insertRows(collection, fields, some, inside),
        writing,
      )
  }
}

/** True if each of many rows can be matched with its key: keys are given, or counted up in the order of the rows. */
function isTellable(
  collection: Collection,
  fields: readonly StoredField[],
  { engine: { dialect } }: WriteContext,
): boolean {
  if (keyFieldsOf(collection).every((field) => fields.includes(field))) return true
  return (
    fields.length > 0 && collection.key?.value.family === 'integer' && dialect.returning.insert !== undefined
  )
}

/** Splits items into runs with values of the same fields: the database fills in fields that a row does not name, so the rows of one
 *  statement name the same. */
function runs(items: readonly ItemWrite[]): readonly (readonly ItemWrite[])[] {
  const found: ItemWrite[][] = []
  let last: string | undefined
  for (const item of items) {
    const names = [item.isUnlessThere ? '?' : '', ...[...item.values.keys()].map(({ name }) => name)].join(
      '\n',
    )
    if (names === last) found.at(-1)?.push(item)
    else found.push([item])
    last = names
  }
  return found
}

async function insertRows(
  collection: Collection,
  fields: readonly StoredField[],
  items: readonly ItemWrite[],
  writing: WriteContext,
): Promise<void> {
  const { dialect } = writing.engine
  const mayBeThere = items.some(({ isUnlessThere }) => isUnlessThere) && dialect.unlessThere !== undefined
  const rows = items.map(({ values }) => values)
  const statement = insertStatement({ collection, fields, isUnlessThere: mayBeThere }, rows, dialect)
  const keys = await withConstraintErrors(
    { collection, path: pathOf(items), dangling: () => missingTargetField(collection, rows, writing) },
    writing,
    () => insertedKeys(statement, collection, rows, writing),
  )
  if (mayBeThere && keys.length < items.length) throw new LostRace()
  requireEach(keys, collection, items)
  // The column or a trigger may change even a key that was given.
  for (const [at, item] of items.entries()) item.key = keys[at]
  await countOn(collection, fields, keys, writing)
  await deleteVersionsOf(collection, keys, writing)
}

async function storeChildren(items: readonly ItemWrite[], writing: WriteContext): Promise<void> {
  const all = items.flatMap((item) =>
    item.children.map((children) => ({
      ...children,
      owner: keyOfItem(item),
      // A new item has no children yet.
      isOwnerNew: item.action === 'create',
    })),
  )
  for (const [relation, group] of groupBy(all, (one) => one.relation)) {
    const owners = group.map(({ owner }) => owner)
    const held = await heldValues(relation.foreign, owners, writing)
    for (const { items: children, owner } of group)
      for (const child of children) attachHeld(child, relation.foreign, held.get(keyIdentity(owner)), writing)
    writing.problems.throwIfAny()
    await removeFrom(relation, owners, writing)
    await number(relation, group, writing)
    await store(
      group.flatMap(({ items: children }) => children),
      writing,
    )
  }
}

function attachHeld(
  child: ItemWrite,
  foreign: ManyToOne,
  held: Key | null | undefined,
  { problems }: WriteContext,
): void {
  if (held === null || held === undefined) problems.report(nothingHeld(foreign, child.path))
  else attachChild(child, foreign, held)
}

/** Children with the key of their parent. */
interface OwnedChildren extends ChildrenWrite {
  readonly owner: Key
  readonly isOwnerNew: boolean
}

/** Numbers the new children of all owners, whose other children are looked up together. */
async function number(
  relation: ChildrenWrite['relation'],
  group: readonly OwnedChildren[],
  writing: WriteContext,
): Promise<void> {
  const { sort, foreign } = relation
  if (sort?.value.family !== 'integer') return
  const owners = group
    .filter(({ items, isOwnerNew }) => !isOwnerNew && items.some((item) => hasNoPlace(item, sort)))
    .map(({ owner }) => owner)
  const there = await childrenOfItems(foreign, owners, sort, writing)
  for (const { items, owner } of group) numberNew(relation, items, there.get(keyIdentity(owner)) ?? [])
}
