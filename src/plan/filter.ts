// Resolves a filter: names become fields by the gate, operands become values of the fields' types.
import { type EngineError, fault, isEngineError, type Path, quote } from '../errors.ts'
import type { Problems } from '../problems.ts'
import { readCall, readFollow } from '../query/call.ts'
import type { FilterNode } from '../query/query.ts'
import type { AnyReference, Collection, Field, ManyToOne, Schema, ToMany } from '../schema/model.ts'
import { isToMany } from '../schema/model.ts'
import { isJunction, isOperator, isQuantifier } from '../vocabulary/operators.ts'
import type { Circumstances } from '../vocabulary/variables.ts'
import { collectionNamed, fieldNamed, noField } from './gate.ts'
import {
  allOf,
  always,
  anyOf,
  type Children,
  type Draft,
  denied,
  isAlways,
  never,
  type Predicate,
} from './predicate.ts'
import { callSubject, typeName } from './subject.ts'
import { resolveTest } from './test.ts'

export interface FilterContext {
  readonly schema: Schema
  readonly circumstances: Circumstances
  readonly problems: Problems
  /** Where the predicate is met: `_regex` works everywhere but in a query, undeclared relations everywhere but in memory. */
  readonly use: 'query' | 'memory' | 'validation'
}

/** A filter of a collection as a predicate. Problems are noted in the context. */
export function resolveFilter(
  filter: FilterNode,
  collection: Collection,
  path: Path,
  context: FilterContext,
): Predicate {
  const resolved = ofCollection(filter, { collection, path, context, isRelated: false })
  return resolved === denied ? never : resolved
}

interface Place {
  readonly collection: Collection
  readonly path: Path
  readonly context: FilterContext
  /** Reached through a relation, so that operators may stand for tests of the item's key. */
  readonly isRelated: boolean
}

type Node = FilterNode[string]

// Written out, because it is made for every entry of a filter, and a spread takes five times as long.
const below = ({ collection, path, context, isRelated }: Place, step: string | number): Place => ({
  collection,
  path: [...path, step],
  context,
  isRelated,
})

/** Notes a problem; what it is part of counts as no condition, since the whole is refused anyway. */
function refuse({ context, path }: Place, problem: string | EngineError, hint?: string): Predicate {
  if (isEngineError(problem)) context.problems.report(problem)
  else context.problems.add(path, problem, hint)
  return always
}

function ofCollection(node: FilterNode, place: Place): Draft {
  return allOf(Object.entries(node).map(([key, value]) => ofEntry(key, value, below(place, key))))
}

function ofEntry(key: string, value: Node, place: Place): Draft {
  if (isJunction(key)) return ofBranches(key, value, place, ofCollection)
  if (isQuantifier(key)) return refuse(place, `"${key}" stands under a to-many relation only.`)
  if (isOperator(key)) return keyTest(key, value, place)
  if (key === '_json') return refuse(place, '"_json" stands under a JSON field only.')
  if (key.startsWith('$FOLLOW(')) return ofFollow(key, asNode(value), place)
  return ofNamed(key, asNode(value), place)
}

// readFilter has given every key but operators an object.
const asNode = (value: Node): FilterNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as FilterNode) : {}

function ofBranches(
  key: '_and' | '_or',
  value: Node,
  place: Place,
  resolve: (node: FilterNode, place: Place) => Draft,
): Draft {
  const branches = Array.isArray(value) ? value : []
  const parts = branches.map((branch: Node, index) => {
    const at = below(place, index)
    const part = resolve(asNode(branch), at)
    return key === '_or' && part !== denied && isAlways(part) ? refuseEmpty(at) : part
  })
  return key === '_and' ? allOf(parts) : anyOf(parts)
}

/** A branch without a condition is true, and would make the whole alternative true with it. */
function refuseEmpty(place: Place): Predicate {
  if (!place.context.problems.isEmpty) return always
  return refuse(place, 'This branch of "_or" holds no condition, and would match everything.')
}

/** An operator right under a relation tests the related item's key. */
function keyTest(key: string, value: Node, place: Place): Draft {
  const { key: field } = place.collection
  if (!place.isRelated || !isOperator(key)) return refuse(place, `"${key}" needs a field to work on.`)
  return resolveTest({ kind: 'field', field, type: field.value }, key, value, place.path, place.context)
}

function ofNamed(key: string, node: FilterNode, place: Place): Draft {
  const call = readCall(key)
  if (typeof call === 'object') return ofCall(key, node, place)
  const colon = key.indexOf(':')
  if (colon > 0) return ofArm(key.slice(0, colon), key.slice(colon + 1), node, place)
  const field = fieldNamed(place.collection, key, place.path)
  return isEngineError(field) ? refuse(place, field) : ofField(field, node, place)
}

function ofCall(key: string, node: FilterNode, place: Place): Draft {
  const subject = callSubject(place.collection, key, place.path)
  if (isEngineError(subject)) return refuse(place, subject)
  return ofValue(node, place, quote(key), (operator, value, at) =>
    resolveTest(subject, operator, value, at.path, place.context),
  )
}

function ofField(field: Field, node: FilterNode, place: Place): Draft {
  if (field.kind === 'm2o') return ofManyToOne(field, node, place)
  if (isToMany(field)) return ofChildren(childrenOf(field), node, place)
  if (field.kind === 'any' && Object.keys(node).some(isName)) return refuse(place, ...needsScope(field))
  const subject = { kind: 'field', field, type: field.value } as const
  return ofValue(node, place, `"${field.name}" (${typeName(field)})`, (operator, value, at) => {
    if (operator === '_json') return ofJson(field, asNode(value), at)
    return resolveTest(subject, operator, value, at.path, place.context)
  })
}

function needsScope(field: AnyReference): [string, string] {
  const [first = ''] = field.targets.keys()
  return [`"${field.name}" points to several collections; say which one.`, `Write "${field.name}:${first}".`]
}

/** Operators of one value, joined as they stand. `what` names the value for messages. */
function ofValue(
  node: FilterNode,
  place: Place,
  what: string,
  test: (operator: string, value: Node, place: Place) => Draft,
): Draft {
  const parts = Object.entries(node).map(([key, value]) => {
    const at = below(place, key)
    if (isJunction(key))
      return ofBranches(key, value, at, (branch, inner) => ofValue(branch, inner, what, test))
    if (isOperator(key) || key === '_json') return test(key, value, at)
    if (isQuantifier(key)) return refuse(at, `"${key}" stands under a to-many relation only.`)
    return refuse(at, nothingBelow(what, key, at.path))
  })
  return allOf(parts)
}

/** Answers as for any name that does not exist: what stands above it may be told, since the caller may use that. */
function nothingBelow(what: string, name: string, path: Path): EngineError {
  const hint = what.endsWith('(json)')
    ? `Write { "_json": { ${quote(name)}: … } } to look inside.`
    : undefined
  return fault('FORBIDDEN', `${what} holds no fields, so there is no ${quote(name)} below it.`, {
    path,
    hint,
  })
}

/** `{ _json: { 'size.w': { _gt: 3 } } }`: paths of one document, joined as they stand. */
function ofJson(field: Field, node: FilterNode, place: Place): Draft {
  const parts = Object.entries(node).map(([key, value]) => {
    const at = below(place, key)
    if (isJunction(key)) return ofBranches(key, value, at, (branch, inner) => ofJson(field, branch, inner))
    if (isOperator(key)) return refuse(at, `"${key}" needs a path inside "${field.name}".`)
    const subject = callSubject(place.collection, `json(${field.name},${key})`, at.path)
    if (isEngineError(subject)) return refuse(at, subject)
    return ofValue(asNode(value), at, `The value at ${quote(key)}`, (operator, inner, deeper) =>
      resolveTest(subject, operator, inner, deeper.path, place.context),
    )
  })
  return allOf(parts)
}

function ofManyToOne(field: ManyToOne, node: FilterNode, place: Place): Draft {
  if (!namesOperators(node)) return oneOf(field, node, place)
  const subject = { kind: 'field', field, type: field.value } as const
  const names = Object.fromEntries(Object.entries(node).filter(([key]) => isName(key)))
  const words = Object.entries(node).filter(([key]) => !isName(key))
  const parts = words.map(([key, value]) => {
    const at = below(place, key)
    if (isJunction(key))
      return ofBranches(key, value, at, (branch, inner) => ofManyToOne(field, branch, inner))
    if (isQuantifier(key))
      return refuse(at, `"${key}" stands under a to-many relation only; "${field.name}" has one target.`)
    return resolveTest(subject, key, value, at.path, place.context)
  })
  return allOf([...parts, oneOf(field, names, place)])
}

function oneOf(field: ManyToOne, node: FilterNode, place: Place): Draft {
  const condition = ofCollection(node, { ...place, collection: field.target, isRelated: false })
  if (condition === denied) return denied
  return isAlways(condition) ? always : { kind: 'one', field, condition, path: place.path }
}

const isName = (key: string) => !key.startsWith('_')

/** Whether operators on the relation itself stand in the node, or in its branches. */
function namesOperators(node: FilterNode): boolean {
  return Object.entries(node).some(([key, value]) => {
    if (isJunction(key))
      return Array.isArray(value) && value.some((branch: Node) => namesOperators(asNode(branch)))
    return !isName(key)
  })
}

function ofArm(name: string, scope: string, node: FilterNode, place: Place): Draft {
  const field = fieldNamed(place.collection, name, place.path)
  if (isEngineError(field)) return refuse(place, field)
  if (field.kind !== 'any') return refuse(place, noField(place.collection, `${name}:${scope}`, place.path))
  const target = field.targets.get(scope)
  if (!target) return refuse(place, noField(place.collection, `${name}:${scope}`, place.path))
  const condition = ofCollection(node, { ...place, collection: target, isRelated: true })
  return condition === denied ? denied : { kind: 'arm', field, target, condition, path: place.path }
}

export function childrenOf(field: ToMany): Children {
  return { owner: field.collection, target: field.target, foreign: field.foreign, name: field.name }
}

function ofFollow(key: string, node: FilterNode, place: Place): Draft {
  const follow = readFollow(key)
  const target = follow && collectionNamed(place.context.schema, follow.collection, place.path)
  if (!follow || !target) return refuse(place, `${quote(key)} is not understood.`)
  if (isEngineError(target)) return refuse(place, target)
  if (place.context.use === 'memory') return refuse(place, `${quote(key)} cannot be followed in memory.`)
  const field = fieldNamed(target, follow.field, place.path)
  if (isEngineError(field)) return refuse(place, field)
  if (!pointsTo(field, place.collection, follow.by)) {
    return refuse(
      place,
      `${quote(key)} does not lead to "${place.collection.name}": "${follow.field}" of "${target.name}" does not point there.`,
    )
  }
  return ofChildren({ owner: place.collection, target, foreign: field, name: undefined }, node, place)
}

function pointsTo(
  field: Field,
  collection: Collection,
  by: string | undefined,
): field is ManyToOne | AnyReference {
  if (field.kind === 'm2o') return by === undefined && field.target === collection
  return field.kind === 'any' && field.by.name === by && field.targets.get(collection.name) === collection
}

/** Words that speak of the children as a whole. */
const wholes: Readonly<Record<string, 'some' | 'none'>> = {
  _null: 'none',
  _empty: 'none',
  _nnull: 'some',
  _nempty: 'some',
}

const speaksOfWhole = (key: string) => isQuantifier(key) || Object.hasOwn(wholes, key)

function ofChildren(children: Children, node: FilterNode, place: Place): Draft {
  const inside = Object.fromEntries(Object.entries(node).filter(([key, value]) => isCondition(key, value)))
  const parts = Object.entries(node)
    .filter(([key, value]) => !isCondition(key, value))
    .map(([key, value]) => {
      const at = below(place, key)
      if (isJunction(key))
        return ofBranches(key, value, at, (branch, inner) => ofChildren(children, branch, inner))
      if (key === '_some' || key === '_none')
        return quantified(key === '_some' ? 'some' : 'none', children, asNode(value), at)
      const kind = wholes[key] ?? 'some'
      const isMeant = value !== false
      return {
        kind: isMeant ? kind : kind === 'some' ? 'none' : 'some',
        children,
        condition: always,
        path: at.path,
      } as const
    })
  return allOf([...parts, implied(children, inside, place)])
}

/** Conditions without a quantifier: one child meets them all. Where nothing is asked of it, there need not be one. */
function implied(children: Children, node: FilterNode, place: Place): Draft {
  const some = quantified('some', children, node, place)
  return some !== denied && some.kind === 'some' && isAlways(some.condition) ? always : some
}

/** Whether an entry is a condition on a single child: one EXISTS serves all of these together. */
function isCondition(key: string, value: Node): boolean {
  if (!isJunction(key)) return !speaksOfWhole(key)
  const branches = Array.isArray(value) ? value : []
  return branches.every((branch: Node) =>
    Object.entries(asNode(branch)).every(([inner, innerValue]) => isCondition(inner, innerValue)),
  )
}

function quantified(kind: 'some' | 'none', children: Children, node: FilterNode, place: Place): Draft {
  const condition = ofCollection(node, { ...place, collection: children.target, isRelated: true })
  return condition === denied ? denied : { kind, children, condition, path: place.path }
}
