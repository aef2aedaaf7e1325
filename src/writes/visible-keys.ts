// Checks what of a collection is visible to a caller and may be changed, before anything is written.

import type { Action } from '../access/access.ts'
import { type Limited, rulePredicate } from '../access/caller-scope.ts'
import type { RuleRead } from '../access/rules.ts'
import type { EngineInternals } from '../engine/engine.ts'
import { fault, type Path } from '../errors/errors.ts'
import type { Problems } from '../errors/problems.ts'
import { isOneOf, wholeList } from '../plan/by-key.ts'
import type { ItemData } from '../plan/changes.ts'
import { type Key, keyIdentities, keyIdentity, requireKey } from '../plan/key.ts'
import { isAlways } from '../plan/predicate.ts'
import { noField, rootCollection } from '../plan/resolve-name.ts'
import { type Collection, type Field, isToMany } from '../schema/model.ts'
import { existing, missing } from './rows-by-key.ts'
import { matchingKeys, selectedKeys } from './select-keys.ts'
import { circumstancesOf, limitsOf, type WriteContext } from './write-context.ts'

/** Returns the collection of a write. A collection that is not visible does not exist for the caller, unless they may create items in
 *  it. */
export function writtenCollection(
  engine: EngineInternals,
  name: string,
  ...wanted: readonly Action[]
): Collection {
  const collection = namedCollection(engine, name, wanted)
  requireKey(collection)
  return collection
}

function namedCollection(engine: EngineInternals, name: string, wanted: readonly Action[]): Collection {
  const limits = engine.narrowing?.limits
  if (!limits) return rootCollection(engine.schema, name)
  // The schema of the rules does not include the engine's own collections.
  const collection = engine.whole().schema.collections.get(name)
  if (!collection || limits.seen.apart.has(collection)) return rootCollection(engine.schema, name)
  const granted = wanted.filter((action) => rulesFor(limits, collection, action).length > 0)
  const isSeen = engine.schema.collections.has(name)
  if (!isSeen && !granted.includes('create')) return rootCollection(engine.schema, name)
  if (granted.length === 0) throw forbidden([], wanted[0] ?? 'read', `items of "${name}"`)
  return collection
}

export const forbidden = (path: Path, action: Action, what = 'this item') =>
  fault('FORBIDDEN', `You may not ${action} ${what}.`, { path: path.length > 0 ? path : undefined })

export function rulesFor({ grants }: Limited, collection: Collection, action: Action): readonly RuleRead[] {
  return grants.get(collection)?.[action] ?? []
}

/** Returns those of some items that are visible to the caller, by the texts of their keys. */
export async function visibleKeys(
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<ReadonlySet<string>> {
  const limits = limitsOf(writing)
  if (!limits) return existing(collection, keys, writing)
  const seen = collection.isSeen ? collection : limits.seen.of.get(collection)
  if (!seen || keys.length === 0) return new Set()
  const list = wholeList(seen, isOneOf(seen, keys))
  const found = await selectedKeys(list, { engine: writing.caller, options: writing.options })
  return keyIdentities(found)
}

/** Gate that filters a payload by what its writer may write. */
export interface Gate {
  /** Refuses names that no rule allows, as if there were no such fields, and returns them. */
  readonly refuse: (
    collection: Collection,
    action: Action,
    names: readonly string[],
    path: Path,
    problems: Problems,
  ) => ReadonlySet<string>
  readonly reaches?: (collection: Collection) => boolean
}

export function gateOf({ narrowing }: EngineInternals): Gate {
  const limits = narrowing?.limits
  if (!limits) return { refuse: () => nothing }
  const reaches = (collection: Collection) => isReached(limits, collection)
  const allowed = new Map<string, ReadonlySet<string>>()
  const allowedIn = (collection: Collection, action: Action) => {
    const title = `${action} ${collection.name}`
    const found = allowed.get(title) ?? namesAllowed(limits, collection, action)
    allowed.set(title, found)
    return found
  }
  return {
    reaches,
    refuse: (collection, action, names, path, problems) => {
      // A read of a version names visible fields; whether they may be written is checked when the version is promoted.
      if (collection.isSeen) return nothing
      const legal = allowedIn(collection, action)
      const refused = names.filter((name) => !legal.has(name))
      for (const name of refused) {
        const at = [...path, name]
        problems.reportMade(() => noField(among(collection, legal), name, at), at)
      }
      return refused.length === 0 ? nothing : new Set(refused)
    },
  }
}

const nothing: ReadonlySet<string> = new Set()

/** Returns the fields of a collection that a caller may write. */
export function writtenFields(
  { narrowing }: EngineInternals,
  collection: Collection,
  action: Action,
): Pick<Collection, 'name' | 'fields'> {
  const limits = narrowing?.limits
  return limits ? among(collection, namesAllowed(limits, collection, action)) : collection
}

/** True if a collection exists for a caller, even if they may only create items in it. */
function isReached(limits: Limited, collection: Collection): boolean {
  const { seen } = limits
  if (seen.apart.has(collection)) return false
  return (
    collection.isSeen === true ||
    seen.of.has(collection) ||
    (['create', 'update'] as const).some((action) => rulesFor(limits, collection, action).length > 0)
  )
}

/** Returns the fields that any rule allows to be written, without relations to many that lead nowhere. */
function namesAllowed(limits: Limited, collection: Collection, action: Action): ReadonlySet<string> {
  const names = rulesFor(limits, collection, action).flatMap(({ fields }) => [...fields])
  return new Set(
    names.filter((name) => {
      const field = collection.fields.get(name)
      return field && (!isToMany(field) || isReached(limits, field.target))
    }),
  )
}

/** Returns a payload without its refused fields, of which no further mistakes are reported. */
export function withoutNames(given: ItemData, names: ReadonlySet<string>): ItemData {
  if (names.size === 0) return given
  return Object.fromEntries(Object.entries(given).filter(([name]) => !names.has(name)))
}

/** Returns a collection with some of its fields, for suggestions in errors. */
export const among = ({ name, fields }: Collection, allowed: ReadonlySet<string>) => ({
  name,
  fields: new Map<string, Field>([...fields].filter(([one]) => allowed.has(one))),
})

export type RowsMeant = ReadonlyMap<RuleRead, ReadonlySet<string>>

/** Returns the rows that each rule allows. */
export async function rowsMeant(
  collection: Collection,
  rules: readonly RuleRead[],
  keys: readonly Key[],
  writing: WriteContext,
): Promise<RowsMeant> {
  const circumstances = circumstancesOf(writing)
  const meant = new Map<RuleRead, ReadonlySet<string>>()
  for (const rule of rules) {
    const predicate = rulePredicate(rule, collection, writing.engine.schema, circumstances)
    const found = isAlways(predicate)
      ? keyIdentities(keys)
      : keys.length === 0
        ? new Set<string>()
        : await matchingKeys(collection, keys, predicate, writing)
    meant.set(rule, found)
  }
  return meant
}

/** Refuses to change visible rows unless rules allow it for each of them. `names`: the fields that change. */
export async function requireRows(
  collection: Collection,
  action: 'update' | 'delete',
  keys: readonly Key[],
  writing: WriteContext,
  names: readonly string[] = [],
): Promise<void> {
  const limits = limitsOf(writing)
  if (!limits || keys.length === 0) return
  const rules = rulesFor(limits, collection, action).filter(({ fields }) =>
    names.every((name) => fields.has(name)),
  )
  const meant = await rowsMeant(collection, rules, keys, writing)
  const isAllowed = (key: Key) => [...meant.values()].some((texts) => texts.has(keyIdentity(key)))
  if (!keys.every(isAllowed))
    throw forbidden([], action, keys.length === 1 ? 'this item' : 'all of these items')
}

/** Refuses keys of items that are not visible. */
export async function requireVisible(
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<void> {
  const seen = await visibleKeys(collection, keys, writing)
  if (keys.some((key) => !seen.has(keyIdentity(key)))) throw missing()
}
