// Visible fields of the items in a delta: rules may show a field on some rows and not on others, and of new rows only the values in the
// delta are known.

import type { Permissions } from '../access/caller-scope.ts'
import type { RuleRead } from '../access/rules.ts'
import { isNameOfKey, keyIdentity } from '../plan/key.ts'
import { type Collection, isToMany } from '../schema/model.ts'
import { presetsFor } from '../writes/authorize/rule-presets.ts'
import { existingItems, matchingRows, visibleItems } from '../writes/authorize/visible-keys.ts'
import { rulesFor } from '../writes/authorize/writable-fields.ts'
import { groupBy } from '../writes/context/group-by.ts'
import { circumstancesOf, type WriteContext } from '../writes/context/write-context.ts'
import { rulesOfNew } from './overlay/match-rows.ts'
import { type ItemOfDelta, rowOfNew } from './overlay/patch.ts'

export type VisibleFields = Collection['fields']

export interface ItemNamed extends ItemOfDelta {
  /** True if the item is created when its key does not exist. */
  readonly mayBeNew: boolean
}

type FieldsIn = (item: ItemNamed) => VisibleFields | undefined

/** Determines the visible fields of all items together, with a few statements for each collection. */
export async function visibleFieldsOf(
  named: readonly ItemNamed[],
  permissions: Permissions,
  writing: WriteContext,
): Promise<FieldsIn> {
  const found = new Map<Collection, FieldsIn>()
  for (const [collection, items] of groupBy(named, (item) => item.collection))
    found.set(collection, await seenFieldsIn(collection, items, permissions, writing))
  return (item) => found.get(item.collection)?.(item)
}

async function seenFieldsIn(
  collection: Collection,
  items: readonly ItemNamed[],
  permissions: Permissions,
  writing: WriteContext,
): Promise<FieldsIn> {
  const fields = permissions.seen.of.get(collection)?.fields
  if (!fields) return () => undefined
  const keys = new Map(
    items.flatMap(({ key }) => (key === undefined ? [] : [[keyIdentity(key), key] as const])),
  )
  const seen = await visibleItems(collection, [...keys.values()], writing)
  const unseen = [...keys].flatMap(([text, key]) => (seen.has(text) ? [] : [key]))
  const hidden = await existingItems(collection, unseen, writing)
  const rules = rulesFor(permissions, collection, 'read')
  const matching = await matchingRows(collection, rules, [...seen.values()], writing)
  const isNew = ({ key, mayBeNew }: ItemNamed) => {
    const text = key && keyIdentity(key)
    return text === undefined || (mayBeNew && !seen.has(text) && !hidden.has(text))
  }
  const ofNew = await newFieldsIn(collection, { items: items.filter(isNew), fields }, permissions, writing)
  return (item) => {
    const stored = item.key === undefined ? undefined : seen.get(keyIdentity(item.key))
    if (stored !== undefined) {
      const open = rules.filter((rule) => matching.get(rule)?.has(keyIdentity(stored)))
      return granted(collection, fields, open)
    }
    return ofNew(item)
  }
}

/** Determines the visible fields of new rows by the values that they would have: those of the delta, and what the rules of the caller fill in. */
async function newFieldsIn(
  collection: Collection,
  { items, fields }: { readonly items: readonly ItemNamed[]; readonly fields: VisibleFields },
  permissions: Permissions,
  writing: WriteContext,
): Promise<FieldsIn> {
  const rules = rulesFor(permissions, collection, 'read')
  const creating = rulesFor(permissions, collection, 'create')
  const presets = creating.map((rule) =>
    presetsFor(rule, Object.keys(rule.presets), circumstancesOf(writing)),
  )
  const filled = presets.length === 0 ? [{}] : presets
  // An item is read anew each time; its payload is the same.
  const rows = new Map(
    items.map((item) => [
      item.payload,
      filled.map((values) => rowOfNew({ ...item, payload: { ...values, ...item.payload } }, writing)),
    ]),
  )
  const metBy = await rulesOfNew({ of: collection, rules }, [...rows.values()].flat(), writing)
  return (item) => {
    const open = (rows.get(item.payload) ?? []).flatMap(metBy)
    return open.length === 0 ? undefined : granted(collection, fields, open)
  }
}

/** Returns the fields that any of some rules shows. The key identifies the item, and for relations to many the rules of the rows behind
 *  them decide. */
const granted = (collection: Collection, fields: VisibleFields, rules: readonly RuleRead[]): VisibleFields =>
  new Map(
    [...fields].filter(
      ([name, field]) =>
        isNameOfKey(collection, name) ||
        (isToMany(field) && !field.within?.shownBy) ||
        rules.some((rule) => rule.fields.has(name)),
    ),
  )
