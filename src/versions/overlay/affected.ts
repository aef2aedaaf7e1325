// Parts of a plan that a version may affect.

import { targetOf } from '../../plan/field-path.ts'
import type { Predicate } from '../../plan/filter/predicate.ts'
import type { ListPlan, Member, OrderKey, RelationStep, Value } from '../../plan/read/read-plan.ts'
import type { Patch } from './row-changes.ts'

export class AffectedRows {
  readonly #patch: Patch

  constructor(patch: Patch) {
    this.#patch = patch
  }

  /** True if the version may affect a member. Values of the row itself are always computed in memory, so only related rows count. */
  member(member: Member): boolean {
    switch (member.kind) {
      case 'value':
        return member.subject.kind === 'count' && this.#patch.touches(member.subject.children.target)
      case 'constant':
        return false
      case 'group':
        return member.members.some((one) => this.member(one))
      case 'one':
        return (
          this.#step(member) ||
          this.#condition(member.condition) ||
          member.members.some((one) => this.member(one))
        )
      case 'any':
        return member.arms.some(
          ({ target, condition, members }) =>
            this.#step({ kind: 'arm', field: member.field, target }) ||
            this.#condition(condition) ||
            members.some((one) => this.member(one)),
        )
      case 'many':
        return this.#list(member.list)
      default:
        return member satisfies never
    }
  }

  #list({ collection, condition, order, rows }: ListPlan): boolean {
    if (this.#patch.touches(collection) || this.#condition(condition)) return true
    if (order.some((key) => this.#order(key))) return true
    if (rows.kind === 'items') return rows.members.some((member) => this.member(member))
    if (rows.kind === 'keys') return false
    const counted = rows.aggregates.map(({ subject }) => subject)
    return (
      rows.groups.some(({ value }) => this.#value(value)) ||
      counted.some((subject) => subject && this.#value({ route: [], subject, path: [] }))
    )
  }

  #order(key: OrderKey): boolean {
    return key.kind === 'value' && this.#value(key.value)
  }

  #value({ route, subject }: Value): boolean {
    const counts = subject.kind === 'count' && this.#patch.touches(subject.children.target)
    return counts || route.some((step) => this.#step(step))
  }

  #step(step: RelationStep): boolean {
    if (this.#patch.touches(targetOf(step))) return true
    if (step.kind === 'children') return false
    const fields = step.kind === 'arm' ? [step.field, step.field.by] : [step.field]
    return fields.some((field) => this.#patch.touchesField(field))
  }

  #condition(predicate: Predicate): boolean {
    switch (predicate.kind) {
      case 'and':
      case 'or':
        return predicate.parts.some((part) => this.#condition(part))
      case 'test':
        return this.#value({ route: [], subject: predicate.subject, path: [] })
      case 'one':
      case 'arm':
        return this.#step(predicate) || this.#condition(predicate.condition)
      case 'owner':
        return this.#condition(predicate.condition)
      case 'some':
      case 'none':
        return this.#patch.touches(predicate.children.target) || this.#condition(predicate.condition)
      default:
        return predicate satisfies never
    }
  }
}
