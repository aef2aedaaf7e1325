// New items of one layout that rules judge by their values.

import { distinctKeys, keyIdentity, readKey } from '../../plan/key.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import type { Collection, LinkColumn } from '../../schema/model.ts'
import { isSeenAlone } from '../authorize/seen-references.ts'
import { visibleKeys } from '../authorize/visible-keys.ts'
import { lockVisible } from '../locks/lock-rows.ts'
import { creationObligations } from '../obligations/creation-obligations.ts'
import { seenRows } from '../obligations/seen-rows.ts'
import { judging } from '../row-template.ts'
import { hasTriggers, knownTriggers } from '../update/side-effects.ts'
import { circumstancesOf, permissionsOf, type WriteContext } from '../write-context.ts'
import { isAltered, knownAltered } from './altered-values.ts'
import { emptyNames } from './insert-by-statement.ts'
import type { ItemToInsert } from './insert-rows.ts'

export interface JudgedItems {
  /** Values that the rules fill in, the same in all items. */
  readonly presets: ItemData
  /** Returns whether the caller may see all of them, once the check has passed. */
  readonly areVisible: () => boolean
  /** Returns whether all that they refer to is visible. Asked before rows are inserted, which may make their own targets visible. */
  readonly seeTargets: (inside: WriteContext) => Promise<boolean>
  /** Returns whether neither a trigger nor the table could have changed the inserted rows. */
  readonly areUnchanged: (inside: WriteContext) => Promise<boolean>
}

/** Returns new items that rules allow; undefined if one is refused, or if the values alone do not decide. */
export function judgedItems(
  collection: Collection,
  items: readonly ItemToInsert[],
  writing: WriteContext,
): JudgedItems | undefined {
  const [first] = items
  if (!first || !judging.isByStatement || knownTriggers(collection, writing)) return undefined
  const names = Object.keys(first.payload)
  const now = circumstancesOf(writing)
  const permissions = permissionsOf(writing)
  // Keys are returned unread.
  if (permissions && !seenRows(collection, permissions, now)) return undefined
  const rules = creationObligations(collection, { names, empty: emptyOfAll(items) }, writing.caller, now)
  const presets = rules?.presets(now)
  if (!rules || !presets || rules.conditions.alternatives.some(({ targets }) => targets.length > 0))
    return undefined
  if (knownAltered(collection, rules.storedFields, writing)) return undefined
  const isPreset = [...rules.judgedNames].every((name) => Object.hasOwn(presets, name))
  const judged = isPreset ? [presets] : items.map(({ payload }) => ({ ...payload, ...presets }))
  if (!judged.every((values) => rules.meets(values))) return undefined
  return {
    presets,
    areVisible: () => judged.every(rules.isVisible),
    seeTargets: async (inside) => {
      for (const { field } of rules.conditions.targets)
        if (!(await seesTargets(field, items, inside))) return false
      return true
    },
    // Once rows are inserted, nobody adds a trigger before the transaction ends.
    areUnchanged: async (inside) =>
      !(await hasTriggers(collection, inside)) && !(await isAltered(collection, rules.storedFields, inside)),
  }
}

/** Returns the names of the fields that are null in all items. */
function emptyOfAll(items: readonly ItemToInsert[]): ReadonlySet<string> {
  const [first, ...others] = items.map(({ payload }) => payload)
  const isEmpty = (name: string) => others.every((payload) => payload[name] === null)
  return new Set([...emptyNames(first ?? {})].filter(isEmpty))
}

/** True if all items to which a field refers are visible to the caller. */
async function seesTargets(
  { name, target }: LinkColumn,
  items: readonly ItemToInsert[],
  inside: WriteContext,
): Promise<boolean> {
  const isGiven = ({ payload }: { readonly payload: ItemData }) => (payload[name] ?? null) !== null
  const keys = items.filter(isGiven).map(({ payload }) => readKey(target, payload[name]))
  const known = keys.filter((key) => key !== undefined)
  if (known.length < keys.length) return false
  const distinct = distinctKeys(known)
  if (!isSeenAlone(target, inside)) await lockVisible(target, { keys: distinct, use: 'reference' }, inside)
  const seen = await visibleKeys(target, distinct, inside)
  return known.every((key) => seen.has(keyIdentity(key)))
}
