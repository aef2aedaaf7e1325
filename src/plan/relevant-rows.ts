// Relevant rows: those of each collection that a list can depend on. What happens to others does not change the answer.

import type { Collection } from '../schema/model.ts'
import { targetOf } from './field-path.ts'
import { holdsWithout } from './filter/evaluate.ts'
import { always, anyOf, decided, isAlways, type Predicate } from './filter/predicate.ts'
import type { ListPlan, ListRows, Member, RelationStep } from './read/read-plan.ts'
import {
  type CallerTouches,
  collectionsOfVariables,
  predicateTouches,
  subjectTouches,
  type Touch,
  valueTouches,
  withConditions,
} from './touches.ts'
import { isOnRelated, membersBelow, partsOf, stepInto, stepThrough } from './walk.ts'

export interface RelevantRows {
  /** The condition on those that the list itself shows. Undefined if it shows none of the collection. */
  readonly shown: Predicate | undefined
  /** The condition on those that it looks at for the sake of others. Undefined if there are none. */
  readonly beside: Predicate | undefined
}

export type Relevant = ReadonlyMap<string, RelevantRows>

type Found = Map<string, { shown?: Predicate; beside: Predicate[] }>

/** Returns which rows of which collections matter to a list. `rowsOf`: the condition on the rows of a collection that its caller may see. */
export function relevantRows(
  list: ListPlan,
  rowsOf: (collection: Collection) => Predicate,
  caller: CallerTouches,
): Relevant {
  const { rulesOf } = caller
  const found: Found = new Map()
  const walk: Walk = { found, rowsOf, rulesOf, known: new Set() }
  seen(list.collection, walk)
  entry(list.collection, found).shown = { kind: 'and', parts: [list.condition, rowsOf(list.collection)] }
  inList(list, walk)
  for (const collection of collectionsOfVariables(caller)) beside(collection, always, walk)
  return new Map(
    [...found].map(([name, { shown, beside }]) => [
      name,
      {
        shown,
        beside: beside.length === 0 ? undefined : beside.some(isAlways) ? always : decided(anyOf(beside)),
      },
    ]),
  )
}

interface Walk {
  readonly found: Found
  readonly rowsOf: (collection: Collection) => Predicate
  readonly rulesOf: CallerTouches['rulesOf']
  readonly known: Set<Collection>
}

function entry({ name }: Collection, found: Found) {
  const one = found.get(name) ?? { beside: [] }
  found.set(name, one)
  return one
}

/** Notes rows that are looked at for the sake of others. */
function beside(collection: Collection, condition: Predicate, walk: Walk): void {
  seen(collection, walk)
  entry(collection, walk.found).beside.push(condition)
}

/** Notes what the rules of a collection look at. */
function seen(collection: Collection, walk: Walk): void {
  if (walk.known.has(collection)) return
  walk.known.add(collection)
  for (const rule of walk.rulesOf(collection)) inPredicate(rule, walk)
}

function inPredicate(predicate: Predicate, walk: Walk): void {
  if (predicate.kind === 'test') {
    for (const touch of predicateTouches(predicate)) inTouch(touch, walk)
    return
  }
  if (isOnRelated(predicate)) {
    const { condition } = predicate
    if (predicate.kind === 'one') {
      // A row that goes away leaves nothing behind, of which the condition may be true.
      const isTrueOfNone = holdsWithout(condition, true) || holdsWithout(condition, false)
      beside(predicate.field.target, isTrueOfNone ? always : condition, walk)
    } else inStep(stepInto(predicate), condition, walk)
  }
  for (const part of partsOf(predicate)) inPredicate(part, walk)
}

function inList({ condition, order, rows }: ListPlan, walk: Walk): void {
  inPredicate(condition, walk)
  for (const key of order)
    if (key.kind === 'value') for (const touch of valueTouches(key.value)) inTouch(touch, walk)
  inRows(rows, walk)
}

function inRows(rows: ListRows, walk: Walk): void {
  if (rows.kind === 'items') for (const member of rows.members) inMember(member, walk)
  else if (rows.kind === 'groups') {
    for (const { value } of rows.groups) for (const touch of valueTouches(value)) inTouch(touch, walk)
    for (const { subject } of rows.aggregates)
      for (const touch of subject ? subjectTouches(subject) : []) inTouch(touch, walk)
    inPredicate(rows.having, walk)
  }
}

function inMember(member: Member, walk: Walk): void {
  if (member.kind === 'many') {
    const { list } = member
    const shown: Predicate = { kind: 'and', parts: [list.condition, walk.rowsOf(list.collection)] }
    if (list.children) inStep({ kind: 'children', children: list.children }, shown, walk)
    inList(list, walk)
    return
  }
  for (const { members, through } of membersBelow(member)) {
    if (through?.kind === 'one') {
      beside(through.member.field.target, always, walk)
      inPredicate(through.member.condition, walk)
    } else if (through) {
      inStep(stepThrough(through), always, walk)
      inPredicate(through.arm.condition, walk)
    }
    for (const inner of members) inMember(inner, walk)
  }
  if (member.kind === 'value') for (const touch of subjectTouches(member.subject)) inTouch(touch, walk)
}

/** Notes items behind a step that meet a condition, and what the condition of their relation looks at. */
function inStep(step: RelationStep, condition: Predicate, walk: Walk): void {
  beside(targetOf(step), condition, walk)
  for (const touch of withConditions([step]).slice(1)) inTouch(touch, walk)
}

/** Any row at the end of a step may matter. */
function inTouch(touch: Touch, walk: Walk): void {
  for (const one of withConditions([touch])) if (one.kind !== 'field') beside(targetOf(one), always, walk)
}
