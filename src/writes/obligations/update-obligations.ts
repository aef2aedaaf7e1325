import type { EngineInternals } from '../../engine/engine.ts'
import type { Predicate } from '../../plan/filter/predicate.ts'
import { looksFurther } from '../../plan/write/later-validations.ts'
import type { ChangeNames } from '../../plan/write/row-layout.ts'
import type { Collection } from '../../schema/model.ts'
import type { Circumstances } from '../../vocabulary/variables.ts'
import { rulesFor } from '../authorize/writable-fields.ts'
import { judgingOf } from '../context/place.ts'
import { rowsChosen, rowsShowing, visibleRows } from '../stored/seen-rows.ts'
import { contextFor, passingWays, updateAlternatives } from './alternatives.ts'
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

/** Fields of an update, and what chooses its rows. */
interface UpdatedFields extends Pick<ChangeNames, 'incremented'>, NamedFields {
  /** The condition of a query that chooses the rows. Absent = they are named by their keys. */
  readonly chosen?: Predicate
  /** Names of fields by whose stored values an upsert finds its row. */
  readonly found?: readonly string[]
}

/** Returns what must hold for a row of which fields with some names are updated; undefined if a statement alone cannot judge it. */
export function updateObligations(
  collection: Collection,
  { names, incremented, empty, chosen, found = [], nested = [], owner }: UpdatedFields,
  engine: EngineInternals,
  circumstances: Circumstances,
): RowObligations | undefined {
  const permissions = engine.scope?.permissions
  const { dialect } = engine
  if (!permissions && !looksFurther(collection, engine.schema)) return unlimited
  const context = contextFor(engine, circumstances)
  const factsOf = (named: readonly string[]) => {
    const known = new Set(named.filter((name) => !incremented.includes(name)))
    const changed = new Set([...named, ...nested])
    return { collection, isNew: false, known, empty, changed, dialect, setting: context.setting }
  }
  if (!permissions) {
    const facts = factsOf(names)
    return schemaObligations({ collection, facts, context, passing: passingWays(facts, names, context) })
  }
  const shown = visibleRows(collection, permissions, circumstances)
  const seen = chosen
    ? rowsChosen({ condition: chosen, names: incremented }, collection, permissions, circumstances)
    : rowsShowing(new Set([...incremented, ...found]), collection, permissions, circumstances)
  const readable = permissions.seen.of.get(collection)?.fields
  if (!incremented.every((name) => readable?.has(name))) return undefined
  const granted = grantedBy(rulesFor(permissions, collection, 'update'), [...names, ...nested])
  if (!seen || !shown || !granted || judgingOf(seen, collection, dialect) === 'never') return undefined
  const named = [...names, ...granted.presetNames]
  const facts = factsOf(named)
  const input = givenIn({ names, empty, owner })
  return composed({
    ...{ collection, permissions, granted, facts, context, seen, shown, owner },
    alternatives: granted.rules.map((rule) => updateAlternatives(rule, facts, context)),
    references: visibleTargets(collection, input, { permissions, dialect }, circumstances),
    passing: passingWays(facts, named, context),
  })
}
