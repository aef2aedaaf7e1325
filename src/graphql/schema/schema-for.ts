// The schema of each caller. Callers whose outlines are equal share one: a thousand of them cost no more than one.
import { createHash } from 'node:crypto'
import type { GraphQLSchema } from 'graphql'
import { actionContext } from '../../engine/action-context.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { Cache } from '../../values/cache.ts'
import { memoFor, once } from '../../values/memo.ts'
import { buildSchema, type DocumentWords, hasSubscription, isWritable } from './build-schema.ts'
import { checkExtraNames } from './extra/extra-names.ts'
import { nameSchema, type SchemaNames } from './names/names.ts'
import type { SchemaOutline } from './outline/outline.ts'
import { outlineOf } from './outline/outline-of.ts'
import type { SchemaSettings } from './schema-options.ts'

/** The schema of all callers with equal names. Documents that were validated with it belong to it. */
export interface CallerSchema {
  /** A text that is equal for equal schemas. */
  readonly fingerprint: string
  readonly outline: SchemaOutline
  readonly hasMutations: boolean
  readonly hasSubscriptions: boolean
  /** Returns the whole schema, which is built on first use. */
  readonly whole: () => GraphQLSchema
  /** Builds what the names of a document name: a valid document is valid by it, and by the whole. */
  readonly forWords: (words: DocumentWords) => GraphQLSchema
}

export function schemaFor(engine: EngineInternals, settings: SchemaSettings): CallerSchema {
  const { whole, permissions } = actionContext(engine)
  const changed = changedOnCreation(engine)
  const id = `${settings.text} ${JSON.stringify(changed)}`
  const known = memoFor(byCaller, permissions ?? whole, () => new Cache<CallerSchema>(settingsKept))
  const found = known.get(id)
  if (found) return found
  const names = namesOf(engine, settings)
  const outline = outlineOf(engine, { names, settings, changed: new Set(changed) })
  // Callers without rules share one as it is; to compare it with others, all of it would have to be made.
  const made = permissions ? shared(outline) : ownSchema(outline)
  known.set(id, made)
  return made
}

/** Returns a schema whose parts are made without the whole, and whose whole is shared. */
function ownSchema(outline: SchemaOutline): CallerSchema {
  const whole = once(() => shared(outline))
  return {
    outline,
    hasMutations: outline.collections.some(isWritable),
    hasSubscriptions: outline.collections.some(hasSubscription),
    get fingerprint() {
      return whole().fingerprint
    },
    whole: () => whole().whole(),
    forWords: keptByWords((words) => buildSchema(outline, words)),
  }
}

/** Returns the collections whose new items hooks may change: of them no field is certain to be required. Hooks may be registered at any time. */
function changedOnCreation(engine: EngineInternals): readonly string[] {
  if (!engine.hooks.runOnWrites) return []
  const { whole, mayChange } = actionContext(engine)
  return [...whole.collections.keys()].filter((name) => mayChange('create', name))
}

/** Returns the names of an engine's schema, which are the same for every caller. */
export function namesOf(engine: EngineInternals, settings: SchemaSettings): SchemaNames {
  const { whole } = actionContext(engine)
  const known = memoFor(byWhole, whole, () => new Cache<SchemaNames>(settingsKept))
  const found = known.get(settings.text)
  if (found) return found
  const made = nameSchema(whole, settings)
  checkExtraNames(settings.extensions, made, whole)
  known.set(settings.text, made)
  return made
}

const settingsKept = 8
const byCaller = new WeakMap<object, Cache<CallerSchema>>()
const byWhole = new WeakMap<object, Cache<SchemaNames>>()

/** Schemas of 50 collections take some megabytes each. */
const schemasKept = 50
const byFingerprint = new Cache<CallerSchema>(schemasKept)

function shared(outline: SchemaOutline): CallerSchema {
  const fingerprint = createHash('sha256').update(JSON.stringify(outline)).digest('base64url')
  const known = byFingerprint.get(fingerprint)
  if (known) return known
  const made: CallerSchema = {
    fingerprint,
    outline,
    hasMutations: outline.collections.some(isWritable),
    hasSubscriptions: outline.collections.some(hasSubscription),
    whole: once(() => buildSchema(outline)),
    forWords: keptByWords((words) => buildSchema(outline, words)),
  }
  byFingerprint.set(fingerprint, made)
  return made
}

/** Many documents differ in values and aliases only. */
function keptByWords(build: CallerSchema['forWords']): CallerSchema['forWords'] {
  const known = new Cache<GraphQLSchema>(partsKept)
  return (words) => {
    const text = [words.levels, ...[...words.names].sort()].join(' ')
    const found = known.get(text)
    if (found) return found
    const made = build(words)
    if (text.length <= longestWordsKept) known.set(text, made)
    return made
  }
}

const partsKept = 100
/** The memory that these texts take has to have a bound, too. */
const longestWordsKept = 5_000
