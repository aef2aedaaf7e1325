// An item with what a version changes of it. Everything is read, and nothing written.
import type { Engine } from '../engine.ts'
import { fault } from '../errors.ts'
import type { Given } from '../plan/payload.ts'
import type { ListPlan } from '../plan/read-plan.ts'
import type { Options } from '../run/execute.ts'
import { World } from './load.ts'
import { meets } from './meets.ts'
import { needOf } from './need.ts'
import { patchOf } from './patch.ts'
import { shapeItem } from './shape.ts'
import type { Subject } from './table.ts'

/** Undefined where there is no such item, or where it would not meet the condition. */
export async function overlaid(
  subject: Subject,
  list: ListPlan,
  delta: Given,
  engine: Engine,
  options: Options,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { rows, condition } = list
  if (rows.kind !== 'items')
    throw fault('INVALID_QUERY', 'A version is an item, of which there are no groups.', { path: ['version'] })
  const patch = await patchOf(subject, delta, engine, options)
  const world = new World(patch, engine, options)
  const [item] = await world.byKeys(subject.collection, [subject.key], needOf(list, patch))
  if (!item || !meets(condition, item, engine)) return undefined
  return shapeItem(item, rows.members, engine)
}
