// Visible fields of the items in a delta: rules may show a field on some rows and not on others, and of new rows only the values in the
// delta are known.

import type { Permissions } from '../access/caller-scope.ts'
import type { RuleRead } from '../access/rules.ts'
import { isNameOfKey, type Key, keyIdentity } from '../plan/key.ts'
import type { ItemData } from '../plan/write/changes.ts'
import { storedFieldsOf } from '../plan/write/defaults.ts'
import { validatorBy } from '../plan/write/validate-item.ts'
import { type Collection, isToMany } from '../schema/model.ts'
import { existingItems, matchingRows, visibleItems } from '../writes/authorize/visible-keys.ts'
import { rulesFor } from '../writes/authorize/writable-fields.ts'
import { groupBy } from '../writes/group-by.ts'
import { contextOf, type WriteContext } from '../writes/write-context.ts'

export type VisibleFields = Collection['fields']

export interface ItemNamed {
  readonly collection: Collection
  readonly key: Key | undefined
  readonly payload: ItemData
  /** True if the item is created when its key does not exist. */
  readonly mayBeNew: boolean
  /** Foreign key to the item around it. */
  readonly owner?: string | undefined
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
  const ofNew = newFieldsIn(collection, fields, permissions, writing)
  return (item) => {
    const text = item.key === undefined ? undefined : keyIdentity(item.key)
    if (text === undefined) return ofNew(item)
    const stored = seen.get(text)
    if (stored !== undefined) {
      const open = rules.filter((rule) => matching.get(rule)?.has(keyIdentity(stored)))
      return granted(collection, fields, open)
    }
    return item.mayBeNew && !hidden.has(text) ? ofNew(item) : undefined
  }
}

/** Determines the visible fields of new rows by their future values. */
function newFieldsIn(
  collection: Collection,
  fields: VisibleFields,
  permissions: Permissions,
  writing: WriteContext,
): FieldsIn {
  const context = contextOf(writing)
  const validators = rulesFor(permissions, collection, 'read').map((rule) => ({
    rule,
    validate: rule.filter && validatorBy(collection, rule.filter, context),
  }))
  const expected = assumed(collection, rulesFor(permissions, collection, 'create'))
  return ({ payload, owner = '' }) => {
    const { [owner]: _owner, ...others } = expected
    const made = { ...others, ...payload }
    const open = validators.flatMap(({ rule, validate }) =>
      !validate || validate(made, []).length === 0 ? [rule] : [],
    )
    return open.length === 0 ? undefined : granted(collection, fields, open)
  }
}

/** Returns the default values of a new row. Values that are filled in on creation are not known yet. */
function assumed(collection: Collection, rules: readonly RuleRead[]): ItemData {
  const open = storedFieldsOf(collection).filter(
    ({ name, isKey, special, isDefaulted }) =>
      !isKey && special.length === 0 && !isDefaulted && !rules.some(({ presets }) => name in presets),
  )
  return Object.fromEntries(open.map((field) => [field.name, field.default ?? null]))
}

/** Returns the fields that any of some rules shows. The key identifies the item, and for relations to many the rules of the rows behind
 *  them decide. */
const granted = (collection: Collection, fields: VisibleFields, rules: readonly RuleRead[]): VisibleFields =>
  new Map(
    [...fields].filter(
      ([name, field]) =>
        isNameOfKey(collection, name) || isToMany(field) || rules.some((rule) => rule.fields.has(name)),
    ),
  )
