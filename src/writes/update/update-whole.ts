// Updates all rows of a list by one statement: new values that do not depend on a row, without hooks, and under rules that a statement judges.

import type { ListPlan } from '../../plan/read/read-plan.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { incrementedNames } from '../../plan/write/increment.ts'
import { bindItems, changeLayoutOf } from '../../plan/write/row-layout.ts'
import type { Collection } from '../../schema/model.ts'
import { rowValues } from '../../sql/write/row-values.ts'
import type { RowConditions } from '../../sql/write/row-writes.ts'
import { passesValidations } from '../authorize/passes-validations.ts'
import { emptyReferences } from '../authorize/references.ts'
import type { Affected, BulkBounds } from '../delete/affected-rows.ts'
import { listWrite } from '../list-write.ts'
import { limitsOf } from '../obligations/row-obligations.ts'
import { updateObligations } from '../obligations/update-obligations.ts'
import { judging } from '../program/row-template.ts'
import { runListWrite, writeAlone } from '../run-list-write.ts'
import { circumstancesOf, type WriteContext } from '../write-context.ts'
import { hasTriggers, knownTriggers } from './side-effects.ts'
import { needsEach } from './single-statement.ts'
import { isDoubtful } from './unchanged-bytes.ts'

/** New values of the rows of a list. */
export interface ListUpdate {
  /** That of the list, unlimited and not as it is visible to the caller. */
  readonly collection: Collection
  readonly list: ListPlan
  readonly payload: ItemData
}

/** The update of a whole list. */
export interface WholeUpdate {
  /** Updates without a transaction; undefined if that is not possible, or found nothing to do. */
  readonly alone: () => Promise<Affected | undefined>
  /** Returns whether triggers may change what rules have validated. */
  readonly isUnsure: () => Promise<boolean>
  /** Updates in the transaction of a context. */
  readonly within: (inside: WriteContext) => Promise<Affected>
}

/** Returns the update of a list's rows by one statement; undefined if each row has to be looked at. */
export function wholeUpdate(
  { collection, list, payload }: ListUpdate,
  writing: WriteContext,
  bounds: BulkBounds,
): WholeUpdate | undefined {
  const { engine, caller, moment } = writing
  if (bounds.dryRun || collection.isSingleton || needsEach(engine, 'items.update', collection))
    return undefined
  if (!passesValidations(collection, [{ payload }], writing)) return undefined
  const names = Object.keys(payload)
  // No rule fills in anything where nothing changes.
  if (names.length === 0) return undefined
  const now = circumstancesOf(writing)
  const change = {
    names,
    incremented: incrementedNames(collection, payload),
    isUser: moment.user !== undefined,
    empty: new Set(emptyReferences(collection, payload)),
  }
  const rules = updateObligations(collection, { ...change, chosen: list.condition }, caller, now)
  if (!rules || rules.needsLock || (rules.isLimited && !judging.isByStatement)) return undefined
  const presets = rules.presets(now)
  const item = presets && { ...payload, ...presets }
  const truths = item && rules.meets(item)
  // A list is not joined with the items to which new values refer.
  if (!truths || hasTargets(rules.conditions)) return undefined
  const layout = changeLayoutOf(collection, { ...change, names: Object.keys(item) }, engine.dialect)
  const bound = layout && bindItems(layout, [{ payload: item }], moment)
  if (!bound || bound.some(isDoubtful)) return undefined
  const limits = limitsOf(rules, truths, engine)
  const update = listWrite(list, caller, bounds, { columns: layout, limits })
  const values = rowValues(undefined, layout.fields, bound)
  return (
    update && {
      isUnsure: async () =>
        rules.isValidated && (knownTriggers(collection, writing) ?? hasTriggers(collection, writing)),
      alone: async () => (judging.isByStatement ? writeAlone(update, values, writing, bounds) : undefined),
      within: (inside) => runListWrite(update, values, inside, bounds),
    }
  )
}

const hasTargets = ({ targets, alternatives }: RowConditions): boolean =>
  targets.length > 0 || alternatives.some((one) => one.targets.length > 0)
