// Who sees and may do what: that of which a document speaks.
import { type Action, actions } from '../../access/access.ts'
import type { RuleRead } from '../../access/rules.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Collection, Field } from '../../schema/model.ts'

/** A collection as somebody sees it, and what they may do with it. */
export interface VisibleActions {
  readonly name: string
  /** Undefined where nothing of it may be read. */
  readonly seen: Collection | undefined
  /** As it is, whoever asks. Payloads are read by it. */
  readonly whole: Collection
  /** Whether rules have a say in what is seen of what was written. */
  readonly isNarrowed: boolean
  readonly may: (action: Action) => boolean
  /** The fields that may be named in a payload. */
  readonly writable: (action: 'create' | 'update') => readonly Field[]
  /** Whether some rule fills a field in where the caller does not name it. */
  readonly isPreset: (field: Field) => boolean
  /** Whether a handler has a say in what is written, so that nothing about it is certain. */
  readonly isAsked: (action: 'create' | 'update') => boolean
}

/** The collections of the schema that may be named at all, by name. */
export function sights(engine: Engine): ReadonlyMap<string, VisibleActions> {
  const whole = engine.whole().schema.collections
  const apart = engine.narrowing?.limits?.seen.apart
  const named = [...whole.values()].filter((collection) => !apart?.has(collection))
  const all = named.map((collection) => [collection.name, sightOf(collection, engine)] as const)
  return new Map(all.filter(([, sight]) => actions.some((action) => sight.may(action))))
}

/** The collection that holds versions, where any are seen. */
export function versionsSight(engine: Engine): VisibleActions | undefined {
  const own = engine.withOwn()
  if (![...engine.schema.collections.values()].some(({ isVersioned }) => isVersioned)) return undefined
  const sight = sightOf(engine.versions(), own)
  return actions.some((action) => sight.may(action)) ? sight : undefined
}

/** The collection that tells of files, where any may be had or brought. */
export function filesSight(engine: Engine): VisibleActions | undefined {
  if (!engine.files) return undefined
  const sight = sightOf(engine.files.collection, engine.withOwn())
  return actions.some((action) => sight.may(action)) ? sight : undefined
}

function sightOf(whole: Collection, engine: Engine): VisibleActions {
  const limits = engine.narrowing?.limits
  const { name } = whole
  const seen = engine.schema.collections.get(name)
  const isAsked: VisibleActions['isAsked'] = (action) =>
    engine.hooks.of('before', `items.${action}`, name).length > 0
  const fields = [...whole.fields.values()]
  if (!limits)
    return {
      name,
      seen,
      whole,
      isNarrowed: false,
      isAsked,
      may: () => true,
      writable: () => fields,
      isPreset: () => false,
    }
  const rulesFor = (action: Action): readonly RuleRead[] => limits.grants.get(whole)?.[action] ?? []
  return {
    name,
    seen,
    whole,
    isNarrowed: true,
    isAsked,
    // What is not seen can be neither changed nor deleted.
    may: (action) => (action === 'create' || seen !== undefined) && rulesFor(action).length > 0,
    writable: (action) =>
      fields.filter((field) => rulesFor(action).some((rule) => rule.fields.has(field.name))),
    isPreset: (field) => rulesFor('create').some(({ presets }) => Object.hasOwn(presets, field.name)),
  }
}
