// An item with the changes of a version. Everything is read, and nothing written.

import type { EngineInternals } from '../../engine/engine.ts'
import { fault } from '../../errors/errors.ts'
import type { Options } from '../../execution/database.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import type { VersionedItem } from '../version-rows.ts'
import { OverlayReader } from './load-rows.ts'
import { matchesRow } from './match-rows.ts'
import { patchOf } from './patch.ts'
import { projectItem } from './project.ts'
import { requiredDataOf } from './required-data.ts'

/** Returns the item with its changes. Undefined if there is no such item, or it would not meet the condition. */
export async function overlayItem(
  subject: VersionedItem,
  list: ListPlan,
  delta: ItemData,
  engine: EngineInternals,
  options: Options,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { rows, condition } = list
  if (rows.kind !== 'items')
    throw fault('INVALID_QUERY', 'A version is an item, of which there are no groups.', { path: ['version'] })
  const patch = await patchOf(subject, delta, engine, options)
  const world = new OverlayReader(patch, engine, options)
  const [item] = await world.byKeys(subject.collection, [subject.key], requiredDataOf(list, patch))
  if (!item || !matchesRow(condition, item, engine)) return undefined
  return projectItem(item, rows.members, engine)
}
