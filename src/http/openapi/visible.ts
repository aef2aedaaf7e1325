// Visibility and permissions of a caller, on which a document is based.
import { type Action, actions } from '../../access/access.ts'
import type { RuleRead } from '../../access/rules.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import type { Collection, Field } from '../../schema/model.ts'

/** A collection as it is visible to a caller, and the actions that they may perform on it. */
export interface VisibleActions {
  readonly name: string
  /** Visible collection. Undefined if nothing of it may be read. */
  readonly seen: Collection | undefined
  /** Collection without rules applied. Payloads are read by it. */
  readonly whole: Collection
  /** True if rules limit which written items are visible. */
  readonly isNarrowed: boolean
  readonly may: (action: Action) => boolean
  /** Returns the fields that a payload may name. */
  readonly writable: (action: 'create' | 'update') => readonly Field[]
  /** True if a rule presets the field when the caller does not give it. */
  readonly isPreset: (field: Field) => boolean
  /** True if a hook may change written items, so that nothing about them is certain. */
  readonly isAsked: (action: 'create' | 'update') => boolean
}

/** Returns the collections of the schema that may be named, by name. */
export function sights(engine: EngineInternals): ReadonlyMap<string, VisibleActions> {
  const whole = engine.whole().schema.collections
  const apart = engine.scope?.permissions?.seen.apart
  const named = [...whole.values()].filter((collection) => !apart?.has(collection))
  const all = named.map((collection) => [collection.name, sightOf(collection, engine)] as const)
  return new Map(all.filter(([, sight]) => actions.some((action) => sight.may(action))))
}

/** Returns the collection of versions, if any are visible. */
export function versionsSight(engine: EngineInternals): VisibleActions | undefined {
  const own = engine.withOwn()
  if (![...engine.schema.collections.values()].some(({ isVersioned }) => isVersioned)) return undefined
  const sight = sightOf(engine.versions(), own)
  return actions.some((action) => sight.may(action)) ? sight : undefined
}

/** Returns the collection of files, if any may be read or written. */
export function filesSight(engine: EngineInternals): VisibleActions | undefined {
  if (!engine.files) return undefined
  const sight = sightOf(engine.files.collection, engine.withOwn())
  return actions.some((action) => sight.may(action)) ? sight : undefined
}

function sightOf(whole: Collection, engine: EngineInternals): VisibleActions {
  const permissions = engine.scope?.permissions
  const { name } = whole
  const seen = engine.schema.collections.get(name)
  const isAsked: VisibleActions['isAsked'] = (action) =>
    engine.hooks.of('before', `items.${action}`, name).length > 0
  const fields = [...whole.fields.values()]
  // Items without a key can be listed, and nothing else.
  const isPossible = (action: Action): boolean => action === 'read' || whole.key !== undefined
  if (!permissions)
    return {
      name,
      seen,
      whole,
      isNarrowed: false,
      isAsked,
      may: isPossible,
      writable: () => fields,
      isPreset: () => false,
    }
  const rulesFor = (action: Action): readonly RuleRead[] => permissions.grants.get(whole)?.[action] ?? []
  return {
    name,
    seen,
    whole,
    isNarrowed: true,
    isAsked,
    // Items that are not visible can be neither updated nor deleted.
    may: (action) =>
      isPossible(action) && (action === 'create' || seen !== undefined) && rulesFor(action).length > 0,
    writable: (action) =>
      fields.filter((field) => rulesFor(action).some((rule) => rule.fields.has(field.name))),
    isPreset: (field) => rulesFor('create').some(({ presets }) => Object.hasOwn(presets, field.name)),
  }
}
