// Rules are alternatives: each is judged whole, and a part of one is never combined with a part of another.

import { rulePredicate } from '../../access/caller-scope.ts'
import type { RuleRead } from '../../access/rules.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { holds } from '../../plan/filter/evaluate.ts'
import { allOf, always, decided, isAlways, type Predicate, type Test } from '../../plan/filter/predicate.ts'
import { type RowValidation, rowValidation } from '../../plan/filter/validate-row.ts'
import { shownValue } from '../../plan/read/shown-value.ts'
import { fieldsTested, withTests } from '../../plan/walk.ts'
import { storedFieldsOf } from '../../plan/write/defaults.ts'
import { conditionsAfterwards } from '../../plan/write/later-validations.ts'
import { readStored } from '../../plan/write/stored-value.ts'
import type { ValidationContext } from '../../plan/write/validate-item.ts'
import type { Collection, StoredField } from '../../schema/model.ts'
import type { Circumstances } from '../../vocabulary/variables.ts'
import { areFirm } from '../authorize/row-after.ts'
import { bothOf, isExact, judgingOf, type Placed, placed, type RowFacts, unasked } from '../context/place.ts'

export type Values = Readonly<Record<string, unknown>>

export const contextFor = (engine: EngineInternals, circumstances: Circumstances): ValidationContext => ({
  schema: engine.whole().schema,
  circumstances,
  setting: { zone: engine.zone, negationMatchesNull: engine.negationMatchesNull },
})

/** A way in which a rule allows a row: by its filter of the row before, and by its validation of the row after. */
export interface Alternative extends Placed {
  readonly filter: Predicate
}

/** Returns the ways in which a rule allows that a row is updated; undefined if a statement alone cannot judge it. */
export function updateAlternatives(
  rule: RuleRead,
  facts: RowFacts,
  context: ValidationContext,
): readonly Alternative[] | undefined {
  const { collection, dialect } = facts
  const filter = rulePredicate(rule, collection, context.schema, context.circumstances)
  const after = placedValidation(rule, facts, context)
  return judgingOf(filter, collection, dialect) === 'never'
    ? undefined
    : after?.map((way) => ({ ...way, filter }))
}

/** Returns the ways in which a rule allows a new row; undefined if a statement alone cannot judge it. */
export function creationAlternatives(
  rule: RuleRead,
  facts: RowFacts,
  context: ValidationContext,
): readonly Alternative[] | undefined {
  const filter = placed(rulePredicate(rule, facts.collection, context.schema, context.circumstances), facts)
  const after = placedValidation(rule, facts, context)
  // The database judges what it stores: memory has to agree.
  if (!after || !filter?.every(({ values }) => isExact(values))) return undefined
  return filter.flatMap((one) => after.map((other) => ({ ...bothOf(one, other), filter: always })))
}

function placedValidation(
  { validation, path }: RuleRead,
  facts: RowFacts,
  context: ValidationContext,
): readonly Placed[] | undefined {
  if (!validation) return [unasked]
  const read = rowValidation(facts.collection, validation, context, [...path, 'validation'])
  return isConcerned(read, facts) ? placed(read.predicate, facts) : [unasked]
}

/** Returns the ways in which a row passes those validations of its fields that memory cannot check; undefined if a statement alone cannot check them.
 *  `named`: the fields that have a value. */
export function passingWays(
  facts: RowFacts,
  named: readonly string[],
  context: ValidationContext,
): readonly Placed[] | undefined {
  const isWritten = ({ name, special, default: usual }: StoredField) =>
    named.includes(name) || special.length > 0 || (facts.isNew && usual !== undefined)
  const conditions = conditionsAfterwards(facts.collection, context).filter(({ field }) => isWritten(field))
  const ways = placed(decided(allOf(conditions.map(({ condition }) => condition))), facts)
  // The database judges them where they are judged behind the write: memory has to agree.
  return ways?.every(({ values }) => isExact(values)) ? ways : undefined
}

/** True if a write may have made a validation false, or if its variables may have had other values when the row was written. */
const isConcerned = (
  { fields, relations, isVariable, isComputed }: RowValidation,
  { isNew, changed }: RowFacts,
): boolean =>
  isNew ||
  isVariable ||
  isComputed ||
  [...fields].some(({ name }) => changed.has(name)) ||
  [...relations].some((name) => changed.has(name))

/** Returns the test of new values for a condition. `bound`: the operand of a test for this caller. */
export function meeting(
  condition: Predicate,
  bound: (test: Test) => Test,
  { setting }: Pick<ValidationContext, 'setting'>,
): (values: Values) => boolean {
  if (isAlways(condition)) return () => true
  const fields = fieldsTested(condition)
  const ofCaller = withTests(condition, bound)
  return (values) => {
    const row = rowOf(fields, values)
    return areFirm(fields, row) && holds(ofCaller, row, setting)
  }
}

function rowOf(fields: Iterable<StoredField>, values: Values): Values {
  const row: Record<string, unknown> = {}
  for (const field of fields) {
    const { [field.name]: input = field.default } = values
    row[field.name] = shown(field, input)
  }
  return row
}

/** Returns a given value as results show it. An invalid one fails where it is written. */
function shown(field: StoredField, input: unknown): unknown {
  const read = input === null || input === undefined ? undefined : readStored(field, input)
  return shownValue(field, read?.kind === 'value' ? read.value : null)
}

/** Returns the fields of a new row whose values are known though they are not given. */
export const defaultedFields = (collection: Collection, names: ReadonlySet<string>): readonly StoredField[] =>
  storedFieldsOf(collection).filter(
    (field) =>
      !names.has(field.name) &&
      field.special.length === 0 &&
      (field.default !== undefined || !(field.isDefaulted || field.isKey)),
  )
