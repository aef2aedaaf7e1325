// The road of every item that is created or updated: gathered, checked as a whole, stored.
import { fault } from '../errors.ts'
import { complete } from '../plan/complete.ts'
import { conditionAfterwards, type Judge, judgeOf, type ValidationContext } from '../plan/validate-item.ts'
import { type ItemWrite, keyText } from '../plan/write-plan.ts'
import type { Collection } from '../schema/model.ts'
import { matchingKeys } from './chosen.ts'
import { gather, type Intent } from './gather.ts'
import { grouped } from './grouped.ts'
import { hashSecrets } from './hashes.ts'
import { refuseSecond } from './only.ts'
import { store } from './store.ts'
import type { Writing } from './writing.ts'

export async function write(
  collection: Collection,
  intents: readonly Intent[],
  writing: Writing,
): Promise<readonly ItemWrite[]> {
  const items = await gather(collection, intents, writing)
  const all = items.flatMap(withNested)
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

const contextOf = ({ engine, occasion }: Writing): ValidationContext => ({
  schema: engine.schema,
  circumstances: { now: occasion.now, caller: { user: occasion.user ?? null } },
  setting: { zone: engine.zone, negationMatchesNull: engine.negationMatchesNull },
})

/** Validations that look at related items see them as they are now, inside the transaction. */
async function checkAfterwards(items: readonly ItemWrite[], writing: Writing): Promise<void> {
  const context = contextOf(writing)
  const written = items.filter(({ isLink }) => !isLink)
  for (const [collection, group] of grouped(written, (item) => item.collection)) {
    const condition = conditionAfterwards(collection, context)
    if (!condition) continue
    const keys = group.flatMap(({ key }) => (key === undefined ? [] : [key]))
    const passing = await matchingKeys(collection, keys, condition, writing)
    for (const { key, path } of group)
      if (key !== undefined && !passing.has(keyText(key)))
        writing.problems.report(
          fault('FAILED_VALIDATION', `An item of "${collection.name}" does not pass its validation.`, {
            path,
            extensions: { collection: collection.name, type: 'validation' },
          }),
        )
  }
  writing.problems.throwIfAny()
}
