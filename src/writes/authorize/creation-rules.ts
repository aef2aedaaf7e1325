// Rules of new items that their values alone decide.

import { rulePredicate } from '../../access/caller-scope.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import type { ItemData } from '../../plan/changes.ts'
import { holds } from '../../plan/evaluate.ts'
import { rowValidation } from '../../plan/judge-row.ts'
import { always, type Predicate } from '../../plan/predicate.ts'
import { fieldsTested } from '../../plan/walk.ts'
import type { Collection } from '../../schema/model.ts'
import type { Circumstances } from '../../vocabulary/variables.ts'
import { holdingOf } from './references.ts'
import { presetsFor } from './rule-presets.ts'
import { contextFor, isDecided, isPassing, rowOf, type StatementRules, seenRows } from './statement-rules.ts'
import { rulesFor } from './writable-fields.ts'

/** What a statement needs of the rules for new items. */
export interface CreationRules extends Pick<StatementRules, 'presetNames' | 'presets'> {
  /** The condition of the visible rows. */
  readonly shown: Predicate
  /** The condition that new values have to meet. */
  readonly filter: Predicate
  /** True if the new values, filled in by the rule, are allowed. `filter`: bound to the caller. */
  readonly passes: (values: ItemData, filter: Predicate) => boolean
}

const nothing = {}

/** The rules of an engine without any. */
const unlimited: CreationRules = {
  presetNames: [],
  presets: () => nothing,
  shown: always,
  filter: always,
  passes: () => true,
}

/** Returns the rules under which items that name some fields are created; undefined if their new values alone do not decide. */
export function creationRules(
  collection: Collection,
  names: readonly string[],
  engine: EngineInternals,
  circumstances: Circumstances,
): CreationRules | undefined {
  const permissions = engine.scope?.permissions
  const referring = new Set(holdingOf(collection).map(({ name }) => name))
  if (!permissions) return unlimited
  if (names.some((name) => referring.has(name))) return undefined
  const granting = rulesFor(permissions, collection, 'create').filter(({ fields }) =>
    names.every((name) => fields.has(name)),
  )
  const [rule, ...others] = granting
  const shown = seenRows(collection, permissions, engine.dialect, circumstances)
  if (!rule || others.length > 0 || !shown) return undefined
  const presetNames = Object.keys(rule.presets).filter((name) => !names.includes(name))
  const written = new Set([...names, ...presetNames])
  const filter = rulePredicate(rule, collection, engine.whole().schema, circumstances)
  if (!isExact(filter, written)) return undefined
  const context = contextFor(engine, circumstances)
  const validation = rule.validation && rowValidation(collection, rule.validation, context)
  if (validation && !isDecided(validation, written)) return undefined
  return {
    presetNames,
    presets: (now) => presetsFor(rule, presetNames, now),
    shown,
    filter,
    passes: (values, now) =>
      holds(now, rowOf(fieldsTested(filter), values), context.setting) &&
      (!validation || isPassing(validation, values, context)),
  }
}

/** True if memory and every database agree on a condition, whatever it compares texts by, and it names written fields alone. */
function isExact(predicate: Predicate, written: ReadonlySet<string>): boolean {
  if (predicate.kind === 'and' || predicate.kind === 'or')
    return predicate.parts.every((part) => isExact(part, written))
  if (predicate.kind !== 'test' || predicate.subject.kind !== 'field') return false
  const { field, type } = predicate.subject
  if (!written.has(field.name) || type.isArray || predicate.operand.kind === 'pattern') return false
  // Equal texts are equal in every collation; different ones may be equal, too.
  if (type.family === 'text') return predicate.operator === '_eq' || predicate.operator === '_in'
  return type.family === 'integer' || type.family === 'uuid' || type.family === 'boolean'
}
