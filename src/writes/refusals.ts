// Finds the obligation that a row does not meet, where its statement has changed nothing: asks for the truth of each. Where that is not certain,
// nothing is refused, and the general path finds out.

import { rulePredicate } from '../access/caller-scope.ts'
import type { RuleRead } from '../access/rules.ts'
import { execute } from '../execution/execute.ts'
import type { RowLayout } from '../plan/write/row-layout.ts'
import { bindStatement, type StatementValues } from '../prepared/templates/template.ts'
import type { Collection, OwnField } from '../schema/model.ts'
import { rowTruths } from '../sql/write/row-truths.ts'
import type { RowConditions } from '../sql/write/row-writes.ts'
import { permitItem, ruleValidator } from './authorize/check-rules.ts'
import { unseenTarget } from './authorize/references.ts'
import { forbidden } from './authorize/writable-fields.ts'
import { missing } from './context/named-key.ts'
import { circumstancesOf, permissionsOf, type WriteContext } from './context/write-context.ts'
import type { Intent } from './create-or-update.ts'
import { planWrites } from './plan-writes.ts'
import { keysIn } from './stored/rows-by-key.ts'
import { storedItems } from './stored/select-keys.ts'

/** The conditions of a statement, and its values. */
export interface BoundConditions {
  readonly conditions: RowConditions
  readonly layout: RowLayout
  readonly values: StatementValues
}

interface UnchangedRow extends BoundConditions {
  readonly collection: Collection
  readonly intent: Intent
}

/** Refuses an update whose row does not meet an obligation. */
export async function refuseUpdate(row: UnchangedRow, writing: WriteContext): Promise<void> {
  const { collection, conditions, layout, values, intent } = row
  const { engine, options } = writing
  const { key, path } = intent
  // A sum is judged by what is stored.
  if (key === undefined || layout.added.size > 0) return
  const rules = permissionsOf(writing)?.grants.get(collection)?.update ?? []
  const now = circumstancesOf(writing)
  const filters = rules.map((rule) => rulePredicate(rule, collection, engine.schema, now))
  const select = bindStatement(rowTruths(collection, key, { ...conditions, filters }, engine), values)
  const [truths, ...more] = await execute(engine, select, options)
  // Several rows with one key are none of them.
  if (more.length > 0) return
  if (!truths?.[0]) throw missing(path)
  const [rule, ...others] = rules.filter((_rule, at) => truths[at + 1])
  if (rules.length > 0 && !rule) throw forbidden(path, 'update')
  // Of several, any may be the one that refuses.
  if (!rule || others.length > 0) return
  const isMet = Boolean(truths[1 + rules.length])
  const unseen = conditions.targets.flatMap(({ field }, at) => (truths[2 + rules.length + at] ? [] : [field]))
  await refuseItem(row, isMet ? { ...rule, validation: undefined } : rule, unseen, writing)
}

/** Refuses what a rule does not allow of a row that it allows, and a reference to what is not visible. */
async function refuseItem(
  { collection, intent }: UnchangedRow,
  rule: RuleRead,
  unseen: readonly OwnField[],
  writing: WriteContext,
): Promise<void> {
  const [item] = await planWrites(
    collection,
    [{ ...intent, isCheckedByUpdate: true, isHooked: true }],
    writing,
  )
  if (!item || !writing.problems.isEmpty) return
  const validator = ruleValidator(rule, collection, writing)
  const { fields, needsDatabase } = validator.validation ?? { fields: [], needsDatabase: true }
  const rows = needsDatabase ? undefined : await storedItems(collection, keysIn([item]), [...fields], writing)
  const stored = rows ? [...rows.values()][0] : {}
  if (!stored) return
  permitItem(item, [validator], { stored, isFollowed: false }, writing)
  writing.problems.throwIfAny()
  // Several are reported in the order of what they refer to.
  if (unseen.length === 1) throw unseenTarget(item, unseen, writing)
}
