// Touches: the collections and the fields that a plan, the rules and the variables of its caller name.

import { isEngineError } from '../errors/errors.ts'
import {
  type AnyReference,
  type Collection,
  keyFieldsOf,
  type ManyToOne,
  partsOf as partsOfField,
  referencedFields,
  type Schema,
  type StoredField,
} from '../schema/model.ts'
import { hasVariable, type Lookups, nobody, readVariable } from '../vocabulary/variables.ts'
import { fieldsIn, targetOf, valueNamed } from './field-path.ts'
import type { BoundRelation, ComparedValue, Predicate, Test } from './filter/predicate.ts'
import { relationCondition } from './filter/relation-condition.ts'
import type { ListPlan, ListRows, Member, RelationStep, Value } from './read/read-plan.ts'
import { isOnRelated, membersBelow, partsOf, stepInto, stepThrough, type Through } from './walk.ts'

/** The names of fields by the name of their collection, its key always among them. A field that the database computes is among them, and
 *  not those from which it is computed. */
export type Touches = ReadonlyMap<string, ReadonlySet<string>>

/** Rules and variables on which the answer to a caller depends besides the plan. */
export interface CallerTouches {
  /** Returns the conditions on the rows and the values of a collection that the caller may see. */
  readonly rulesOf: (collection: Collection) => readonly Predicate[]
  /** The variables of the rules and of the query, as they are written: `$CURRENT_USER.role.name`. */
  readonly variables: readonly string[]
  /** The schema with the collections in which variables are looked up. */
  readonly schema: Schema
  readonly lookups: Lookups
}

/** Returns the fields, by collection, on which the answer of a plan depends. */
export function touchesOf(list: ListPlan, caller?: CallerTouches): Touches {
  const { held, touches } = readBy(list, caller)
  const found = new Map<string, Set<string>>()
  for (const { collection, fields } of [...held, ...touches.flatMap(heldBy)]) {
    const names = found.get(collection.name) ?? new Set()
    for (const { name } of [...keyFieldsOf(collection), ...fields]) names.add(name)
    found.set(collection.name, names)
  }
  return found
}

/** True if the answer of a plan may look at an item for the sake of others: some relation leads to its collection, or a variable is looked up
 *  there. Where it is false, an item decides of nothing but itself. */
export function looksAtOthers(list: ListPlan, caller: CallerTouches): boolean {
  const { name } = list.collection
  const { held, touches } = readBy(list, caller)
  return (
    held.slice(1).some(({ collection }) => collection.name === name) ||
    touches.some((touch) => touch.kind !== 'field' && targetOf(touch).name === name)
  )
}

export const collectionsOfVariables = (caller: CallerTouches): readonly Collection[] =>
  caller.variables.flatMap((text) => variableHeld(text, caller)).map(({ collection }) => collection)

/** Returns the fields of variables, behind the collection of the list, and all that the plan and its rules name. */
function readBy(list: ListPlan, caller: CallerTouches | undefined) {
  const variables = caller?.variables.flatMap((text) => variableHeld(text, caller)) ?? []
  const held: readonly HeldFields[] = [{ collection: list.collection, fields: [] }, ...variables]
  const named = listTouches(list)
  const collections = new Set([...held, ...named.flatMap(heldBy)].map(({ collection }) => collection))
  // Rules read every row, so that no other rules apply to what they read.
  const rules = [...collections].flatMap((collection) => caller?.rulesOf(collection) ?? [])
  return { held, touches: withConditions([...named, ...rules.flatMap(predicateTouches)]) }
}

/** A field whose value is read, or a step to related items. */
export type Touch = RelationStep | { readonly kind: 'field'; readonly field: StoredField }

/** Adds to touches those of the conditions of relations. */
export function withConditions(touches: readonly Touch[], known: Set<object> = new Set()): readonly Touch[] {
  return touches.flatMap((touch) => {
    const within = withinOf(touch)
    if (!within || known.has(within.filter)) return [touch]
    known.add(within.filter)
    return [touch, ...withConditions(predicateTouches(relationCondition(within)), known)]
  })
}

/** True if a list names a relation whose condition has variables: its plan is of one caller at one time. */
export const isOfCircumstances = (list: ListPlan): boolean =>
  withConditions(listTouches(list)).some((touch) => hasVariable(withinOf(touch)?.filter))

/** Returns the condition of the relation that a touch names. */
export function withinOf(touch: Touch): BoundRelation | undefined {
  if (touch.kind === 'arm') return touch.within
  return touch.kind === 'children' ? touch.children.within : undefined
}

/** Returns what a list names, besides the relation whose children it has. */
function listTouches({ condition, order, rows }: ListPlan): readonly Touch[] {
  const sorted = order.flatMap((key) => (key.kind === 'value' ? valueTouches(key.value) : []))
  return [...predicateTouches(condition), ...sorted, ...rowTouches(rows)]
}

function rowTouches(rows: ListRows): readonly Touch[] {
  if (rows.kind === 'items') return rows.members.flatMap(memberTouches)
  if (rows.kind === 'keys') return []
  const groups = rows.groups.flatMap(({ value }) => valueTouches(value))
  const counted = rows.aggregates.flatMap(({ subject }) => (subject ? subjectTouches(subject) : []))
  return [...groups, ...counted, ...predicateTouches(rows.having)]
}

export function memberTouches(member: Member): readonly Touch[] {
  if (member.kind === 'value') return subjectTouches(member.subject)
  if (member.kind === 'many') {
    const { children } = member.list
    return [...(children ? [{ kind: 'children', children } as const] : []), ...listTouches(member.list)]
  }
  return membersBelow(member).flatMap(({ members, through }) => [
    ...(through ? throughTouches(through) : []),
    ...members.flatMap(memberTouches),
  ])
}

function throughTouches(through: Through): readonly Touch[] {
  if (through.kind === 'one') {
    const { field, condition } = through.member
    return [{ kind: 'one', field }, ...predicateTouches(condition)]
  }
  return [stepThrough(through), ...predicateTouches(through.arm.condition)]
}

/** Returns what a predicate names, in the order in which it is written. */
export function predicateTouches(predicate: Predicate): readonly Touch[] {
  if (predicate.kind === 'test') return testTouches(predicate)
  const below = partsOf(predicate).flatMap(predicateTouches)
  return isOnRelated(predicate) ? [stepInto(predicate), ...below] : below
}

export const testTouches = ({ subject, operand }: Test): readonly Touch[] => [
  ...subjectTouches(subject),
  ...(operand.kind === 'field'
    ? [
        ...operand.route.map((field) => ({ kind: 'one', field }) as const),
        { kind: 'field', field: operand.field } as const,
      ]
    : []),
]

/** Returns what a value is made of, and the steps to it. */
export const valueTouches = ({ route, subject }: Value): readonly Touch[] => [
  ...route,
  ...subjectTouches(subject),
]

/** Returns what a value of an item is made of: its fields, or its children and what of them is aggregated. */
export function subjectTouches(subject: ComparedValue): readonly Touch[] {
  if (subject.kind === 'related') {
    const { children, condition, of } = subject
    const inside = [...predicateTouches(condition), ...(of ? subjectTouches(of) : [])]
    return [{ kind: 'children', children }, ...inside]
  }
  if (subject.kind === 'aggregate') return subject.of ? subjectTouches(subject.of) : []
  return fieldsIn(subject).map((field) => ({ kind: 'field', field }))
}

/** Returns the collections of the related items that a predicate names. */
export const collectionsTested = (predicate: Predicate): readonly Collection[] =>
  withConditions(predicateTouches(predicate)).flatMap((touch) =>
    touch.kind === 'field' ? [] : [targetOf(touch)],
  )

interface HeldFields {
  readonly collection: Collection
  readonly fields: readonly StoredField[]
}

/** Returns the fields that hold a value, or that connect the items of a step. */
function heldBy(touch: Touch): readonly HeldFields[] {
  if (touch.kind === 'field') return [{ collection: touch.field.collection, fields: [touch.field] }]
  const [holder, other] =
    touch.kind === 'children'
      ? [touch.children.foreign, touch.children.owner]
      : [touch.field, targetOf(touch)]
  return [
    { collection: holder.collection, fields: holdersOf(holder) },
    { collection: other, fields: holder.kind === 'm2o' ? referencedFields(holder) : [] },
  ]
}

/** Returns the fields that a touch reads, of whichever item holds them. */
export const fieldsTouched = (touch: Touch): readonly StoredField[] =>
  touch.kind === 'children' ? holdersOf(touch.children.foreign) : ownFields(touch)

/** Returns the fields of an item itself that a touch reads; none for its children. */
export function ownFields(touch: Touch): readonly StoredField[] {
  if (touch.kind === 'children') return []
  return touch.kind === 'one' || touch.kind === 'arm' ? holdersOf(touch.field) : [touch.field]
}

/** Returns the fields that hold a reference: where it leads to any of several collections, also the field that names the collection. */
export const holdersOf = (field: ManyToOne | AnyReference): readonly StoredField[] =>
  field.kind === 'any' ? [field, field.by] : partsOfField(field)

/** Returns the fields that are looked up for a variable; none if it has no path, or one that leads nowhere and denies. */
function variableHeld(text: string, { schema, lookups }: CallerTouches): readonly HeldFields[] {
  const variable = readVariable(text)
  const collection = variable && schema.collections.get(lookups[variable.name] ?? '')
  if (!collection || variable.path === undefined) return []
  const value = valueNamed(collection, variable.path, [], { circumstances: nobody })
  if (isEngineError(value)) return []
  return [{ collection, fields: [] }, ...valueTouches(value).flatMap(heldBy)]
}
