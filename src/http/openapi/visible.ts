// Visibility and permissions of a caller, on which a document is based.
import {
  actionsOn,
  mayDoAnything,
  type VisibleActions,
  visibleActions,
} from '../../access/visible-actions.ts'
import { actionContext } from '../../engine/action-context.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import type { Collection } from '../../schema/model.ts'

/** Returns the collections of the schema that may be named, by name. */
export const visibleByName = (engine: EngineInternals): ReadonlyMap<string, VisibleActions> =>
  visibleActions(actionContext(engine))

/** Returns the collection of versions, if any are visible. */
export function visibleVersions(engine: EngineInternals): VisibleActions | undefined {
  if (![...engine.schema.collections.values()].some(({ isVersioned }) => isVersioned)) return undefined
  return visibleOf(engine.versions(), engine)
}

/** Returns the collection of files, if any may be read or written. */
export const visibleFiles = (engine: EngineInternals): VisibleActions | undefined =>
  engine.files && visibleOf(engine.files.collection, engine)

function visibleOf(collection: Collection, engine: EngineInternals): VisibleActions | undefined {
  const visible = actionsOn(collection, actionContext(engine.withOwn()))
  return mayDoAnything(visible) ? visible : undefined
}
