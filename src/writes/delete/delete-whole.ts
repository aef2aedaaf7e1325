// Deletes all rows of a list by one statement, under rules that it judges by itself.

import type { ListPlan } from '../../plan/read/read-plan.ts'
import { noBoundValues } from '../../prepared/template.ts'
import type { Collection } from '../../schema/model.ts'
import { deletionRules, limitsOf } from '../authorize/statement-rules.ts'
import { isDeletedAtOnce, listWrite, runListWrite } from '../list-write.ts'
import { judging } from '../row-template.ts'
import { circumstancesOf, type WriteContext } from '../write-context.ts'
import type { Affected, BulkBounds } from './affected-rows.ts'

/** The deletion of a whole list. */
export type WholeDeletion = (writing: WriteContext) => Promise<Affected>

/** Returns the deletion of a list's rows by one statement; undefined if each row has to be looked at, or if no rules limit the caller. */
export function wholeDeletion(
  collection: Collection,
  list: ListPlan,
  writing: WriteContext,
  bounds: BulkBounds,
): WholeDeletion | undefined {
  const { caller, engine } = writing
  if (!judging.isByStatement || !isDeletedAtOnce(collection, engine, bounds)) return undefined
  const rules = deletionRules(collection, caller, circumstancesOf(writing))
  const limits = rules && !rules.needsLock ? limitsOf(rules, engine) : undefined
  const deletion = limits && listWrite(list, caller, bounds, { columns: undefined, limits })
  return deletion && ((inside) => runListWrite(deletion, noBoundValues, inside, bounds))
}
