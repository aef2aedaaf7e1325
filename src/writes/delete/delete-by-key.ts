// Deletes a row by the one statement that also judges it. Where anything is in the way, it deletes nothing, and the general path finds out
// what.

import type { Key } from '../../plan/key.ts'
import type { Collection } from '../../schema/model.ts'
import { rowDeletion, rowValues } from '../../sql/row-writes.ts'
import { deletionRules } from '../authorize/statement-rules.ts'
import { constraintErrorOf } from '../constraint-error.ts'
import {
  boundQuestions,
  boundRow,
  type RowTemplates,
  rowTemplate,
  runRow,
  type WritingStatement,
} from '../row-template.ts'
import { hasHooks } from '../update/single-statement.ts'
import type { WriteContext } from '../write-context.ts'

const templates: RowTemplates<WritingStatement> = new WeakMap()

/** Deletes a row and returns true; false if one statement alone cannot judge it, or found nothing to delete. */
export function deleteByKey(
  collection: Collection,
  key: Key,
  writing: WriteContext,
): boolean | Promise<boolean> {
  const { caller, engine } = writing
  if (collection.isVersioned || caller.unit || hasHooks(engine, 'items.delete', collection)) return false
  const template = rowTemplate(templates, caller.templates, collection.name, collection, writing, (now) => {
    const condition = deletionRules(collection, caller, now)
    const statement = condition && rowDeletion(collection, condition, engine)
    return statement && { statement }
  })
  const asked = template && boundQuestions(template, collection, writing)
  if (!asked) return false
  const statement = boundRow(template, rowValues(key, [], []), asked)
  const row = runRow(statement, (error) => failOf(error, collection, writing), writing)
  return row instanceof Promise ? row.then((found) => found !== undefined) : row !== undefined
}

async function failOf(error: unknown, collection: Collection, writing: WriteContext): Promise<never> {
  throw await constraintErrorOf(error, collection, undefined, writing)
}
