// Rules of new items that their values alone decide.

import { type Permissions, rulePredicate } from '../../access/caller-scope.ts'
import type { Dialect } from '../../dialects/dialect.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { holds } from '../../plan/filter/evaluate.ts'
import { allOf, always, decided, type Predicate } from '../../plan/filter/predicate.ts'
import { rowValidation } from '../../plan/filter/validate-row.ts'
import { collectionsTested, holdersOf } from '../../plan/touches.ts'
import { fieldsTested } from '../../plan/walk.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { type Collection, isByValue, isTuple, type LinkColumn, type StoredField } from '../../schema/model.ts'
import { isGenerated } from '../../schema/output-schema.ts'
import type { TargetCondition } from '../../sql/write/row-writes.ts'
import type { Circumstances } from '../../vocabulary/variables.ts'
import { holdingOf, referringOf } from './references.ts'
import { areFirm } from './row-after.ts'
import { presetsFor } from './rule-presets.ts'
import {
  contextFor,
  isDecided,
  isPassing,
  judgingOf,
  rowOf,
  type StatementRules,
  seenRows,
} from './statement-rules.ts'
import { rulesFor } from './writable-fields.ts'

/** Rules for new items, as far as a statement needs them. */
export interface CreationRules extends Pick<StatementRules, 'presetNames' | 'presets'> {
  /** The condition of the visible rows. */
  readonly shown: Predicate
  /** The condition that new values have to meet. */
  readonly filter: Predicate
  /** Conditions under which the items to which new values refer are visible. */
  readonly references: readonly TargetCondition[]
  /** Conditions of the rule on these items. */
  readonly targets: readonly TargetCondition[]
  /** Those of both that look further: the item has to be locked before they are judged. */
  readonly locked: readonly TargetCondition[]
  /** Names of the fields on which `passes` and `isVisible` depend. */
  readonly judgedNames: ReadonlySet<string>
  /** Those of which the stored values decide, and not the given ones. */
  readonly storedFields: readonly StoredField[]
  /** True if the new values, filled in by the rule, are allowed. `filter`: bound to the caller. */
  readonly passes: (values: ItemData, filter: Predicate) => boolean
  /** True if the new values, filled in by the rule, make the item visible; false also if they alone do not decide. */
  readonly isVisible: (values: ItemData) => boolean
}

const nothing = {}

/** The rules of an engine without any. */
const unlimited: CreationRules = {
  presetNames: [],
  presets: () => nothing,
  shown: always,
  filter: always,
  references: [],
  targets: [],
  locked: [],
  judgedNames: new Set(),
  storedFields: [],
  passes: () => true,
  isVisible: () => true,
}

/** The fields that a new item names, and those that it refers to nothing by. */
export interface NamedFields {
  readonly names: readonly string[]
  readonly empty: ReadonlySet<string>
}

/** Returns the rules under which items that name some fields are created; undefined if their new values alone do not decide. */
export function creationRules(
  collection: Collection,
  { names, empty }: NamedFields,
  engine: EngineInternals,
  circumstances: Circumstances,
): CreationRules | undefined {
  const permissions = engine.scope?.permissions
  if (!permissions) return unlimited
  const granting = rulesFor(permissions, collection, 'create').filter(({ fields }) =>
    names.every((name) => fields.has(name)),
  )
  const [rule, ...others] = granting
  const shown = seenRows(collection, permissions, circumstances)
  if (!rule || others.length > 0 || !shown) return undefined
  if (judgingOf(shown, collection, engine.dialect) === 'never') return undefined
  const input = new Set(names.filter((name) => !empty.has(name)))
  const visible = visibleTargets(collection, input, { permissions, dialect: engine.dialect }, circumstances)
  const presetNames = Object.keys(rule.presets).filter((name) => !names.includes(name))
  const written = new Set([...names, ...presetNames])
  const allowed = rulePredicate(rule, collection, engine.whole().schema, circumstances)
  const { own, targets } = partedByTarget(allowed, collection, input, engine.dialect)
  if (!visible || !isExact(own, written)) return undefined
  const context = contextFor(engine, circumstances)
  const validation = rule.validation && rowValidation(collection, rule.validation, context)
  if (validation && !isDecided(validation, written)) return undefined
  const isSeenByValues = isExact(shown, written)
  const [tested, sighted] = [fieldsTested(own), isSeenByValues ? fieldsTested(shown) : []]
  return {
    presetNames,
    presets: (now) => presetsFor(rule, presetNames, now),
    shown,
    filter: own,
    references: visible,
    targets,
    locked: lockedOf([...visible, ...targets], engine.dialect),
    judgedNames: new Set([...tested, ...sighted, ...(validation?.fields ?? [])].map(({ name }) => name)),
    storedFields: [...new Set([...tested, ...sighted, ...visible.map(({ field }) => field)])],
    passes: (values, now) =>
      areFirm(tested, values) &&
      holds(now, rowOf(tested, values), context.setting) &&
      (!validation || isPassing(validation, values, context)),
    isVisible: (values) =>
      isSeenByValues && areFirm(sighted, values) && holds(shown, rowOf(sighted, values), context.setting),
  }
}

/** Returns the conditions under which the items to which given fields refer are visible; undefined if a statement alone cannot judge one. */
function visibleTargets(
  collection: Collection,
  input: ReadonlySet<string>,
  { permissions, dialect }: { readonly permissions: Permissions; readonly dialect: Dialect },
  circumstances: Circumstances,
): readonly TargetCondition[] | undefined {
  const found: TargetCondition[] = []
  for (const field of holdingOf(collection)) {
    if (!input.has(field.name) && !isGenerated(field)) continue
    if (!isLone(field, collection)) return undefined
    // If nothing of its collection is visible, a reference is an ordinary value.
    if (!permissions.seen.reached(field.target)) continue
    const rows = seenRows(field.target, permissions, circumstances)
    if (!rows || judgingOf(rows, field.target, dialect) === 'never') return undefined
    found.push({ field, condition: rows })
  }
  return found
}

/** True for a reference that is one column with a plain key in it. */
function isLone(field: StoredField, collection: Collection): field is LinkColumn {
  const relations = referringOf(collection).filter((relation) => holdersOf(relation).includes(field))
  const { family } = field.value
  return (
    field.kind === 'm2o' &&
    !isByValue(field) &&
    relations.length === 1 &&
    (family === 'integer' || family === 'uuid')
  )
}

/** Takes the conditions on targets of given fields out of a condition on a new item. */
function partedByTarget(
  allowed: Predicate,
  collection: Collection,
  input: ReadonlySet<string>,
  dialect: Dialect,
): { readonly own: Predicate; readonly targets: readonly TargetCondition[] } {
  const parts = allowed.kind === 'and' ? allowed.parts : [allowed]
  const targets: TargetCondition[] = []
  const own = parts.filter((part) => {
    if (part.kind !== 'one' || isTuple(part.field) || isByValue(part.field) || !input.has(part.field.name))
      return true
    // The own table is read as it was before.
    if (judgingOf(part.condition, collection, dialect) === 'never') return true
    targets.push({ field: part.field, condition: part.condition })
    return false
  })
  return { own: { kind: 'and', parts: own }, targets }
}

/** Returns the conditions that look at related rows, which may change while the statement waits, those on the same item together. */
function lockedOf(
  conditions: readonly TargetCondition[],
  { writeLock }: Dialect,
): readonly TargetCondition[] {
  if (writeLock) return []
  const fields = new Set(
    conditions.flatMap(({ field, condition }) => (collectionsTested(condition).length > 0 ? [field] : [])),
  )
  return [...fields].map((field) => ({
    field,
    condition: decided(
      allOf(conditions.filter((one) => one.field === field).map(({ condition }) => condition)),
    ),
  }))
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
