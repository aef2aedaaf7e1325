// Visibility and permissions of a caller, on which a document is based.
import {
  actionsOn,
  mayDoAnything,
  type VisibleActions,
  visibleActions,
} from '../../access/visible-actions.ts'
import { actionGround } from '../../engine/action-ground.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import type { Collection } from '../../schema/model.ts'

/** Returns the collections of the schema that may be named, by name. */
export const sights = (engine: EngineInternals): ReadonlyMap<string, VisibleActions> =>
  visibleActions(actionGround(engine))

/** Returns the collection of versions, if any are visible. */
export function versionsSight(engine: EngineInternals): VisibleActions | undefined {
  if (![...engine.schema.collections.values()].some(({ isVersioned }) => isVersioned)) return undefined
  return sightOf(engine.versions(), engine)
}

/** Returns the collection of files, if any may be read or written. */
export const filesSight = (engine: EngineInternals): VisibleActions | undefined =>
  engine.files && sightOf(engine.files.collection, engine)

function sightOf(collection: Collection, engine: EngineInternals): VisibleActions | undefined {
  const sight = actionsOn(collection, actionGround(engine.withOwn()))
  return mayDoAnything(sight) ? sight : undefined
}
