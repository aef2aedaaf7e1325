// Checks items once they are stored: related items have keys then, and the database has filled in its defaults.

import { rulePredicate } from '../access/caller-scope.ts'
import type { RuleRead } from '../access/rules.ts'
import type { EngineError } from '../errors/errors.ts'
import { isAlways, type Predicate } from '../plan/filter/predicate.ts'
import { notMeeting, type RowValidation, validateRow } from '../plan/filter/validate-row.ts'
import { heldIn, keyIdentity, shownKeyOf, valuesOfKey } from '../plan/key.ts'
import { collectionsTested, holdersOf } from '../plan/touches.ts'
import { leavesOf } from '../plan/walk.ts'
import type { ItemData } from '../plan/write/changes.ts'
import { conditionsAfterwards } from '../plan/write/later-validations.ts'
import { isValidated, notPassing, validatorOf } from '../plan/write/validate-item.ts'
import { type ItemWrite, isTouched } from '../plan/write/write-plan.ts'
import {
  type Collection,
  isByValue,
  isPartOf,
  keyFieldsOf,
  referentOf,
  type StoredField,
} from '../schema/model.ts'
import { refuseStoredTargets } from './authorize/check-references.ts'
import { disclosableFields, errorDisclosure, tellHost } from './authorize/error-disclosure.ts'
import { refuseUnreadLinks } from './authorize/linked-values.ts'
import { referenceOf } from './authorize/references.ts'
import { ownerOf, sumsOf } from './authorize/row-after.ts'
import { isUndecided, RulesRefuse, refusalOf, settleRules } from './authorize/rule-choice.ts'
import { forbidden } from './authorize/writable-fields.ts'
import { groupBy } from './context/group-by.ts'
import { circumstancesOf, contextOf, type Permit, type WriteContext } from './context/write-context.ts'
import { referencedKeys } from './stored/held-values.ts'
import { lockMatching } from './stored/lock-rows.ts'
import { refuseReplacedItems } from './stored/replaced-rows.ts'
import { keysIn } from './stored/rows-by-key.ts'
import { matchingKeys, storedItems } from './stored/select-keys.ts'
import { hasTriggers } from './stored/side-effects.ts'

/** Checks stored items. Validations read related items in their current state, inside the transaction. */
export async function checkStored(items: readonly ItemWrite[], writing: WriteContext): Promise<void> {
  const context = contextOf(writing)
  const refused = await refusedByRules(items, writing)
  const left = [...refused].filter(([item]) => isUndecided(item, writing))
  if (left.length > 0) throw new RulesRefuse(new Map(left.map(([item, { errors }]) => [item, errors])))
  settleRules(items, writing)
  const written = items.filter(isTouched)
  for (const [collection, group] of groupBy(written, (item) => item.collection)) {
    await refuseReplacedItems(collection, group, writing)
    checkReferences(collection, group, writing)
    for (const { field, condition } of conditionsAfterwards(collection, context)) {
      const concerned = group.filter((item) => isFieldWritten(field, item))
      await requirePassing(collection, concerned, condition, writing)
    }
  }
  for (const [item, { errors, hidden }] of refused) {
    for (const error of refusalOf(item, errors, writing)) writing.problems.report(error)
    tellHost(hidden, writing)
  }
  await refuseStoredTargets(items, writing)
  await refuseUnreadLinks(items, writing, 'stored')
  writing.problems.throwIfAny()
}

/** True if an item writes a field, by itself or by a relation. */
const isFieldWritten = (field: StoredField, { values, targets, owner }: ItemWrite): boolean =>
  values.has(field) ||
  targets.some((target) => isPartOf(field, target.field)) ||
  (owner !== undefined && isPartOf(field, owner))

/** Checks references. The keys of new items are known only now. */
function checkReferences(collection: Collection, items: readonly ItemWrite[], writing: WriteContext): void {
  if (!isValidated(collection)) return
  const validate = validatorOf(collection, contextOf(writing))
  for (const item of items)
    if (item.owner || item.targets.length > 0)
      for (const failure of validate({ ...item.payload, ...sumsOf(item), ...referencesOf(item) }, item.path))
        writing.problems.report(disclosableFields(failure, item, writing))
}

/** Why a rule refuses an item: for its writer, and what only the host may know. */
interface Refusal {
  readonly errors: readonly EngineError[]
  readonly hidden: readonly EngineError[]
}

/** Returns the items that none of the possible rules allows, with the reasons of the first. */
async function refusedByRules(
  items: readonly ItemWrite[],
  writing: WriteContext,
): Promise<ReadonlyMap<ItemWrite, Refusal>> {
  const permitted = items.flatMap((item) =>
    (writing.allowedBy.get(item) ?? []).map((permit) => ({ item, ...permit })),
  )
  const found = new Map<ItemWrite, Refusal[]>()
  for (const [rule, group] of groupBy(permitted, (one) => one.rule)) {
    const failed = groupBy(await failuresOf(rule, group, writing), ({ of }) => of)
    for (const { item } of group) {
      const failures = failed.get(item) ?? []
      const errors = failures.flatMap((one) => one.errors)
      const hidden = failures.flatMap((one) => one.hidden ?? [])
      found.set(item, [...(found.get(item) ?? []), { errors, hidden }])
    }
  }
  return new Map(
    [...found].flatMap(([item, ofRules]) =>
      ofRules[0] && ofRules.every(({ errors }) => errors.length > 0) ? [[item, ofRules[0]]] : [],
    ),
  )
}

interface StoredFailure {
  readonly of: ItemWrite
  readonly errors: readonly EngineError[]
  readonly hidden?: readonly EngineError[]
}

/** Judges items by a rule in full: related items have keys now, and a new item has to match the rule's filter. */
async function failuresOf(
  rule: RuleRead,
  group: readonly (Permit & { readonly item: ItemWrite })[],
  writing: WriteContext,
): Promise<readonly StoredFailure[]> {
  const items = group.map(({ item }) => item)
  const [first] = items
  if (!first) return []
  const { collection } = first
  const failures = await failuresLeft(collection, group, writing)
  const made = items.filter(({ action }) => action === 'create')
  const matching = rulePredicate(rule, collection, writing.engine.schema, circumstancesOf(writing))
  if (made.length > 0 && !isAlways(matching)) {
    await lockRuleTargets(collection, made, matching, writing)
    for (const of of await notMatching(collection, made, matching, writing))
      failures.push({ of, errors: [forbidden(of.path, 'create')] })
  }
  return failures
}

/** Judges by the current rows what was not known before the items were stored. */
async function failuresLeft(
  collection: Collection,
  group: readonly (Permit & { readonly item: ItemWrite })[],
  writing: WriteContext,
): Promise<StoredFailure[]> {
  const isFollowed =
    group.some(({ later, isFirm }) => later && isFirm) && (await hasTriggers(collection, writing))
  const left = group.flatMap(({ item, later, isFirm, before }) =>
    later && (isFollowed || !isFirm) ? [{ item, later, before }] : [],
  )
  const [first] = left
  if (!first) return []
  const { later } = first
  const items = await changedItems(collection, left, later, writing)
  if (later.needsDatabase) {
    await lockRuleTargets(collection, items, later.predicate, writing)
    const failed = await notMatching(collection, items, later.predicate, writing)
    return failed.map((of) => ({ of, errors: [notMeeting(collection, of.path)] }))
  }
  const rows = await storedItems(collection, keysIn(items), [...later.fields], writing)
  return items.map((of) => {
    const row = (of.key === undefined ? undefined : rows.get(keyIdentity(of.key))) ?? {}
    const hidden: EngineError[] = []
    const errors = validateRow(later, row, errorDisclosure(of, writing, hidden), contextOf(writing))
    return { of, errors, hidden }
  })
}

/** Returns the items that a validation concerns, by what is stored of them now. */
async function changedItems(
  collection: Collection,
  left: readonly Pick<Permit & { readonly item: ItemWrite }, 'item' | 'before'>[],
  { fields }: RowValidation,
  writing: WriteContext,
): Promise<readonly ItemWrite[]> {
  const unclear = left.filter(({ before }) => before)
  const rows = await storedItems(collection, keysIn(unclear.map(({ item }) => item)), [...fields], writing)
  const isChanged = ({ item: { key }, before }: (typeof left)[number]) => {
    const row = key && rows.get(keyIdentity(key))
    return !before || [...fields].some(({ name }) => !isSame(row?.[name], before[name]))
  }
  return left.filter(isChanged).map(({ item }) => item)
}

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

/** Returns the keys of the item's parent and of its targets. */
function referencesOf(item: ItemWrite): ItemData {
  const keys = item.targets.map(({ field }) => {
    if (field.kind === 'any') return [field.name, item.values.get(field) ?? null]
    const key = heldIn(valuesWithKey(item), field) ?? null
    return [field.name, key === null ? null : shownKeyOf(referentOf(field), key)]
  })
  return { ...Object.fromEntries(keys), ...ownerOf(item) }
}

/** Returns the values of an item, those of its key included. */
const valuesWithKey = ({ collection, key, values }: ItemWrite) =>
  key === undefined ? values : new Map([...valuesOfKey(keyFieldsOf(collection), key), ...values])

async function requirePassing(
  collection: Collection,
  items: readonly ItemWrite[],
  condition: Predicate,
  writing: WriteContext,
): Promise<void> {
  if (items.length === 0) return
  for (const { path } of await notMatching(collection, items, condition, writing))
    writing.problems.report(notPassing(collection, path))
}

async function notMatching(
  collection: Collection,
  items: readonly ItemWrite[],
  condition: Predicate,
  writing: WriteContext,
): Promise<readonly ItemWrite[]> {
  const keys = items.flatMap(({ key }) => (key === undefined ? [] : [key]))
  const matching = await matchingKeys(collection, keys, condition, writing)
  return items.filter(({ key }) => key !== undefined && !matching.has(keyIdentity(key)))
}

/** Locks the items to which some stored items refer, where the condition of a rule on them looks at more than their columns. A foreign key
 *  holds them already, but not every relation has one. Items that do not meet the condition are not waited for. */
async function lockRuleTargets(
  collection: Collection,
  items: readonly ItemWrite[],
  rule: Predicate,
  writing: WriteContext,
): Promise<void> {
  if (!writing.engine.dialect.lockRows) return
  const looking = leavesOf(rule).flatMap((leaf) =>
    (leaf.kind === 'one' || leaf.kind === 'arm') && collectionsTested(leaf.condition).length > 0
      ? [leaf]
      : [],
  )
  if (looking.length === 0) return
  const fields = [...new Set(looking.flatMap(({ field }) => holdersOf(field)))]
  const rows = await storedItems(collection, keysIn(items), fields, writing)
  for (const leaf of looking) {
    const goal = leaf.kind === 'arm' ? leaf.target : leaf.field.target
    const keys = items.flatMap((item) => {
      const row = item.key === undefined ? undefined : rows.get(keyIdentity(item.key))
      const { target, key } = (row && referenceOf(item, leaf.field, ({ name }) => row[name])) ?? {}
      return target === goal && key !== undefined ? [key] : []
    })
    const isOther = leaf.kind === 'one' && isByValue(leaf.field)
    const held = isOther ? [...(await referencedKeys(leaf.field, keys, writing)).values()] : keys
    await lockMatching(goal, { keys: held, use: 'reference' }, leaf.condition, writing)
  }
}
