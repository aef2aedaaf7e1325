// Hash of an item, which changes when the item does: it shows whether a version is outdated.

import type { EngineInternals } from '../engine/engine.ts'
import type { Options } from '../execution/database.ts'
import { always } from '../plan/filter/predicate.ts'
import { isOneOf, orderBy, valueMember, wholeList } from '../plan/read/by-key.ts'
import { childrenOf } from '../plan/read/child-lists.ts'
import type { ListPlan, Member } from '../plan/read/read-plan.ts'
import { type Field, isToMany, keyFieldsOf } from '../schema/model.ts'
import { createHash } from '../values/from-node.ts'
import { isRecord } from '../values/guards.ts'
import { nobody } from '../vocabulary/variables.ts'
import { missing } from '../writes/context/named-key.ts'
import { rowsOf } from '../writes/stored/select-keys.ts'
import type { VersionedItem } from './version-rows.ts'

/** Returns SHA-256 over the item's own fields and the keys of all related items. Items created below an item change its hash, so a version
 *  that creates items cannot be promoted twice unnoticed. */
export async function mainHashOf(
  { collection, key }: VersionedItem,
  engine: EngineInternals,
  options: Options,
): Promise<string> {
  const members = [...collection.fields.values()].map(memberOf)
  const list = wholeList(collection, isOneOf(collection, [key]), members)
  // The hash is the same for all callers, whatever is visible to them.
  const [item] = await rowsOf(list, { engine: engine.whole(), options })
  if (item === undefined) throw missing()
  return createHash('sha256').update(canonicalJson(item)).digest('hex')
}

function memberOf(field: Field): Member {
  if (!isToMany(field)) return valueMember(field.name, field)
  const { target, name } = field
  const list: ListPlan = {
    ...wholeList(target, always),
    children: { ...childrenOf(field, nobody), within: undefined },
    order: orderBy(keyFieldsOf(target)),
    rows: { kind: 'keys' },
    place: name,
  }
  return { kind: 'many', name, list }
}

/** Returns JSON with sorted names, as databases keep them in different orders. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, one: unknown) =>
    isRecord(one)
      ? Object.fromEntries(Object.entries(one).sort(([left], [right]) => (left < right ? -1 : 1)))
      : one,
  )
}
