// Data required of rows to evaluate a plan in memory. Parts that no change can affect are left to the database.
import { fault, type Path, quote } from '../../errors/errors.ts'
import { fieldSubject, fieldsIn, targetOf } from '../../plan/field-path.ts'
import { type Children, isAlways, type Predicate, type RelatedValue } from '../../plan/filter/predicate.ts'
import { relationCondition } from '../../plan/filter/relation-condition.ts'
import type { GroupRows, ListPlan, Member, OrderKey, RelationStep, Value } from '../../plan/read/read-plan.ts'
import { memberTouches, withConditions, withinOf } from '../../plan/touches.ts'
import { leavesOf, stepInto, stepThrough } from '../../plan/walk.ts'
import { type OwnField, partsOf, shownKey } from '../../schema/model.ts'
import type { Patch } from './row-changes.ts'

export interface RequiredData {
  /** Fields whose values are used. */
  readonly fields: Set<OwnField>
  /** Members that the database computes. */
  readonly direct: Set<Member>
  readonly below: Map<string, { readonly step: RelationStep; readonly need: RequiredData }>
}

export function stepName(step: RelationStep): string {
  if (step.kind === 'one') return step.field.name
  if (step.kind === 'arm') return `${step.field.name}:${step.target.name}`
  const { target, foreign, name } = step.children
  return `${name ?? ''}(${target.name}.${foreign.name})`
}

export function requiredDataOf({ condition, order, rows }: ListPlan, patch: Patch): RequiredData {
  const reader = new NeedReader(patch)
  const need = emptyNeed()
  addCondition(need, condition)
  reader.order(need, order)
  if (rows.kind === 'items') reader.members(need, rows.members)
  return need
}

/** Returns the key field if a value is the key of the row itself, which is known for every row. */
export const ownKeyIn = ({ route, subject }: Value): OwnField | undefined =>
  route.length === 0 && subject.kind === 'field' && subject.field.isKey ? subject.field : undefined

export const emptyNeed = (): RequiredData => ({ fields: new Set(), direct: new Set(), below: new Map() })

class NeedReader {
  readonly #patch: Patch

  constructor(patch: Patch) {
    this.#patch = patch
  }

  members(need: RequiredData, members: readonly Member[]): void {
    for (const member of members)
      if (member.kind === 'group' || member.kind === 'cursor' || isAffected(member, this.#patch))
        this.#member(need, member)
      else if (member.kind === 'value' && member.subject.kind !== 'related')
        for (const field of fieldsIn(member.subject)) need.fields.add(field)
      else need.direct.add(member)
  }

  #member(need: RequiredData, member: Member): void {
    if (member.kind === 'value') addValue(need, { route: [], subject: member.subject, path: member.path })
    else if (member.kind === 'many') this.#list(need, member.list)
    else if (member.kind === 'group') this.members(need, member.members)
    else if (member.kind === 'constant') return
    else if (member.kind === 'cursor') throw refused(member.path)
    else if (member.kind === 'one') {
      const target = step(need, { kind: 'one', field: member.field })
      addCondition(target, searchless(member.condition))
      this.members(target, member.members)
    } else {
      need.fields.add(member.field).add(member.field.by)
      for (const arm of member.arms) {
        if (arm.members.length === 0 && !arm.isItem) continue
        const target = step(need, stepThrough({ kind: 'arm', member, arm }))
        addCondition(target, searchless(arm.condition))
        this.members(target, arm.members)
      }
    }
  }

  #list(need: RequiredData, { children, condition, order, page, rows }: ListPlan): void {
    if (!children) return
    if (rows.kind === 'groups') throw refused(placeOf(rows))
    if (page.place) throw refused([...page.path, page.place.isBackward ? '_before' : '_after'])
    const target = step(need, { kind: 'children', children })
    addCondition(target, searchless(condition))
    this.order(target, order)
    const key = shownKey(children.target)
    for (const part of key ? partsOf(key) : []) target.fields.add(part)
    if (rows.kind === 'items') this.members(target, rows.members)
  }

  order(need: RequiredData, keys: readonly OrderKey[]): void {
    for (const key of keys) if (key.kind === 'value' && !ownKeyIn(key.value)) addValue(need, key.value)
  }
}

function addValue(need: RequiredData, { route, subject, path }: Value): void {
  const end = route.reduce(step, need)
  if (subject.kind === 'related') step(end, { kind: 'children', children: countedIn(subject, path) })
  else for (const field of fieldsIn(subject)) end.fields.add(field)
}

function addCondition(need: RequiredData, predicate: Predicate, owner: RequiredData = need): void {
  for (const leaf of leavesOf(predicate))
    if (leaf.kind === 'owner') addCondition(owner, leaf.condition)
    else if (leaf.kind === 'test') {
      const { subject, operand, path } = leaf
      addValue(need, { route: [], subject, path })
      if (operand.kind !== 'field') continue
      const route = operand.route.map((field) => ({ kind: 'one', field }) as const)
      addValue(need, { route, subject: fieldSubject(operand.field), path })
    } else addCondition(step(need, stepInto(leaf)), leaf.condition, need)
}

function step(need: RequiredData, next: RelationStep): RequiredData {
  if (next.kind !== 'children') need.fields.add(next.field)
  else if (next.children.within?.shownBy) need.fields.add(next.children.within.shownBy)
  // A change is one of the fields that hold a value together.
  if (next.kind === 'one') for (const part of partsOf(next.field)) need.fields.add(part)
  if (next.kind === 'arm') need.fields.add(next.field.by)
  const name = stepName(next)
  const known = need.below.get(name)
  if (known) return known.need
  const made = emptyNeed()
  need.below.set(name, { step: next, need: made })
  const within = withinOf(next)
  const isOfOwner = next.kind === 'children' && next.children.foreign.kind === 'any'
  if (within) addCondition(isOfOwner ? need : made, relationCondition(within))
  return made
}

/** Returns the children of a number of them, which is all of them that is computed in memory. */
function countedIn({ children, of, condition, shownAs }: RelatedValue, path: Path): Children {
  if (of === undefined && isAlways(condition)) return children
  const hint = 'Read the item without the version.'
  throw fault('INVALID_QUERY', `${quote(shownAs)} cannot be computed of what a version changes.`, {
    path,
    hint,
  })
}

function searchless(condition: Predicate): Predicate {
  const search = leavesOf(condition).find((leaf) => leaf.kind === 'test' && leaf.path.at(-1) === '_search')
  if (search?.kind === 'test') throw refused(search.path)
  return condition
}

const placeOf = ({ groups, aggregates }: GroupRows): Path =>
  aggregates[0]?.path.slice(0, -1) ?? groups[0]?.value.path ?? []

const refused = (path: Path) =>
  fault(
    'INVALID_QUERY',
    `"${path.at(-1)}" cannot be used on ${quote(String(path.at(-2)))}, which the version changes.`,
    { path, hint: 'Filter, sort and page it, or read the item without the version.' },
  )

// Parts of a plan that a version may affect.

/** True if a version may affect a member. Values of the row itself are always computed in memory, so only related rows count. */
const isAffected = (member: Member, patch: Patch): boolean =>
  withConditions(memberTouches(member)).some(
    (touch) => touch.kind !== 'field' && isStepAffected(touch, patch),
  )

function isStepAffected(step: RelationStep, patch: Patch): boolean {
  if (patch.touches(targetOf(step))) return true
  if (step.kind === 'children') return false
  const fields = step.kind === 'arm' ? [step.field, step.field.by] : [step.field]
  return fields.some((field) => patch.touchesField(field))
}
