// A walk through plans: the one place that knows what stands inside of which.

import { partsOf as partsOfField, type StoredField } from '../schema/model.ts'
import { fieldsIn } from './field-path.ts'
import type { Arm, None, OneRelated, Predicate, Some, Test } from './filter/predicate.ts'
import type { AnyMember, ArmMember, Member, OneMember, RelationStep } from './read/read-plan.ts'

/** Returns the predicates directly inside of a predicate. */
export function partsOf(predicate: Predicate): readonly Predicate[] {
  if (predicate.kind === 'and' || predicate.kind === 'or') return predicate.parts
  return predicate.kind === 'test' ? [] : [predicate.condition]
}

export const conjunctsOf = (predicate: Predicate): readonly Predicate[] =>
  predicate.kind === 'and' ? predicate.parts : [predicate]

/** Returns the parts of a predicate that are no conjunctions or disjunctions: all are about the same item. */
export const leavesOf = (
  predicate: Predicate,
): readonly Exclude<Predicate, { readonly kind: 'and' | 'or' }>[] =>
  predicate.kind === 'and' || predicate.kind === 'or' ? predicate.parts.flatMap(leavesOf) : [predicate]

/** Returns the tests of a predicate, also those on related items. */
export const testsIn = (predicate: Predicate): readonly Test[] =>
  predicate.kind === 'test' ? [predicate] : partsOf(predicate).flatMap(testsIn)

/** Returns the fields that the tests of a predicate name, also those of related items. */
export const fieldsTested = (predicate: Predicate): readonly StoredField[] =>
  testsIn(predicate).flatMap(({ subject, operand }) =>
    operand.kind === 'field'
      ? [...fieldsIn(subject), ...operand.route.flatMap(partsOfField), operand.field]
      : fieldsIn(subject),
  )

export const comparesFields = (predicate: Predicate): boolean =>
  testsIn(predicate).some(({ operand }) => operand.kind === 'field')

export function withTests(predicate: Predicate, replaced: (test: Test) => Test): Predicate {
  if (predicate.kind === 'test') return replaced(predicate)
  if (predicate.kind === 'and' || predicate.kind === 'or')
    return { ...predicate, parts: predicate.parts.map((part) => withTests(part, replaced)) }
  return { ...predicate, condition: withTests(predicate.condition, replaced) }
}

export type OnRelated = OneRelated | Arm | Some | None

export const isOnRelated = (predicate: Predicate): predicate is OnRelated =>
  predicate.kind === 'one' ||
  predicate.kind === 'arm' ||
  predicate.kind === 'some' ||
  predicate.kind === 'none'

/** Returns the step to the items that a condition is about. */
export function stepInto(predicate: OnRelated): RelationStep {
  if (predicate.kind === 'one') return { kind: 'one', field: predicate.field }
  if (predicate.kind === 'arm') return predicate
  return { kind: 'children', children: predicate.children }
}

/** Members inside of another, of the same item, or of the single item behind it. */
interface MembersBelow {
  readonly members: readonly Member[]
  readonly through: Through | undefined
}

/** A step to a single item. */
export type Through =
  | { readonly kind: 'one'; readonly member: OneMember }
  | { readonly kind: 'arm'; readonly member: AnyMember; readonly arm: ArmMember }

/** Returns the step to the items of one collection behind a reference. */
export const stepThrough = ({ member, arm }: Extract<Through, { kind: 'arm' }>) =>
  ({ kind: 'arm', field: member.field, target: arm.target, within: arm.within }) as const

/** Returns the members directly inside of a member. A list has its own. */
export function membersBelow(member: Member): readonly MembersBelow[] {
  if (member.kind === 'group') return [{ members: member.members, through: undefined }]
  if (member.kind === 'one') return [{ members: member.members, through: { kind: 'one', member } }]
  return member.kind === 'any'
    ? member.arms.map((arm) => ({ members: arm.members, through: { kind: 'arm', member, arm } }))
    : []
}
