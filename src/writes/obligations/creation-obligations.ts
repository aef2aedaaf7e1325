import type { EngineInternals } from '../../engine/engine.ts'
import { always } from '../../plan/filter/predicate.ts'
import type { Collection } from '../../schema/model.ts'
import type { Circumstances } from '../../vocabulary/variables.ts'
import { rulesFor } from '../authorize/writable-fields.ts'
import { contextFor, creationAlternatives, defaultedFields } from './alternatives.ts'
import { judgingOf, type RowFacts } from './place.ts'
import {
  composed,
  givenIn,
  grantedBy,
  type NamedFields,
  type RowObligations,
  unlimited,
} from './row-obligations.ts'
import { visibleRows } from './seen-rows.ts'
import { visibleTargets } from './targets.ts'

/** Returns what must hold for a new row that names some fields; undefined if a statement alone cannot judge it. */
export function creationObligations(
  collection: Collection,
  { names, empty }: NamedFields,
  engine: EngineInternals,
  circumstances: Circumstances,
): RowObligations | undefined {
  const permissions = engine.scope?.permissions
  if (!permissions) return unlimited
  const { dialect } = engine
  const shown = visibleRows(collection, permissions, circumstances)
  const granted = grantedBy(rulesFor(permissions, collection, 'create'), names)
  if (!shown || !granted || judgingOf(shown, collection, dialect) === 'never') return undefined
  const context = contextFor(engine, circumstances)
  const written = { names: [...names, ...granted.presetNames], empty }
  const facts = newRowFacts(collection, written, { dialect, setting: context.setting })
  const input = givenIn({ names, empty })
  const made = composed({
    ...{ collection, permissions, granted, facts, context, shown },
    seen: always,
    alternatives: granted.rules.map((rule) => creationAlternatives(rule, facts, context)),
    references: visibleTargets(collection, input, { permissions, dialect }, circumstances),
  })
  return made && { ...made, isValidated: made.storedFields.length > 0 }
}

/** Returns the facts of a new row: fields that nobody gives have their defaults, or are null. */
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
