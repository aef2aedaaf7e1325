// What a caller sees and may change of a collection: asked before anything is written.
import type { Action } from '../access/access.ts'
import { type Limited, rulePredicate } from '../access/narrow.ts'
import type { RuleRead } from '../access/read-rules.ts'
import type { Engine } from '../engine.ts'
import { fault, type Path } from '../errors.ts'
import { noField, rootCollection } from '../plan/gate.ts'
import { isAlways } from '../plan/predicate.ts'
import type { Storable } from '../plan/stored-value.ts'
import { keyText } from '../plan/write-plan.ts'
import type { Problems } from '../problems.ts'
import type { Collection, Field } from '../schema/model.ts'
import { chosenKeys, isOneOf, matchingKeys, wholeList } from './chosen.ts'
import { existing, missing } from './rows.ts'
import { circumstancesOf, type Writing } from './writing.ts'

/** The collection that a verb writes to. What cannot be seen is not there, unless it may be created unseen. */
export function writtenCollection(engine: Engine, name: string, ...wanted: readonly Action[]): Collection {
  const limits = engine.narrowing?.limits
  if (!limits) return rootCollection(engine.schema, name)
  const collection = limits.whole.collections.get(name)
  const granted = collection ? wanted.filter((action) => rulesFor(limits, collection, action).length > 0) : []
  const isSeen = engine.schema.collections.has(name)
  if (!collection || (!isSeen && !granted.includes('create'))) return rootCollection(engine.schema, name)
  if (granted.length === 0) throw forbidden([], wanted[0] ?? 'read', `items of "${name}"`)
  return collection
}

export const forbidden = (path: Path, action: Action, what = 'this item') =>
  fault('FORBIDDEN', `You may not ${action} ${what}.`, { path: path.length > 0 ? path : undefined })

export function rulesFor({ grants }: Limited, collection: Collection, action: Action): readonly RuleRead[] {
  return grants.get(collection)?.[action] ?? []
}

export const limitsOf = ({ caller }: Writing): Limited | undefined => caller.narrowing?.limits

/** Which of some items the caller can see, by the texts of their keys. */
export async function visibleKeys(
  collection: Collection,
  keys: readonly Storable[],
  writing: Writing,
): Promise<ReadonlySet<string>> {
  const limits = limitsOf(writing)
  if (!limits) return existing(collection, keys, writing)
  const seen = collection.isSeen ? collection : limits.seen.of.get(collection)
  if (!seen || keys.length === 0) return new Set()
  const list = wholeList(seen, isOneOf(seen, keys))
  const found = await chosenKeys(list, { engine: writing.caller, options: writing.options })
  return new Set(found.map(keyText))
}

/** Refuses names of a payload that no rule allows, as if there were no such fields, and tells which. */
export function refuserOf({ narrowing }: Engine) {
  return (
    collection: Collection,
    action: Action,
    names: readonly string[],
    path: Path,
    problems: Problems,
  ): readonly string[] => {
    const limits = narrowing?.limits
    if (!limits) return []
    const allowed = new Set(rulesFor(limits, collection, action).flatMap(({ fields }) => [...fields]))
    const refused = names.filter((name) => !allowed.has(name))
    for (const name of refused) problems.report(noField(among(collection, allowed), name, [...path, name]))
    return refused
  }
}

/** A collection with some of its fields, for what is said of names. */
export const among = ({ name, fields }: Collection, allowed: ReadonlySet<string>) => ({
  name,
  fields: new Map<string, Field>([...fields].filter(([one]) => allowed.has(one))),
})

export type RowsMeant = ReadonlyMap<RuleRead, ReadonlySet<string>>

/** Which rows each rule speaks of. */
export async function rowsMeant(
  collection: Collection,
  rules: readonly RuleRead[],
  keys: readonly Storable[],
  writing: Writing,
): Promise<RowsMeant> {
  const circumstances = circumstancesOf(writing)
  const meant = new Map<RuleRead, ReadonlySet<string>>()
  for (const rule of rules) {
    const predicate = rulePredicate(rule, collection, writing.engine.schema, circumstances)
    const found = isAlways(predicate)
      ? new Set(keys.map(keyText))
      : keys.length === 0
        ? new Set<string>()
        : await matchingKeys(collection, keys, predicate, writing)
    meant.set(rule, found)
  }
  return meant
}

/** Refuses to do something to rows that are seen, unless rules allow it on each of them. `names`: the fields that it changes. */
export async function requireRows(
  collection: Collection,
  action: 'update' | 'delete',
  keys: readonly Storable[],
  writing: Writing,
  names: readonly string[] = [],
): Promise<void> {
  const limits = limitsOf(writing)
  if (!limits || keys.length === 0) return
  const rules = rulesFor(limits, collection, action).filter(({ fields }) =>
    names.every((name) => fields.has(name)),
  )
  const meant = await rowsMeant(collection, rules, keys, writing)
  const isAllowed = (key: Storable) => [...meant.values()].some((texts) => texts.has(keyText(key)))
  if (!keys.every(isAllowed))
    throw forbidden([], action, keys.length === 1 ? 'this item' : 'all of these items')
}

/** Refuses keys of items that cannot be seen. */
export async function requireVisible(
  collection: Collection,
  keys: readonly Storable[],
  writing: Writing,
): Promise<void> {
  const seen = await visibleKeys(collection, keys, writing)
  if (keys.some((key) => !seen.has(keyText(key)))) throw missing()
}
