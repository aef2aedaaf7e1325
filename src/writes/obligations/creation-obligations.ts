import type { EngineInternals } from '../../engine/engine.ts'
import { always } from '../../plan/filter/predicate.ts'
import { fieldsTested } from '../../plan/walk.ts'
import type { Collection, StoredField } from '../../schema/model.ts'
import type { Circumstances } from '../../vocabulary/variables.ts'
import { rulesFor } from '../authorize/writable-fields.ts'
import { areMet, contextFor, creationAlternatives, defaultedNames } from './alternatives.ts'
import { isExact, judgingOf } from './place.ts'
import {
  asItIs,
  composed,
  givenIn,
  grantedBy,
  type NamedFields,
  type NewRowObligations,
  unlimited,
} from './row-obligations.ts'
import { visibleRows } from './seen-rows.ts'
import { visibleTargets } from './targets.ts'

/** Returns what must hold for a new row that names some fields; undefined if a statement alone cannot judge it. */
export function creationObligations(
  collection: Collection,
  { names, empty: nulls }: NamedFields,
  engine: EngineInternals,
  circumstances: Circumstances,
): NewRowObligations | undefined {
  const permissions = engine.scope?.permissions
  if (!permissions) return unlimited
  const { dialect } = engine
  const shown = visibleRows(collection, permissions, circumstances)
  const granted = grantedBy(rulesFor(permissions, collection, 'create'), names)
  if (!shown || !granted || judgingOf(shown, collection, dialect) === 'never') return undefined
  const context = contextFor(engine, circumstances)
  const named = new Set([...names, ...granted.presetNames])
  const defaulted = defaultedNames(collection, named)
  const known = new Set([...named, ...defaulted])
  const isEmpty = (name: string) => (collection.fields.get(name) as StoredField | undefined)?.default == null
  const empty = new Set([...nulls, ...defaulted.filter(isEmpty)])
  const facts = { collection, isNew: true, known, empty, changed: known, dialect, setting: context.setting }
  const alternatives = granted.rules.map((rule) => creationAlternatives(rule, facts, context))
  const references = visibleTargets(
    collection,
    givenIn({ names, empty: nulls }),
    { permissions, dialect },
    circumstances,
  )
  const made = composed({
    collection,
    permissions,
    granted,
    seen: always,
    shown,
    alternatives,
    references,
    facts,
    context,
  })
  if (!made) return undefined
  const isSeenByValues = isExact(shown) && fieldsTested(shown).every(({ name }) => known.has(name))
  const sighted = isSeenByValues ? fieldsTested(shown) : []
  const judged = made.conditions.alternatives.flatMap(({ values }) => fieldsTested(values))
  return {
    ...made,
    storedFields: [...new Set([...judged, ...sighted, ...made.storedFields])],
    judgedNames: new Set([...judged, ...sighted].map(({ name }) => name)),
    isVisible: (values) => isSeenByValues && areMet(shown, values, asItIs, context),
  }
}
