// A plan as plain data, for people to read.

import { nameIn } from '../../plan/field-path.ts'
import { type ComparedValue, isAlways, type Predicate } from '../../plan/filter/predicate.ts'
import type { ListPlan, Member, OrderKey, RelationStep } from '../../plan/read/read-plan.ts'
import { stepInto } from '../../plan/walk.ts'

export interface Outline {
  readonly collection: string
  /** Conditions, joined as in the plan. */
  readonly where?: unknown
  readonly order: readonly string[]
  readonly limit?: number
  readonly offset?: number
  /** Where the page begins, if not at an offset. */
  readonly begins?: string
  readonly fields?: Readonly<Record<string, unknown>>
  readonly groups?: readonly string[]
  readonly aggregates?: readonly string[]
  /** Conditions on groups. */
  readonly having?: unknown
}

export function outlineOf(list: ListPlan): Outline {
  const { collection, condition, order, page, rows } = list
  const where = conditionOutline(condition)
  return {
    collection: collection.name,
    ...(where !== undefined && { where }),
    order: order.map(orderOutline),
    ...(page.limit !== undefined && { limit: page.limit }),
    ...(page.offset > 0 && { offset: page.offset }),
    ...(page.place && { begins: page.place.isBackward ? 'before a cursor' : 'after a cursor' }),
    ...(rows.kind === 'items' && { fields: membersOutline(rows.members) }),
    ...(rows.kind === 'groups' && {
      groups: rows.groups.map(({ names }) => names.join('.')),
      aggregates: rows.aggregates.map(({ names }) => names.join('.')),
      ...(!isAlways(rows.having) && { having: conditionOutline(rows.having) }),
    }),
  }
}

function membersOutline(members: readonly Member[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(members.map((member) => [member.name, memberOutline(member)]))
}

function memberOutline(member: Member): unknown {
  switch (member.kind) {
    case 'value':
      return subjectOutline(member.subject)
    case 'constant':
      return JSON.stringify(member.text)
    case 'group':
      return membersOutline(member.members)
    case 'cursor':
      return member.order.map(orderOutline)
    case 'many':
      return outlineOf(member.list)
    case 'one': {
      const where = conditionOutline(member.condition)
      return {
        collection: member.field.target.name,
        ...(where !== undefined && { where }),
        fields: membersOutline(member.members),
      }
    }
    default:
      return Object.fromEntries(
        member.arms.map(({ target, members }) => [
          target.name,
          members.length === 0 ? 'key' : membersOutline(members),
        ]),
      )
  }
}

function conditionOutline(predicate: Predicate): unknown {
  switch (predicate.kind) {
    case 'and':
      return predicate.parts.length === 0 ? undefined : { and: predicate.parts.map(conditionOutline) }
    case 'or':
      return predicate.parts.length === 0 ? 'never' : { or: predicate.parts.map(conditionOutline) }
    case 'test':
      return `${subjectOutline(predicate.subject)} ${predicate.operator}`
    case 'owner':
      return { owner: conditionOutline(predicate.condition) }
    default: {
      const name = stepOutline(stepInto(predicate))
      const isOfChildren = predicate.kind === 'some' || predicate.kind === 'none'
      return {
        [isOfChildren ? `${predicate.kind} of ${name}` : name]:
          conditionOutline(predicate.condition) ?? 'any',
      }
    }
  }
}

function subjectOutline(subject: ComparedValue): string {
  switch (subject.kind) {
    case 'field':
      return subject.field.name
    case 'tuple':
      return nameIn(subject) ?? 'key'
    case 'part':
      return `${subject.part}(${subject.field.name})`
    case 'length':
      return `count(${subject.field.name})`
    case 'related':
    case 'aggregate':
      return subject.shownAs
    default:
      return `json(${subject.field.name}, ${subject.path.join('.')})`
  }
}

function orderOutline(key: OrderKey): string {
  const sign = key.isDescending ? '-' : ''
  if (key.kind === 'column') return `${sign}${key.names.join('.')}`
  return `${sign}${[...key.value.route.map(stepOutline), subjectOutline(key.value.subject)].join('.')}`
}

function stepOutline(step: RelationStep): string {
  if (step.kind === 'one') return step.field.name
  return step.kind === 'arm'
    ? `${step.field.name}:${step.target.name}`
    : (step.children.name ?? step.children.target.name)
}
