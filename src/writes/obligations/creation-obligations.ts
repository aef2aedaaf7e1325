import type { EngineInternals } from '../../engine/engine.ts'
import { always } from '../../plan/filter/predicate.ts'
import { looksFurther } from '../../plan/write/later-validations.ts'
import type { Collection } from '../../schema/model.ts'
import type { Circumstances } from '../../vocabulary/variables.ts'
import { rulesFor } from '../authorize/writable-fields.ts'
import { judgingOf, type RowFacts } from '../context/place.ts'
import { visibleRows } from '../stored/seen-rows.ts'
import { contextFor, creationAlternatives, defaultedFields, passingWays } from './alternatives.ts'
import {
  composed,
  givenIn,
  grantedBy,
  type NamedFields,
  type RowObligations,
  schemaObligations,
  unlimited,
} from './row-obligations.ts'
import { visibleTargets } from './targets.ts'

/** Returns what must hold for a new row that names some fields; undefined if a statement alone cannot judge it. */
export function creationObligations(
  collection: Collection,
  { names, empty, nested = [], owner }: NamedFields,
  engine: EngineInternals,
  circumstances: Circumstances,
): RowObligations | undefined {
  const permissions = engine.scope?.permissions
  const { dialect } = engine
  if (!permissions && !looksFurther(collection, engine.schema)) return unlimited
  const context = contextFor(engine, circumstances)
  const factsOf = (named: readonly string[]) =>
    newRowFacts(collection, { names: named, empty }, { dialect, setting: context.setting })
  if (!permissions) {
    const facts = factsOf(names)
    return schemaObligations({ collection, facts, context, passing: passingWays(facts, names, context) })
  }
  const shown = visibleRows(collection, permissions, circumstances)
  const granted = grantedBy(rulesFor(permissions, collection, 'create'), [...names, ...nested])
  if (!shown || !granted || judgingOf(shown, collection, dialect) === 'never') return undefined
  const named = [...names, ...granted.presetNames]
  const facts = factsOf(named)
  const input = givenIn({ names, empty, owner })
  const made = composed({
    ...{ collection, permissions, granted, facts, context, shown, owner },
    seen: always,
    alternatives: granted.rules.map((rule) => creationAlternatives(rule, facts, context)),
    references: visibleTargets(collection, input, { permissions, dialect }, circumstances),
    passing: passingWays(facts, named, context),
  })
  return made && { ...made, isValidated: made.storedFields.length > 0 }
}

/** Returns the facts of a new row: fields that are not given have their defaults, or are null. */
function newRowFacts(
  collection: Collection,
  { names, empty }: NamedFields,
  { dialect, setting }: Pick<RowFacts, 'dialect' | 'setting'>,
): RowFacts {
  const defaulted = defaultedFields(collection, new Set(names))
  const known = new Set([...names, ...defaulted.map(({ name }) => name)])
  const nulls = defaulted.filter((field) => (field.default ?? null) === null).map(({ name }) => name)
  return {
    collection,
    isNew: true,
    known,
    empty: new Set([...empty, ...nulls]),
    changed: known,
    dialect,
    setting,
  }
}
