// Removes children from a relation: they are unlinked, or deleted if the relation says so.

import { fault } from '../../errors/errors.ts'
import { type Key, keyIdentities, keyIdentity } from '../../plan/key.ts'
import { clearedParts } from '../../plan/write/reference-parts.ts'
import type { ChildrenWrite, ItemWrite, RemovedChild } from '../../plan/write/write-plan.ts'
import { isTuple, type ToMany } from '../../schema/model.ts'
import { missing } from '../context/named-key.ts'
import type { WriteContext } from '../context/write-context.ts'
import { deleteRows } from '../delete/delete-rows.ts'
import type { Holder } from '../stored/rows-by-key.ts'
import { updateRows } from '../update/update-rows.ts'

/** True if removed children are deleted. A junction row without its owner joins nothing. */
export const deletes = ({ deselect, kind, foreign }: ToMany): boolean =>
  deselect === 'delete' || (kind !== 'o2m' && !foreign.isNullable)

/** Current children by the text of their parent's key. */
export type Standing = ReadonlyMap<string, readonly Holder[]>

/** Current children, and the keys of those that are visible, as texts. */
interface SeenChildren {
  readonly there: Standing
  readonly seen: ReadonlySet<string>
}

/** Returns the visible children that leave an item. A child that the same call links elsewhere leaves by that. */
export function removedFrom(
  children: ChildrenWrite,
  owner: Key,
  { there, seen }: SeenChildren,
  { named: namedIn }: WriteContext,
): readonly RemovedChild[] {
  const { relation, isComplete, removed } = children
  const named = namedIn.get(relation.target)
  const own = (there.get(keyIdentity(owner)) ?? []).filter(({ key }) => seen.has(keyIdentity(key)))
  if (!isComplete) {
    const known = new Set(own.map(({ key }) => keyIdentity(key)))
    for (const { key, path } of removed) if (!known.has(keyIdentity(key))) throw missing(path)
    return removed.flatMap(({ key }) => removedChild(children, owner, key, deletes(relation)))
  }
  return own.flatMap(({ key }) => {
    const fields = named?.get(keyIdentity(key))
    if (fields?.has(relation.foreign)) return []
    // A child that is named elsewhere in the same call is not deleted, although it leaves the relation.
    if (fields && deletes(relation) && !relation.foreign.isNullable) return []
    return removedChild(children, owner, key, deletes(relation) && fields === undefined)
  })
}

function removedChild(
  { relation, path }: ChildrenWrite,
  owner: Key,
  key: Key,
  isDeleted: boolean,
): readonly RemovedChild[] {
  const { foreign, target, name } = relation
  if (isDeleted || foreign.isNullable) return [{ relation, owner, key, isDeleted, path }]
  throw fault(
    'INVALID_PAYLOAD',
    `Items of "${target.name}" cannot be taken out of "${name}": their "${foreign.name}" may not be null.`,
    { hint: 'Delete them, or let the relation do so with deselect: "delete".' },
  )
}

/** Returns the update that unlinks a child. */
export const unlinking = ({ relation: { target, foreign }, key, path }: RemovedChild): ItemWrite => ({
  collection: target,
  action: 'update',
  path,
  payload: { [foreign.name]: null },
  key,
  values: new Map((isTuple(foreign) ? clearedParts(foreign) : [foreign]).map((part) => [part, null])),
  increments: new Map(),
  refused: new Set(),
  targets: [],
  children: [],
  isLink: true,
  isAttached: true,
  named: [foreign.name],
  owner: foreign,
})

/** Removes children from some items, as planned. */
export async function removeFrom(
  relation: ToMany,
  owners: readonly Key[],
  writing: WriteContext,
): Promise<void> {
  const { removedChildren, unlinked } = writing
  const texts = keyIdentities(owners)
  const mine = removedChildren.filter((one) => one.relation === relation && texts.has(keyIdentity(one.owner)))
  const deleted = mine.filter(({ isDeleted }) => isDeleted).map(({ key }) => key)
  if (deleted.length > 0) await deleteRows(relation.target, deleted, writing)
  await updateRows(
    relation.target,
    mine.flatMap((one) => unlinked.get(one) ?? []),
    writing,
  )
}
