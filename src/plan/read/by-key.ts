import { type Collection, type KeyField, keyOf, type OwnField } from '../../schema/model.ts'
import { exactly } from '../../types/family-row.ts'
import type { OperatorName } from '../../vocabulary/operators.ts'
import { fieldSubject } from '../field-path.ts'
import type { Predicate, Test } from '../filter/predicate.ts'
import type { Key } from '../key.ts'
import { conjunctsOf } from '../walk.ts'
import type { ListPlan, Member, OrderKey } from './read-plan.ts'

/** The member of a list that has only the key of each row. */
export const keyMember = (collection: Collection): Member => valueMember(keyName, keyOf(collection))

export const valueMember = (name: string, field: OwnField | KeyField): Member => ({
  kind: 'value',
  name,
  subject: fieldSubject(field),
  path: [],
})

/** A name that no field can have. */
export const keyName = ''

export function isOneOf(collection: Collection, keys: readonly Key[]): Test {
  // A value that a field has read is a valid operand of its family.
  const [key] = keys
  const among = isAmong(collection, keys)
  return keys.length === 1 && key !== undefined
    ? { ...among, operator: '_eq', operand: { kind: 'value', value: exactly(key as object) } }
    : among
}

/** The same condition for any number of keys, which have one statement. */
export function isAmong(collection: Collection, keys: readonly Key[]): Test {
  const values = keys.map((key) => exactly(key as object))
  const subject = fieldSubject(keyOf(collection))
  return { kind: 'test', subject, operator: '_in', operand: { kind: 'values', values }, path: ['keys'] }
}

export function testsKey(
  { condition, collection: { key } }: ListPlan,
  operators: readonly OperatorName[],
): boolean {
  const parts = conjunctsOf(condition)
  return parts.some(
    (part) =>
      part.kind === 'test' &&
      operators.includes(part.operator) &&
      (part.subject.kind === 'field' || part.subject.kind === 'tuple') &&
      part.subject.field === key,
  )
}

/** A list of all rows that meet a condition, in any order. */
export function wholeList(
  collection: Collection,
  condition: Predicate,
  members: readonly Member[] = [],
): ListPlan {
  return {
    collection,
    children: undefined,
    condition,
    order: [],
    page: { limit: undefined, offset: 0, isCut: false, isFixed: true, path: [] },
    rows: { kind: 'items', members },
    place: '',
  }
}

export const orderBy = (fields: readonly OwnField[]): readonly OrderKey[] =>
  fields.map((field) => ({
    kind: 'value',
    value: { route: [], subject: fieldSubject(field), path: [] },
    isDescending: false,
  }))
