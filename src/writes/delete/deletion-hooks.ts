// Hooks around the deletion of one row by the statement that judges it.

import type { Key } from '../../plan/key.ts'
import type { Collection } from '../../schema/model.ts'
import { isVisible, requireRows } from '../authorize/visible-keys.ts'
import { changeOf, runBeforeHooks, type WriteContext } from '../context/write-context.ts'
import { UnsureRows } from '../program/rows-together.ts'

/** True if hooks are all that takes part in the deletion of a row. */
export const isLeftToHooks = (collection: Collection, { engine: { files, hooks } }: WriteContext): boolean =>
  files?.collection.name !== collection.name &&
  hooks.listeners.oldFields('items.delete', collection.name).length === 0

/** Runs the hooks before the deletion of a row, if the caller sees it and may delete it. */
export async function runHooks(collection: Collection, key: Key, writing: WriteContext): Promise<void> {
  if (writing.engine.hooks.of('before', 'items.delete', collection.name).length === 0) return
  if (!(await isVisible(collection, key, writing))) throw new UnsureRows()
  await requireRows(collection, { action: 'delete', keys: [key] }, writing)
  await runBeforeHooks(writing, changeOf(writing, 'items.delete', { collection, keys: [key] }))
}
