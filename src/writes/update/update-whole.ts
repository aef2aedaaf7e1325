// Updates all rows of a list by one statement: new values that do not depend on a row, without rules and hooks.

import type { ItemData } from '../../plan/changes.ts'
import type { ListPlan } from '../../plan/read-plan.ts'
import { bindItems, changeLayoutOf } from '../../plan/row-layout.ts'
import type { Collection } from '../../schema/model.ts'
import { rowValues } from '../../sql/row-writes.ts'
import { passesValidations } from '../authorize/passes-validations.ts'
import type { Affected, BulkBounds } from '../delete/affected-rows.ts'
import { listWrite, runListWrite } from '../list-write.ts'
import type { WriteContext } from '../write-context.ts'
import { hasHooks } from './single-statement.ts'
import { isDoubtful } from './unchanged-bytes.ts'

/** The update of a whole list. */
export type WholeUpdate = (writing: WriteContext) => Promise<Affected>

/** Returns the update of a list's rows by one statement; undefined if each row has to be looked at. */
export function wholeUpdate(
  collection: Collection,
  list: ListPlan,
  given: ItemData,
  writing: WriteContext,
  bounds: BulkBounds,
): WholeUpdate | undefined {
  const { engine, caller, moment } = writing
  const isJudged = caller.scope?.permissions || !passesValidations(collection, [{ given }], writing)
  if (bounds.dryRun || isJudged || collection.isSingleton || hasHooks(engine, 'items.update', collection))
    return undefined
  const isUser = moment.user !== undefined
  const layout = changeLayoutOf(collection, Object.keys(given), engine.dialect, isUser)
  const bound = layout && bindItems(layout, [{ given }], moment)
  if (!bound || bound.some(isDoubtful)) return undefined
  const update = listWrite(list, engine, bounds, layout.fields)
  const values = rowValues(undefined, layout.fields, bound)
  return update && ((inside) => runListWrite(update, values, inside, bounds))
}
