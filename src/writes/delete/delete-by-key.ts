// Deletes a row by the one statement that also judges it. Where anything is in the way, it deletes nothing, and the general path finds out
// what.

import type { Key } from '../../plan/key.ts'
import { type Collection, keyOf } from '../../schema/model.ts'
import { rowLock } from '../../sql/write/row-locks.ts'
import { rowValues } from '../../sql/write/row-values.ts'
import { rowDeletion } from '../../sql/write/row-writes.ts'
import { announceDeleted, runAlone } from '../announce.ts'
import { constraintErrorOf } from '../constraint-error.ts'
import { deletionObligations } from '../obligations/deletion-obligations.ts'
import {
  type BoundRow,
  bindOpenValues,
  boundRow,
  type RowTemplates,
  rowTemplate,
  runRow,
  templatesOf,
  type WritingStatement,
} from '../program/row-template.ts'
import { readKeys, whyNone } from '../rows-by-key.ts'
import { isUnattended, takesTransaction } from '../update/single-statement.ts'
import type { WriteContext } from '../write-context.ts'
import { deleteVersionsOf } from './delete-versions.ts'

const templates: RowTemplates<WritingStatement> = new WeakMap()

/** Deletes a row and reports it; false if one statement alone cannot judge it, or found nothing to delete. */
export async function deleteByKey(collection: Collection, key: Key, writing: WriteContext): Promise<boolean> {
  const statement = boundDeletion(collection, key, writing)
  if (!statement) return false
  const fail = (error: unknown) => failOf(error, collection, writing)
  const row = await runAlone('delete', { collection, keys: [key] }, writing, () =>
    runRow(statement, fail, writing),
  )
  // Without rules the row itself is missing.
  if (!row && isUnattended(writing.caller, 'items.delete', collection))
    throw await whyNone(collection, key, writing)
  if (!row) return false
  const keys = readKeys([row], collection, writing)
  await deleteVersionsOf(collection, keys, writing)
  await announceDeleted(collection, keys, writing)
  return true
}

function boundDeletion(collection: Collection, key: Key, writing: WriteContext): BoundRow | undefined {
  const { caller, engine } = writing
  if (takesTransaction(engine, 'items.delete', collection)) return undefined
  const named = { name: collection.name, collection }
  const template = rowTemplate(templatesOf(templates, caller.templates), named, writing, (now) => {
    const rules = deletionObligations(collection, caller, now)
    const statement = rules && rowDeletion(collection, rules.conditions, engine)
    const lock = rules?.needsLock
      ? rowLock({ collection, by: keyOf(collection) }, rules.conditions, 'removal', engine)
      : undefined
    return statement && { statement, locks: lock ? [lock] : [], judged: rules.beside }
  })
  const requested = template && bindOpenValues(template, collection, writing)
  return requested && boundRow(template, rowValues(key, [], []), requested)
}

async function failOf(error: unknown, collection: Collection, writing: WriteContext): Promise<never> {
  throw await constraintErrorOf(error, { collection }, writing)
}
