// Updates all rows of a list by one statement: new values that do not depend on a row, without hooks, and under rules that a statement judges.

import { isEngineError } from '../../errors/errors.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { incrementedNames } from '../../plan/write/increment.ts'
import { addedForms, addsToStaleRows, bindItems, changeLayoutOf } from '../../plan/write/row-layout.ts'
import type { Collection } from '../../schema/model.ts'
import { rowValues } from '../../sql/write/row-values.ts'
import { passesValidations } from '../authorize/passes-validations.ts'
import { emptyReferences } from '../authorize/references.ts'
import { ofRows } from '../context/in-halves.ts'
import { judging } from '../context/row-template.ts'
import { needsEach } from '../context/single-statement.ts'
import { circumstancesOf, type WriteContext } from '../context/write-context.ts'
import type { Affected, BulkBounds } from '../lists/affected-rows.ts'
import { listWrite } from '../lists/list-write.ts'
import { runListWrite, writeAlone } from '../lists/run-list-write.ts'
import { limitsOf } from '../obligations/row-obligations.ts'
import { updateObligations } from '../obligations/update-obligations.ts'
import type { Program } from '../program/run-program.ts'
import { isDoubtful } from '../program/unchanged-bytes.ts'
import { lockedList } from '../stored/lock-selected.ts'
import { knownTriggers } from '../stored/side-effects.ts'

/** New values of the rows of a list. */
export interface ListUpdate {
  /** That of the list, unlimited and not as it is visible to the caller. */
  readonly collection: Collection
  readonly list: ListPlan
  readonly payload: ItemData
}

/** Returns the update of a list's rows by one statement; undefined if each row has to be looked at. */
export function wholeUpdate(
  { collection, list, payload }: ListUpdate,
  writing: WriteContext,
  bounds: BulkBounds,
): Program<Affected> | undefined {
  const { engine, caller, moment } = writing
  if (bounds.dryRun || collection.isSingleton || needsEach(engine, 'items.update', collection))
    return undefined
  if (!passesValidations(collection, [{ payload }], writing)) return undefined
  const names = Object.keys(payload)
  // No rule fills in anything where nothing changes.
  if (names.length === 0) return undefined
  const now = circumstancesOf(writing)
  const incremented = incrementedNames(collection, payload)
  const change = {
    names,
    incremented,
    forms: addedForms(collection, payload, incremented, engine.dialect),
    isUser: moment.user !== undefined,
    empty: new Set(emptyReferences(collection, payload)),
  }
  const rules = updateObligations(collection, { ...change, chosen: list.condition }, caller, now)
  if (!rules || (rules.isLimited && !judging.isByStatement)) return undefined
  const presets = rules.presets(now)
  const item = presets && { ...payload, ...presets }
  const truths = item && rules.meeting()(item)
  if (!truths) return undefined
  const layout = changeLayoutOf(collection, { ...change, names: Object.keys(item) }, engine.dialect)
  const bound = layout && bindItems(layout, [{ payload: item }], moment)
  if (!bound || bound.some(isDoubtful)) return undefined
  const limits = limitsOf(rules, truths, engine)
  const isJudged = rules.isValidated || rules.storedFields.length > 0
  if (isJudged && knownTriggers(collection, writing)) return undefined
  const followed = isJudged ? engine.dialect.isFollowed(collection) : undefined
  const updateOf = (rows: ListPlan) => listWrite(rows, caller, bounds, { columns: layout, limits, followed })
  const update = updateOf(list)
  const values = rowValues(undefined, layout.fields, bound)
  const isLocked =
    rules.needsLock || rules.locked.length > 0 || addsToStaleRows(collection, change, engine.dialect)
  return (
    update && {
      // An error that is about a row is found again by looking at each.
      doubts: (error) => isEngineError(error) && ofRows.has(error.code),
      alone: async (outside) =>
        judging.isByStatement && !isLocked ? writeAlone(update, values, outside, bounds) : undefined,
      within: async (inside) => {
        const locking = { use: 'change', limits, locked: rules.locked, values } as const
        const rows = isLocked ? await lockedList(list, locking, inside) : list
        return runListWrite((isLocked && updateOf(rows)) || update, values, inside, bounds)
      },
    }
  )
}
