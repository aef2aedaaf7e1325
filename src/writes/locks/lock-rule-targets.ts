// Locks the items through which a rule looks further before it judges new rows: whoever ends a membership under their lock is waited for.
import type { Predicate } from '../../plan/filter/predicate.ts'
import { keyIdentity } from '../../plan/key.ts'
import { collectionsTested, holdersOf } from '../../plan/touches.ts'
import { leavesOf } from '../../plan/walk.ts'
import type { ItemWrite } from '../../plan/write/write-plan.ts'
import type { Collection } from '../../schema/model.ts'
import { referenceOf } from '../authorize/references.ts'
import { keysIn } from '../rows-by-key.ts'
import type { WriteContext } from '../write-context.ts'
import { lockMatching } from './lock-rows.ts'
import { storedItems } from './select-keys.ts'

/** Locks the items to which some stored items refer, where the condition of a rule on them looks at more than their columns. A foreign key
 *  holds them already, but not every relation has one. Items that do not meet the condition are not waited for. */
export async function lockRuleTargets(
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
    await lockMatching(goal, { keys, use: 'reference' }, leaf.condition, writing)
  }
}
