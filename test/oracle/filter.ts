// Whether an item meets a filter, read word by word.

import {
  armOf,
  childrenOf,
  followed,
  itemAt,
  keyType,
  keyValue,
  type Row,
  readScope,
  relationOf,
  type ToMany,
  toAny,
  type World,
} from './dataset.ts'
import { expressionOf, readName, valueAt } from './expression.ts'
import { absent, flagNames, holds, isOperator } from './operators.ts'

export type Filter = Readonly<Record<string, unknown>>

/** The item a condition is about. Of one that is not there, everything is null. */
interface Subject {
  readonly world: World
  readonly collection: string
  readonly row: Row | undefined
  /** What an operator that names no field is about. */
  readonly key: unknown
}

export function matches(world: World, collection: string, filter: Filter, row: Row): boolean {
  return meets(subjectOf(world, collection, row), filter)
}

function subjectOf(world: World, collection: string, row: Row | undefined): Subject {
  return { world, collection, row, key: keyValue(world, collection, row) }
}

function meets(subject: Subject, filter: Filter): boolean {
  return Object.entries(filter).every(([word, operand]) => {
    if (word === '_and') return membersOf(operand).every((member) => meets(subject, member))
    if (word === '_or') return membersOf(operand).some((member) => meets(subject, member))
    if (isOperator(word)) return holds(word, operand, keyType(subject.world, subject.collection), subject.key)
    return meetsField(subject, word, conditionOf(operand))
  })
}

// Filters are data of the tests' own making; these three say what is known of their shape.
const membersOf = (operand: unknown) => operand as readonly Filter[]
const isObject = (operand: unknown): operand is Filter =>
  typeof operand === 'object' && operand !== null && !Array.isArray(operand)

/** `5` is short for `{ _eq: 5 }`, and null for `{ _null: true }`. */
function conditionOf(operand: unknown): Filter {
  if (operand === null) return { _null: true }
  return isObject(operand) ? operand : { _eq: operand }
}

/** The value of a field of the item, or behind relations to one. */
function fieldAt({ world, collection, row }: Subject, [name = '', ...rest]: readonly string[]): unknown {
  const value = row?.[name] ?? null
  const relation = relationOf(world, collection, name)
  if (rest.length === 0 || relation?.kind !== 'one') return value
  return fieldAt(subjectOf(world, relation.to, itemAt(world, relation.to, value)), rest)
}

/** Puts the values of fields in the place of their names. */
function withValues(subject: Subject, condition: Filter): Filter {
  const entries = Object.entries(condition).map(([word, operand]) => {
    if (word === '_and' || word === '_or')
      return [word, membersOf(operand).map((member) => withValues(subject, member))]
    if (!isOperator(word) || !isObject(operand) || !('$field' in operand)) return [word, operand]
    const value = fieldAt(subject, String(operand.$field).split('.'))
    return [word, value === null ? absent : value]
  })
  return Object.fromEntries(entries)
}

function meetsField(subject: Subject, word: string, given: Filter): boolean {
  const { world, collection, row } = subject
  const condition = withValues(subject, given)
  const follow = followed(collection, word)
  if (follow) return meetsMany(subject, follow, condition)
  const scope = readScope(word)
  if (scope && !word.includes('(')) {
    const any = toAny(world, collection, scope.field)
    const target = row && armOf(world, row, scope.field, any, scope.arm)
    // To name a collection is to ask for an item of it: without one, not even `_null` holds.
    return target !== undefined && meets(subjectOf(world, scope.arm, target), condition)
  }
  const name = readName(word)
  if (name.function !== undefined || name.path.length > 0) return meetsValue(subject, word, condition)
  const relation = relationOf(world, collection, word)
  if (relation?.kind === 'many') return meetsMany(subject, relation, condition)
  if (relation?.kind !== 'one') return meetsValue(subject, word, condition)
  const key = row?.[word] ?? null
  return meets({ world, collection: relation.to, row: itemAt(world, relation.to, key), key }, condition)
}

function meetsValue({ world, collection, row }: Subject, word: string, condition: Filter): boolean {
  const { type, read } = expressionOf(world, collection, readName(word))
  return meetsOperators(type, read(row), condition)
}

function meetsOperators(type: string, value: unknown, condition: Filter): boolean {
  return Object.entries(condition).every(([word, operand]) => {
    if (word === '_and') return membersOf(operand).every((member) => meetsOperators(type, value, member))
    if (word === '_or') return membersOf(operand).some((member) => meetsOperators(type, value, member))
    if (word === '_json') {
      return Object.entries(operand as Filter).every(([path, inner]) => meetsJson(value, path, inner))
    }
    return holds(word, operand, type, value)
  })
}

function meetsJson(value: unknown, path: string, inner: unknown): boolean {
  return meetsOperators('json', valueAt(value, path), conditionOf(inner))
}

/** A way to meet a condition on children: what one of them has to be, all of it, and what has to be true of the list. */
interface Way {
  readonly ofOneChild: readonly Filter[]
  readonly ofList: readonly (readonly [word: string, operand: unknown])[]
}

/** All conditions, wherever they stand, are about the same child; `_some`, `_none` and flags speak of the list. */
function meetsMany({ world, collection, row }: Subject, relation: ToMany, condition: Filter): boolean {
  const children = row ? childrenOf(world, collection, row, relation) : []
  const someChild = (filters: readonly Filter[]): boolean =>
    children.some((child) => filters.every((filter) => meets(subjectOf(world, relation.to, child), filter)))
  const isTrueOfList = (word: string, operand: unknown): boolean => {
    if (word === '_some') return someChild([operand as Filter])
    if (word === '_none') return !someChild([operand as Filter])
    const isNone = word === '_null' || word === '_empty'
    return (children.length === 0) === (isNone === (operand !== false))
  }
  return waysOf(condition).some(
    ({ ofOneChild, ofList }) =>
      ofList.every(([word, operand]) => isTrueOfList(word, operand)) &&
      (ofOneChild.length === 0 || someChild(ofOneChild)),
  )
}

function waysOf(condition: Filter): readonly Way[] {
  return together(Object.entries(condition).map(([word, operand]) => waysOfEntry(word, operand)))
}

function waysOfEntry(word: string, operand: unknown): readonly Way[] {
  if (word === '_and') return together(membersOf(operand).map(waysOf))
  if (word === '_or') return membersOf(operand).flatMap(waysOf)
  const isOfList = word === '_some' || word === '_none' || flagNames.includes(word)
  return [
    isOfList
      ? { ofOneChild: [], ofList: [[word, operand]] }
      : { ofOneChild: [{ [word]: operand }], ofList: [] },
  ]
}

/** Every choice of one way for each. */
function together(all: readonly (readonly Way[])[]): readonly Way[] {
  return all.reduce<readonly Way[]>(
    (chosen, ways) =>
      chosen.flatMap((one) =>
        ways.map((other) => ({
          ofOneChild: [...one.ofOneChild, ...other.ofOneChild],
          ofList: [...one.ofList, ...other.ofList],
        })),
      ),
    [{ ofOneChild: [], ofList: [] }],
  )
}
