import { rulePredicate } from '../../access/caller-scope.ts'
import type { RuleRead } from '../../access/rules.ts'
import { executeSoon } from '../../execution/execute.ts'
import { type Soon, soon } from '../../execution/soon.ts'
import { always, isAlways } from '../../plan/filter/predicate.ts'
import { distinctKeys, type Key, keyIdentities, keyIdentity } from '../../plan/key.ts'
import { isOneOf, wholeList } from '../../plan/read/by-key.ts'
import { type Collection, keyFieldsOf, keyOf } from '../../schema/model.ts'
import { rowSelect } from '../../sql/write/row-locks.ts'
import { rowValues } from '../../sql/write/row-values.ts'
import { missing } from '../context/named-key.ts'
import { judgingOf } from '../context/place.ts'
import {
  bindOpenValues,
  boundRow,
  type RowTemplates,
  rowTemplate,
  templatesOf,
  type WritingStatement,
} from '../context/row-template.ts'
import { circumstancesOf, permissionsOf, type WriteContext } from '../context/write-context.ts'
import { existingKeys, readKeys } from '../stored/rows-by-key.ts'
import { visibleRows } from '../stored/seen-rows.ts'
import { matchingKeys, selectedKeys } from '../stored/select-keys.ts'
import { forbidden, rulesFor } from './writable-fields.ts'

/** Returns those of some items that are visible to the caller, by the texts of the keys that name them. */
export async function visibleKeys(
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<ReadonlySet<string>> {
  return new Set((await visibleItems(collection, keys, writing)).keys())
}

/** Returns the keys of visible items as their rows spell them, by the texts of the keys that name them: a database may take several texts for
 *  the same key, in which case any of them names the row. */
export const visibleItems = (
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<ReadonlyMap<string, Key>> =>
  spelled(collection, keys, (some) => visibleAmong(collection, some, writing))

/** True if the item with a key that has one spelling is visible. */
export const isVisible = (collection: Collection, key: Key, writing: WriteContext): Soon<boolean> =>
  soon(visibleAmong(collection, [key], writing), (found) => found.length > 0)

/** As `visibleItems`, of all items. */
export const existingItems = (
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<ReadonlyMap<string, Key>> =>
  spelled(collection, keys, (some) => existingKeys(collection, some, writing))

/** Returns the keys that are found as their rows spell them, by the texts of the keys that name them. */
async function spelled(
  collection: Collection,
  keys: readonly Key[],
  find: (keys: readonly Key[]) => Soon<readonly Key[]>,
): Promise<ReadonlyMap<string, Key>> {
  const found = keyed(await find(keys))
  const named = new Map(keys.flatMap((key) => (found.has(keyIdentity(key)) ? [[keyIdentity(key), key]] : [])))
  const others = distinctKeys(keys).filter((key) => !named.has(keyIdentity(key)))
  if (found.size === 0 || others.length === 0) return named
  // Rows that are named as they are spelled may be meant by other spellings, too.
  const areMatching =
    named.size < found.size || (isSpelledFreely(collection) && (await find(others)).length > 0)
  if (!areMatching) return named
  for (const key of others) {
    const [stored] = await find([key])
    if (stored !== undefined) named.set(keyIdentity(key), stored)
  }
  return named
}

/** True if a database may take several texts for the same key of a collection. */
export const isSpelledFreely = (collection: Collection): boolean =>
  keyFieldsOf(collection).some(({ value }) => value.family === 'text' || value.family === 'other')

const keyed = (keys: readonly Key[]) => new Map(keys.map((key) => [keyIdentity(key), key]))

function visibleAmong(
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
): Soon<readonly Key[]> {
  const permissions = permissionsOf(writing)
  const seen = collection.isSeen || !permissions ? collection : permissions.seen.of.get(collection)
  const [only, ...others] = keys
  if (!seen || only === undefined) return []
  const alone = others.length === 0 ? visibleRow(collection, only, writing) : undefined
  if (alone !== undefined) return alone
  if (!permissions) return existingKeys(collection, keys, writing)
  const list = wholeList(seen, isOneOf(seen, keys))
  return selectedKeys(list, { engine: writing.caller, options: writing.options })
}

const templates: RowTemplates<WritingStatement> = new WeakMap()

/** Returns the keys of the visible rows that a key names, as they spell it, by a statement that is made once for all callers with the same rules;
 *  undefined where it has to be made for each. */
function visibleRow(
  collection: Collection,
  key: Key,
  writing: WriteContext,
): Soon<readonly Key[]> | undefined {
  if (collection.isSeen) return undefined
  const permissions = permissionsOf(writing)
  const template = rowTemplate(
    templatesOf(templates, permissions ?? writing.caller.templates),
    { name: collection.name, collection },
    writing,
    (now) => {
      // A key finds its row, whether the row shows it or not.
      const seen = permissions ? visibleRows(collection, permissions, now) : always
      if (!seen || judgingOf(seen, collection, writing.engine.dialect) === 'never') return undefined
      return { statement: rowSelect({ collection, by: keyOf(collection) }, seen, writing.engine) }
    },
  )
  const requested = template && bindOpenValues(template, collection, writing)
  if (!requested) return undefined
  const { statement } = boundRow(template, rowValues(key, [], []), requested)
  return soon(executeSoon(writing.engine, statement, writing.options), (rows) =>
    readKeys(rows, collection, writing),
  )
}

export type MatchingRows = ReadonlyMap<RuleRead, ReadonlySet<string>>

/** Returns the rows that each rule allows. */
export async function matchingRows(
  collection: Collection,
  rules: readonly RuleRead[],
  keys: readonly Key[],
  writing: WriteContext,
): Promise<MatchingRows> {
  const circumstances = circumstancesOf(writing)
  const matching = new Map<RuleRead, ReadonlySet<string>>()
  for (const rule of rules) {
    const predicate = rulePredicate(rule, collection, writing.engine.schema, circumstances)
    const found = isAlways(predicate)
      ? keyIdentities(keys)
      : keys.length === 0
        ? new Set<string>()
        : await matchingKeys(collection, keys, predicate, writing)
    matching.set(rule, found)
  }
  return matching
}

interface ChangedRows {
  readonly action: 'update' | 'delete'
  readonly keys: readonly Key[]
  /** The fields that change. */
  readonly names?: readonly string[]
}

/** Refuses to change visible rows unless rules allow it for each of them. */
export async function requireRows(
  collection: Collection,
  { action, keys, names = [] }: ChangedRows,
  writing: WriteContext,
): Promise<void> {
  const permissions = permissionsOf(writing)
  if (!permissions || keys.length === 0) return
  const rules = rulesFor(permissions, collection, action).filter(({ fields }) =>
    names.every((name) => fields.has(name)),
  )
  const matching = await matchingRows(collection, rules, keys, writing)
  const isAllowed = (key: Key) => [...matching.values()].some((texts) => texts.has(keyIdentity(key)))
  if (!keys.every(isAllowed))
    throw forbidden([], action, keys.length === 1 ? 'this item' : 'all of these items')
}

/** Refuses keys of items that are not visible, and returns them as their rows spell them. */
export async function requireVisible(
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<readonly Key[]> {
  const seen = await visibleItems(collection, keys, writing)
  return distinctKeys(
    keys.map((key) => {
      const stored = seen.get(keyIdentity(key))
      if (stored === undefined) throw missing()
      return stored
    }),
  )
}
