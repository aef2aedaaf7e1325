// The road of every item that is created or updated: gathered, checked as a whole, stored.
import { rulePredicate } from '../access/narrow.ts'
import type { RuleRead } from '../access/read-rules.ts'
import { fault } from '../errors.ts'
import { complete } from '../plan/complete.ts'
import { isAlways, type Predicate } from '../plan/predicate.ts'
import { conditionAfterwards, conditionLeft, type Judge, judgeOf } from '../plan/validate-item.ts'
import { type ItemWrite, keyText } from '../plan/write-plan.ts'
import type { Collection } from '../schema/model.ts'
import { matchingKeys } from './chosen.ts'
import { gather, type Intent } from './gather.ts'
import { grouped } from './grouped.ts'
import { hashSecrets } from './hashes.ts'
import { refuseSecond } from './only.ts'
import { permit } from './permit.ts'
import { store } from './store.ts'
import { circumstancesOf, contextOf, type Writing } from './writing.ts'

export async function write(
  collection: Collection,
  intents: readonly Intent[],
  writing: Writing,
): Promise<readonly ItemWrite[]> {
  const items = await gather(collection, intents, writing)
  const all = items.flatMap(withNested)
  // What is not seen, or not there, is told before what is not allowed.
  if (writing.problems.isEmpty) await permit(all, writing)
  check(all, writing)
  await refuseSeconds(all, writing)
  await hashSecrets(all)
  for (const { collection: of, key } of all)
    if (key !== undefined) writing.named.set(of, (writing.named.get(of) ?? new Set()).add(keyText(key)))
  await store(items, writing)
  await checkAfterwards(all, writing)
  return items
}

/** An item and everything nested in it. */
function withNested(item: ItemWrite): readonly ItemWrite[] {
  const targets = item.targets.flatMap((target) => withNested(target.item))
  const children = item.children.flatMap(({ items }) => items.flatMap(withNested))
  return [item, ...targets, ...children]
}

/** Everything that can be wrong before the first row is changed, told together. */
function check(items: readonly ItemWrite[], writing: Writing): void {
  const { problems, occasion } = writing
  const context = contextOf(writing)
  const judges = new Map<Collection, Judge>()
  for (const item of items) {
    if (item.isLink) continue
    const { collection, given, path } = item
    const judge = judges.get(collection) ?? judgeOf(collection, context)
    judges.set(collection, judge)
    complete(item, occasion, problems)
    for (const failure of judge(given, path)) problems.report(failure)
  }
  problems.throwIfAny()
}

/** Also where it is nested, a singleton gets no second item. */
async function refuseSeconds(items: readonly ItemWrite[], writing: Writing): Promise<void> {
  const created = items.filter(({ collection, action }) => collection.isSingleton && action === 'create')
  for (const [collection, group] of grouped(created, (item) => item.collection))
    await refuseSecond(collection, group.length, writing)
}

/** Validations that look at related items see them as they are now, inside the transaction. */
async function checkAfterwards(items: readonly ItemWrite[], writing: Writing): Promise<void> {
  const context = contextOf(writing)
  const written = items.filter(({ isLink }) => !isLink)
  for (const [collection, group] of grouped(written, (item) => item.collection)) {
    const condition = conditionAfterwards(collection, context)
    if (!condition) continue
    await requirePassing(collection, group, condition, writing)
  }
  for (const [rule, group] of grouped([...writing.allowedBy], ([, one]) => one)) {
    const items = group.map(([item]) => item)
    const [first] = items
    if (first) await checkRule(rule, first.collection, items, writing)
  }
  writing.problems.throwIfAny()
}

/** What a rule says of items can be asked in full only now: a new item has to be one of those that the rule speaks of. */
async function checkRule(
  rule: RuleRead,
  collection: Collection,
  items: readonly ItemWrite[],
  writing: Writing,
): Promise<void> {
  const left = rule.validation && conditionLeft(collection, rule.validation, contextOf(writing))
  if (left) await requirePassing(collection, items, left, writing)
  const made = items.filter(({ action }) => action === 'create')
  const meant = rulePredicate(rule, collection, writing.engine.schema, circumstancesOf(writing))
  if (made.length === 0 || isAlways(meant)) return
  for (const { path } of await notMatching(collection, made, meant, writing))
    writing.problems.report(fault('FORBIDDEN', 'You may not create this item.', { path }))
}

async function requirePassing(
  collection: Collection,
  items: readonly ItemWrite[],
  condition: Predicate,
  writing: Writing,
): Promise<void> {
  for (const { path } of await notMatching(collection, items, condition, writing))
    writing.problems.report(
      fault('FAILED_VALIDATION', `An item of "${collection.name}" does not pass its validation.`, {
        path,
        extensions: { collection: collection.name, type: 'validation' },
      }),
    )
}

async function notMatching(
  collection: Collection,
  items: readonly ItemWrite[],
  condition: Predicate,
  writing: Writing,
): Promise<readonly ItemWrite[]> {
  const keys = items.flatMap(({ key }) => (key === undefined ? [] : [key]))
  const matching = await matchingKeys(collection, keys, condition, writing)
  return items.filter(({ key }) => key !== undefined && !matching.has(keyText(key)))
}
