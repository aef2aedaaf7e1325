// Finds the items of an upsert that exist and are visible to the caller, by the values of some fields.

import type { RuleRead } from '../../access/rules.ts'
import type { EngineError } from '../../errors/errors.ts'
import { forgetUniqueness } from '../../execution/uniqueness.ts'
import type { Predicate } from '../../plan/filter/predicate.ts'
import { ownTouches } from '../../plan/filter/validate-row.ts'
import { type Key, keyIdentities, keyIdentity } from '../../plan/key.ts'

import type { Collection } from '../../schema/model.ts'
import { matchingRows } from '../authorize/visible-keys.ts'
import { rulesFor } from '../authorize/writable-fields.ts'
import { permissionsOf, type WriteContext } from '../context/write-context.ts'
import { holders } from '../stored/rows-by-key.ts'
import { matchingKeys } from '../stored/select-keys.ts'
import { notUnique, type OnFields } from './on-fields.ts'
import { twice, type UpsertItem } from './on-values.ts'

/** Items of a collection, and how they are found. */
export interface Upsert {
  readonly collection: Collection
  readonly on: OnFields
  readonly items: readonly UpsertItem[]
  /** The condition under which one that exists is updated, on the collection as its caller sees it. Absent = always. */
  readonly where?: Predicate | undefined
}

/** The items of an upsert that exist. */
export interface FoundItems {
  /** The key of each item, if it exists and is visible. */
  readonly keys: readonly (Key | undefined)[]
  /** True if there are items that are not visible: to create them again is refused. */
  readonly hasHidden: boolean
  /** The texts of the keys of those that are left as they are. */
  readonly unchanged: ReadonlySet<string>
}

/** Finds items, without locking any. */
export async function findItems(upsert: Upsert, writing: WriteContext): Promise<FoundItems> {
  const { on, collection, items, where } = upsert
  const stored = await storedKeys(upsert, writing)
  const keys = stored.filter((key) => key !== undefined)
  const visible = await visibleBy(upsert, keys, writing)
  const found = stored.map((key) => (key !== undefined && visible.has(keyIdentity(key)) ? key : undefined))
  refuseTwice(on, items, found)
  const hasHidden = visible.size < keyIdentities(keys).size
  if (!where || visible.size === 0) return { keys: found, hasHidden, unchanged: new Set() }
  const seen = permissionsOf(writing)?.seen.of.get(collection) ?? collection
  const { caller: engine, options } = writing
  const met = await matchingKeys(seen, keys, where, { engine, options })
  return { keys: found, hasHidden, unchanged: new Set([...visible].filter((key) => !met.has(key))) }
}

/** Returns the key of each item that exists, whether its caller sees it or not. */
export async function storedKeys(
  { on, collection, items }: Upsert,
  writing: WriteContext,
): Promise<readonly (Key | undefined)[]> {
  const values = items.map((item) => item.on)
  const rows = await holders(on.together, values, undefined, writing)
  return values.map((value) => {
    const [row, ...others] = rows.get(keyIdentity(value)) ?? []
    if (others.length > 0) throw noLongerUnique(on, collection, writing)
    return row?.key
  })
}

/** Returns the error for fields whose index is gone since the database was asked. */
function noLongerUnique(
  { fields, names }: OnFields,
  collection: Collection,
  { engine }: WriteContext,
): EngineError {
  forgetUniqueness(
    collection,
    fields.map(({ column }) => column),
    engine,
  )
  return notUnique(collection, [...names])
}

/** Returns those of some keys whose items show the caller all fields by which they are found, and that their condition names. */
async function visibleBy(
  { on, collection, where }: Upsert,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<ReadonlySet<string>> {
  const permissions = permissionsOf(writing)
  if (!permissions || keys.length === 0) return keyIdentities(keys)
  const names = [...on.names, ...(where ? namesIn(where) : [])]
  const reading = rulesFor(permissions, collection, 'read').filter(({ fields }) =>
    names.some((name) => fields.has(name)),
  )
  const matching = await matchingRows(collection, reading, keys, writing)
  const shows = (rule: RuleRead, name: string, identity: string) =>
    rule.fields.has(name) && matching.get(rule)?.has(identity)
  const isVisible = (identity: string) =>
    names.every((name) => reading.some((rule) => shows(rule, name, identity)))
  return new Set([...keyIdentities(keys)].filter(isVisible))
}

/** Returns the names of an item's own fields in a condition on it. */
const namesIn = (where: Predicate): readonly string[] =>
  ownTouches(where).flatMap((touch) =>
    touch.kind === 'children' ? (touch.children.name ?? []) : touch.field.name,
  )

/** Refuses items for which the database finds the same row, though their values are other texts. */
function refuseTwice(
  { names }: OnFields,
  items: readonly UpsertItem[],
  keys: readonly (Key | undefined)[],
): void {
  const identities = new Set<string>()
  for (const [at, key] of keys.entries()) {
    const identity = key && keyIdentity(key)
    if (identity === undefined) continue
    if (identities.has(identity)) throw twice(names, items[at]?.path ?? [])
    identities.add(identity)
  }
}
