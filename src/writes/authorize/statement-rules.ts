// Rules that the statement which writes rows judges by itself: those on columns of the row, and where nobody else writes meanwhile, those on
// related rows.

import { type Permissions, rulePredicate, viewIn } from '../../access/caller-scope.ts'
import type { RuleRead } from '../../access/rules.ts'
import { textOfRules } from '../../access/rules-text.ts'
import type { Dialect } from '../../dialects/dialect.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { holds } from '../../plan/filter/evaluate.ts'
import { allOf, always, anyOf, decided, type Predicate, type Test } from '../../plan/filter/predicate.ts'
import { type RowValidation, rowValidation } from '../../plan/filter/validate-row.ts'
import { shownValue } from '../../plan/read/shown-value.ts'
import { collectionsTested } from '../../plan/touches.ts'
import { testsIn } from '../../plan/walk.ts'
import type { ChangeNames } from '../../plan/write/row-layout.ts'
import { readStored } from '../../plan/write/stored-value.ts'
import type { ValidationContext } from '../../plan/write/validate-item.ts'
import type { FilterNode } from '../../query/query.ts'
import type { Collection, StoredField } from '../../schema/model.ts'
import { isGenerated } from '../../schema/output-schema.ts'
import type { RowLimits } from '../../sql/write/list-write-statements.ts'
import type { RowConditions } from '../../sql/write/row-writes.ts'
import type { Circumstances } from '../../vocabulary/variables.ts'
import { holdingOf } from './references.ts'
import { areFirm } from './row-after.ts'
import { presetsFor } from './rule-presets.ts'
import { rulesFor } from './writable-fields.ts'

type Values = Readonly<Record<string, unknown>>

/** Rules for a write of some fields, as far as a statement needs them. */
export interface StatementRules {
  readonly conditions: RowConditions
  /** False if no rules limit the caller. */
  readonly isLimited: boolean
  /** True if the row has to be locked before it is judged. */
  readonly needsLock: boolean
  /** True if a row that is visible may be one that may not be written. */
  readonly mayRefuse: boolean
  /** Tests of conditions that hold for all visible rows. */
  readonly implied: readonly Test[]
  /** True if validations have a say, so that triggers must not change the row afterwards. */
  readonly isValidated: boolean
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
  isLimited: false,
  needsLock: false,
  mayRefuse: false,
  implied: [],
  isValidated: false,
  presetNames: [],
  presets: () => nothing,
  passes: () => true,
}

/** Returns the rules under which fields with some names are updated; undefined if a statement alone cannot judge them. */
export function updateRules(
  collection: Collection,
  { names, incremented }: Pick<ChangeNames, 'names' | 'incremented'>,
  engine: EngineInternals,
  circumstances: Circumstances,
): StatementRules | undefined {
  const permissions = engine.scope?.permissions
  if (!permissions) return unlimited
  // A sum would tell what is stored.
  const readable = permissions.seen.of.get(collection)?.fields
  if (!incremented.every((name) => readable?.has(name))) return undefined
  // References are judged by the items to which they lead.
  if (holdingOf(collection).some((field) => isGenerated(field) || names.includes(field.name)))
    return undefined
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
  const known = new Set([...written].filter((name) => !incremented.includes(name)))
  const validations = granting.map((one) => concerning(one, collection, { written, known }, context))
  if (validations.some((one) => one === undefined)) return undefined
  const [validation, ...more] = validations.flatMap((one) =>
    one === undefined || one === 'none' ? [] : [one],
  )
  if (validation && (more.length > 0 || others.length > 0)) return undefined
  const judged = judgedRows(granting, collection, engine, circumstances)
  return (
    judged && {
      ...judged,
      isValidated: granting.some((one) => one.validation !== undefined),
      presetNames,
      presets: (now) => presetsFor(rule, presetNames, now),
      passes: (values) => !validation || isPassing(validation, values, context),
    }
  )
}

/** Returns the rules under which rows are deleted; undefined if a statement alone cannot judge them. */
export function deletionRules(
  collection: Collection,
  engine: EngineInternals,
  circumstances: Circumstances,
): JudgedRows | undefined {
  const permissions = engine.scope?.permissions
  if (!permissions) return unlimited
  return judgedRows(rulesFor(permissions, collection, 'delete'), collection, engine, circumstances)
}

export const contextFor = (engine: EngineInternals, circumstances: Circumstances): ValidationContext => ({
  schema: engine.whole().schema,
  circumstances,
  setting: { zone: engine.zone, negationMatchesNull: engine.negationMatchesNull },
})

/** Conditions under which rows are written. */
export type JudgedRows = Pick<
  StatementRules,
  'conditions' | 'isLimited' | 'needsLock' | 'mayRefuse' | 'implied'
>

/** Returns what limits a statement that writes the rows of a list. */
export const limitsOf = (
  { conditions: { written }, isLimited, mayRefuse }: JudgedRows,
  engine: EngineInternals,
): RowLimits | undefined => (isLimited ? { written, mayRefuse, setting: engine } : undefined)

/** Returns the conditions of the rows that one of some rules allows; undefined if a statement alone cannot judge them. */
function judgedRows(
  rules: readonly RuleRead[],
  collection: Collection,
  engine: EngineInternals,
  circumstances: Circumstances,
): JudgedRows | undefined {
  const permissions = engine.scope?.permissions
  const seen = permissions?.seen.of.get(collection)
  const shown = permissions && seenRows(collection, permissions, circumstances)
  if (!seen || !shown) return undefined
  const { schema } = engine.whole()
  const parts = rules.map((rule) => rulePredicate(rule, collection, schema, circumstances))
  const judging = [shown, ...parts].map((one) => judgingOf(one, collection, engine.dialect))
  if (judging.includes('never')) return undefined
  const mayRefuse = !areAllowed(permissions.seen.shown.get(seen)?.rules, rules)
  const written = mayRefuse ? decided(allOf([shown, decided(anyOf(parts))])) : shown
  const implied = mayRefuse ? [] : parts.flatMap(testsIn)
  const needsLock = judging.includes('locked')
  return { conditions: { written, shown }, isLimited: true, needsLock, mayRefuse, implied }
}

/** True if all rows of some rules are rows of others. */
const areAllowed = (rows: readonly RuleRead[] | undefined, allowing: readonly RuleRead[]): boolean =>
  allowing.some(({ filter }) => filter === undefined) ||
  (rows?.every(({ filter }) => allowing.some((rule) => isSameFilter(filter, rule.filter))) ?? false)

function isSameFilter(one: FilterNode | undefined, other: FilterNode | undefined): boolean {
  const text = textOfRules(one)
  return text !== undefined && text === textOfRules(other)
}

/** Returns the condition of the visible rows, if all of their fields are visible on each of them. */
export function seenRows(
  collection: Collection,
  permissions: Permissions,
  circumstances: Circumstances,
): Predicate | undefined {
  const seen = permissions.seen.of.get(collection)
  const view = seen && viewIn(seen, permissions, circumstances)
  return view && view.partly.length === 0 ? view.rows : undefined
}

/** How a statement that writes a row judges it by a condition: alone, once its row is locked, or never. */
export type Judging = 'alone' | 'locked' | 'never'

/** Returns how a statement that writes a row of a collection judges it by a condition. What it returns is judged while its table is still as it
 *  was, and related rows may change while it waits for its own. */
export function judgingOf(
  condition: Predicate,
  collection: Collection,
  { writeLock, lockRows }: Pick<Dialect, 'writeLock' | 'lockRows'>,
): Judging {
  const others = collectionsTested(condition)
  if (others.length === 0) return 'alone'
  if (others.some((one) => isSameTable(one, collection))) return 'never'
  if (writeLock) return 'alone'
  return lockRows ? 'locked' : 'never'
}

export const isSameTable = (one: Collection, other: Collection): boolean =>
  one.table.toLowerCase() === other.table.toLowerCase()

/** True if new values alone decide on a validation. */
export const isDecided = (
  { needsDatabase, isVariable, relations, fields }: RowValidation,
  written: ReadonlySet<string>,
): boolean =>
  !needsDatabase && !isVariable && relations.size === 0 && [...fields].every(({ name }) => written.has(name))

/** Returns the validation of a rule if it names fields with given values alone, and `none` if it names none of them; undefined if it takes the stored
 *  row, or depends on the caller. */
function concerning(
  { validation }: RuleRead,
  collection: Collection,
  { written, known }: Readonly<Record<'written' | 'known', ReadonlySet<string>>>,
  context: ValidationContext,
): RowValidation | 'none' | undefined {
  if (!validation) return 'none'
  const read = rowValidation(collection, validation, context)
  const isConcerned = [...read.fields].some(({ name }) => written.has(name))
  if (!isConcerned && isDecided(read, new Set([...read.fields].map(({ name }) => name)))) return 'none'
  return isDecided(read, known) ? read : undefined
}

export function isPassing(
  { predicate, fields }: RowValidation,
  values: Values,
  { setting }: ValidationContext,
): boolean {
  return areFirm(fields, values) && holds(predicate, rowOf(fields, values), setting)
}

export function rowOf(fields: Iterable<StoredField>, values: Values): Values {
  const row: Record<string, unknown> = {}
  for (const field of fields) row[field.name] = shown(field, values[field.name])
  return row
}

/** Returns a given value as results show it. One that is none fails where it is written. */
function shown(field: StoredField, input: unknown): unknown {
  const read = input === null || input === undefined ? undefined : readStored(field, input)
  return shownValue(field, read?.kind === 'value' ? read.value : null)
}
