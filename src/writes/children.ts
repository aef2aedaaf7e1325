// Takes children out of a relation: they are unlinked, or deleted where the relation says so.
import { fault } from '../errors.ts'
import type { Storable } from '../plan/stored-value.ts'
import { type ChildrenWrite, keyText } from '../plan/write-plan.ts'
import type { ToMany } from '../schema/model.ts'
import { updateStatement } from '../sql/write.ts'
import { keepingRules } from './breach.ts'
import { requireRows, visibleKeys } from './permits.ts'
import { deleteRows, holders, keysOf, missing } from './rows.ts'
import { ask, changeOf, remember, type Writing } from './writing.ts'

/** Children with the key of the item they hang on. */
export interface Owned extends ChildrenWrite {
  readonly owner: Storable
  readonly isOwnerNew: boolean
}

export async function takeOut(relation: ToMany, group: readonly Owned[], writing: Writing): Promise<void> {
  const affected = group.filter(
    ({ isWhole, removed, isOwnerNew }) => (isWhole && !isOwnerNew) || removed.length > 0,
  )
  if (affected.length === 0) return
  const there = await holders(
    relation.foreign,
    affected.map(({ owner }) => owner),
    undefined,
    writing,
  )
  const seen = await visibleKeys(
    relation.target,
    [...there.values()].flatMap((children) => children.map(({ key }) => key)),
    writing,
  )
  const named = writing.named.get(relation.target)
  const isHung = (key: string) => named?.get(key)?.has(relation.foreign) ?? false
  const gone = affected.flatMap((owned) => outOf(owned, there, seen, isHung))
  // Whoever is named elsewhere in the same call stays for that, though not in the relation.
  const stays = ({ key, isLeftOut }: Leaving) => isLeftOut && named?.has(keyText(key)) === true
  await (deletes(relation) ? removeAll : unlink)(relation, keysIn(gone.filter((one) => !stays(one))), writing)
  if (relation.foreign.isNullable) await unlink(relation, keysIn(gone.filter(stays)), writing)
}

const keysIn = (gone: readonly Leaving[]) => gone.map(({ key }) => key)

/** A junction's row without its owner joins nothing. */
export const deletes = ({ deselect, kind, foreign }: ToMany): boolean =>
  deselect === 'delete' || (kind !== 'o2m' && !foreign.isNullable)

interface Leaving {
  readonly key: Storable
  /** It is not in the new set; otherwise it is told by its key. */
  readonly isLeftOut: boolean
}

/** Which children of an owner go away. Whoever is hung anew by the same call is taken out by that. */
function outOf(
  { owner, isWhole, removed }: Owned,
  there: Awaited<ReturnType<typeof holders>>,
  seen: ReadonlySet<string>,
  isHung: (key: string) => boolean,
): readonly Leaving[] {
  const own = (there.get(keyText(owner)) ?? []).filter(({ key }) => seen.has(keyText(key)))
  if (isWhole) return own.flatMap(({ key }) => (isHung(keyText(key)) ? [] : [{ key, isLeftOut: true }]))
  const known = new Set(own.map(({ key }) => keyText(key)))
  for (const { key, path } of removed) if (!known.has(keyText(key))) throw missing(path)
  return removed.map(({ key }) => ({ key, isLeftOut: false }))
}

async function removeAll({ target }: ToMany, keys: readonly Storable[], writing: Writing): Promise<void> {
  if (keys.length === 0) return
  await requireRows(target, 'delete', keys, writing)
  const change = changeOf(writing, 'items.delete', target, keys)
  await ask(writing, change)
  await deleteRows(target, keys, writing)
  remember(writing, change)
}

async function unlink(
  { target, foreign, name }: ToMany,
  keys: readonly Storable[],
  writing: Writing,
): Promise<void> {
  if (keys.length === 0) return
  if (!foreign.isNullable)
    throw fault(
      'INVALID_PAYLOAD',
      `Items of "${target.name}" cannot be taken out of "${name}": their "${foreign.name}" may not be null.`,
      { hint: 'Delete them, or let the relation do so with deselect: "delete".' },
    )
  await requireRows(target, 'update', keys, writing, [foreign.name])
  const payload = { [foreign.name]: null }
  const statement = updateStatement(target, new Map([[foreign, null]]), keys, writing.engine.dialect)
  await keepingRules(target, undefined, writing, () => keysOf(statement, target, writing))
  remember(writing, changeOf(writing, 'items.update', target, keys, payload))
}
