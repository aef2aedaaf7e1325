// Rows that are known by their keys, as a list of them is asked for.
import type { Collection, StoredField } from '../schema/model.ts'
import type { Predicate, Test } from './predicate.ts'
import type { ListPlan, Member } from './read-plan.ts'
import type { Storable } from './stored-value.ts'

/** The key of each row, and nothing else. */
export const keyMember = ({ key }: Collection): Member => valueMember(keyName, key)

export const valueMember = (name: string, field: StoredField): Member => ({
  kind: 'value',
  name,
  subject: { kind: 'field', field, type: field.value },
  path: [],
})

/** No field is called so. */
export const keyName = ''

/** A condition that the key is one of some. */
export function isOneOf({ key }: Collection, keys: readonly Storable[]): Test {
  // What a field has read is an operand of its family, too.
  const values = keys.map((at) => ({ at: at as object, exact: true }))
  const [value] = values
  const subject = { kind: 'field', field: key, type: key.value } as const
  const path = ['keys']
  return values.length === 1 && value
    ? { kind: 'test', subject, operator: '_eq', operand: { kind: 'value', value }, path }
    : { kind: 'test', subject, operator: '_in', operand: { kind: 'values', values }, path }
}

/** All rows that meet a condition, in any order. */
export function wholeList(collection: Collection, condition: Predicate): ListPlan {
  return {
    collection,
    children: undefined,
    condition,
    order: [],
    page: { limit: undefined, offset: 0, isCut: false, isFixed: true, path: [] },
    rows: { kind: 'items', members: [] },
    place: '',
  }
}
