// Whether an item meets a filter, read word by word.
import { expressionOf, readName, valueAt } from './expression.ts'
import { flagNames, holds, isOperator } from './operators.ts'
import {
  armOf,
  childrenOf,
  followed,
  itemAt,
  keyOf,
  type Row,
  readScope,
  relationOf,
  type ToMany,
  toAny,
  typeOf,
  type World,
} from './world.ts'

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
  return { world, collection, row, key: row?.[keyOf(world, collection)] ?? null }
}

function meets(subject: Subject, filter: Filter): boolean {
  return Object.entries(filter).every(([word, operand]) => {
    if (word === '_and') return membersOf(operand).every((member) => meets(subject, member))
    if (word === '_or') return isTrueOfOne(membersOf(operand), (member) => meets(subject, member))
    if (isOperator(word)) return holds(word, operand, keyType(subject), subject.key)
    return meetsField(subject, word, conditionOf(operand))
  })
}

/** An empty list is no condition. */
const isTrueOfOne = (members: readonly Filter[], test: (member: Filter) => boolean): boolean =>
  members.length === 0 || members.some(test)

const keyType = ({ world, collection }: Subject) => typeOf(world, collection, keyOf(world, collection))

// Filters are data of the tests' own making; these three say what is known of their shape.
const membersOf = (operand: unknown) => operand as readonly Filter[]
const isObject = (operand: unknown): operand is Filter =>
  typeof operand === 'object' && operand !== null && !Array.isArray(operand)

/** `5` is short for `{ _eq: 5 }`, and null for `{ _null: true }`. */
function conditionOf(operand: unknown): Filter {
  if (operand === null) return { _null: true }
  return isObject(operand) ? operand : { _eq: operand }
}

function meetsField(subject: Subject, word: string, condition: Filter): boolean {
  const { world, collection, row } = subject
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
    if (word === '_or') {
      return isTrueOfOne(membersOf(operand), (member) => meetsOperators(type, value, member))
    }
    if (word === '_json') {
      return Object.entries(operand as Filter).every(([path, inner]) => meetsJson(value, path, inner))
    }
    return holds(word, operand, type, value)
  })
}

function meetsJson(value: unknown, path: string, inner: unknown): boolean {
  return meetsOperators('json', valueAt(value, path), conditionOf(inner))
}

/** Conditions in one object are about the same child; `_some` and `_none` speak of all children anew. */
function meetsMany({ world, collection, row }: Subject, relation: ToMany, condition: Filter): boolean {
  const children = row ? childrenOf(world, collection, row, relation) : []
  const someChild = (filter: Filter): boolean =>
    children.some((child) => meets(subjectOf(world, relation.to, child), filter))
  const ofOneChild: Record<string, unknown> = {}
  for (const [word, operand] of Object.entries(condition)) {
    if (word === '_some') {
      if (!someChild(operand as Filter)) return false
    } else if (word === '_none') {
      if (someChild(operand as Filter)) return false
    } else if (flagNames.includes(word)) {
      const isNone = word === '_null' || word === '_empty'
      if ((children.length === 0) !== (isNone === (operand !== false))) return false
    } else ofOneChild[word] = operand
  }
  return Object.keys(ofOneChild).length === 0 || someChild(ofOneChild)
}
