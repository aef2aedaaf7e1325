// Rules that the statement which writes a row judges by itself: those on columns of that row.

import { type Permissions, rulePredicate, viewIn } from '../../access/caller-scope.ts'
import type { RuleRead } from '../../access/rules.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { holds } from '../../plan/evaluate.ts'
import { type RowValidation, rowValidation } from '../../plan/judge-row.ts'
import { allOf, always, anyOf, decided, type Predicate } from '../../plan/predicate.ts'
import { shownValue } from '../../plan/shown-value.ts'
import { readStored } from '../../plan/stored-value.ts'
import type { ValidationContext } from '../../plan/validate-item.ts'
import { fieldsTested } from '../../plan/walk.ts'
import type { Collection, StoredField } from '../../schema/model.ts'
import type { RowConditions } from '../../sql/row-writes.ts'
import type { Circumstances } from '../../vocabulary/variables.ts'
import { holdingOf } from './references.ts'
import { presetsFor } from './rule-presets.ts'
import { rulesFor } from './writable-fields.ts'

type Values = Readonly<Record<string, unknown>>

/** What a statement needs of the rules for a write of some fields. */
export interface StatementRules {
  readonly conditions: RowConditions
  /** Names of fields that a rule fills in. */
  readonly presetNames: readonly string[]
  /** Returns the values of these fields for a caller. Undefined if a variable in them has no value. */
  readonly presets: (circumstances: Circumstances) => Values | undefined
  /** True if the new values pass the validations. */
  readonly passes: (values: Values) => boolean
}

const nothing: Values = {}

/** The rules of an engine without any. */
const unlimited: StatementRules = {
  conditions: { written: always, shown: always },
  presetNames: [],
  presets: () => nothing,
  passes: () => true,
}

/** Returns the rules under which fields with some names are updated; undefined if a statement alone cannot judge them. */
export function updateRules(
  collection: Collection,
  names: readonly string[],
  engine: EngineInternals,
  circumstances: Circumstances,
): StatementRules | undefined {
  const permissions = engine.scope?.permissions
  if (!permissions) return unlimited
  // References are judged by the items to which they lead.
  const referring = new Set(holdingOf(collection).map(({ name }) => name))
  if (names.some((name) => referring.has(name))) return undefined
  const granting = rulesFor(permissions, collection, 'update').filter(({ fields }) =>
    names.every((name) => fields.has(name)),
  )
  const presetNames = [...new Set(granting.flatMap((rule) => Object.keys(rule.presets)))].filter(
    (name) => !names.includes(name),
  )
  const [rule, ...others] = granting
  // Which of several rules allows a row is not known before it is written.
  if (!rule || (others.length > 0 && presetNames.length > 0)) return undefined
  const context = contextFor(engine, circumstances)
  const written = new Set([...names, ...presetNames])
  const validations = granting.map((one) => concerning(one, collection, written, context))
  if (validations.some((one) => one === undefined)) return undefined
  const [validation, ...more] = validations.flatMap((one) =>
    one === undefined || one === 'none' ? [] : [one],
  )
  if (validation && (more.length > 0 || others.length > 0)) return undefined
  const shown = seenRows(collection, permissions, circumstances)
  const allowed = ownRows(granting, collection, engine, circumstances)
  if (!shown || !allowed) return undefined
  return {
    conditions: { written: decided(allOf([shown, allowed])), shown },
    presetNames,
    presets: (now) => presetsFor(rule, presetNames, now),
    passes: (values) => !validation || isPassing(validation, values, context),
  }
}

/** What a statement needs of the rules for new items. */
export interface CreationRules extends Pick<StatementRules, 'presetNames' | 'presets'> {
  /** The condition of the visible rows. */
  readonly shown: Predicate
  /** The condition that new values have to meet. */
  readonly filter: Predicate
  /** True if the new values, filled in by the rule, are allowed. `filter`: bound to the caller. */
  readonly passes: (values: Values, filter: Predicate) => boolean
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
  if (!permissions || names.some((name) => referring.has(name))) return undefined
  const granting = rulesFor(permissions, collection, 'create').filter(({ fields }) =>
    names.every((name) => fields.has(name)),
  )
  const [rule, ...others] = granting
  const shown = seenRows(collection, permissions, circumstances)
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

/** Returns the condition under which a caller may delete a row; undefined if a statement alone cannot judge it. */
export function deletionRules(
  collection: Collection,
  engine: EngineInternals,
  circumstances: Circumstances,
): Predicate | undefined {
  const permissions = engine.scope?.permissions
  if (!permissions) return always
  const shown = seenRows(collection, permissions, circumstances)
  const allowed = ownRows(rulesFor(permissions, collection, 'delete'), collection, engine, circumstances)
  return shown && allowed && decided(allOf([shown, allowed]))
}

const contextFor = (engine: EngineInternals, circumstances: Circumstances): ValidationContext => ({
  schema: engine.whole().schema,
  circumstances,
  setting: { zone: engine.zone, negationMatchesNull: engine.negationMatchesNull },
})

/** Returns the condition of the visible rows, if it is one on their own columns, and all of their fields are visible on each of them. */
function seenRows(
  collection: Collection,
  permissions: Permissions,
  circumstances: Circumstances,
): Predicate | undefined {
  const seen = permissions.seen.of.get(collection)
  const view = seen && viewIn(seen, permissions, circumstances)
  return view && view.partly.length === 0 && isOwn(view.rows) ? view.rows : undefined
}

/** Returns the condition of the rows that one of some rules allows, if it is one on their own columns. */
function ownRows(
  rules: readonly RuleRead[],
  collection: Collection,
  engine: EngineInternals,
  circumstances: Circumstances,
): Predicate | undefined {
  const { schema } = engine.whole()
  const parts = rules.map((rule) => rulePredicate(rule, collection, schema, circumstances))
  return parts.every(isOwn) ? decided(anyOf(parts)) : undefined
}

/** True if a condition is about a row alone. */
function isOwn(predicate: Predicate): boolean {
  if (predicate.kind === 'and' || predicate.kind === 'or') return predicate.parts.every(isOwn)
  return predicate.kind === 'test' && predicate.subject.kind !== 'count'
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

/** True if new values alone decide on a validation. */
const isDecided = (
  { needsDatabase, isVariable, relations, fields }: RowValidation,
  written: ReadonlySet<string>,
): boolean =>
  !needsDatabase && !isVariable && relations.size === 0 && [...fields].every(({ name }) => written.has(name))

/** Returns the validation of a rule if it names written fields alone, and `none` if it names none of them; undefined if it takes the stored
 *  row, or depends on the caller. */
function concerning(
  { validation }: RuleRead,
  collection: Collection,
  written: ReadonlySet<string>,
  context: ValidationContext,
): RowValidation | 'none' | undefined {
  if (!validation) return 'none'
  const read = rowValidation(collection, validation, context)
  const isConcerned = [...read.fields].some(({ name }) => written.has(name))
  if (!isConcerned && isDecided(read, new Set([...read.fields].map(({ name }) => name)))) return 'none'
  return isDecided(read, written) ? read : undefined
}

function isPassing(
  { predicate, fields }: RowValidation,
  values: Values,
  { setting }: ValidationContext,
): boolean {
  return holds(predicate, rowOf(fields, values), setting)
}

function rowOf(fields: Iterable<StoredField>, values: Values): Values {
  const row: Record<string, unknown> = {}
  for (const field of fields) row[field.name] = shown(field, values[field.name])
  return row
}

/** Returns a given value as results show it. One that is none fails where it is written. */
function shown(field: StoredField, given: unknown): unknown {
  const read = given === null || given === undefined ? undefined : readStored(field, given)
  return shownValue(field, read?.kind === 'value' ? read.value : null)
}
