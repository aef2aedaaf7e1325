// Resolves a filter: names become fields by the gate, operands become values of the fields' types.
import { type EngineError, fault, isEngineError, type Path, quote } from '../../errors/errors.ts'
import { readCall } from '../../query/call.ts'
import type { FilterNode } from '../../query/query.ts'
import type { AnyReference, Collection, Field, ManyToOne } from '../../schema/model.ts'
import { isToMany, shownKey } from '../../schema/model.ts'
import { isJunction, isQuantifier } from '../../vocabulary/junctions.ts'
import { fieldOrOperator, foreignOperator } from '../../vocabulary/operator-hint.ts'
import { isOperator } from '../../vocabulary/operators.ts'
import { fieldSubject } from '../field-path.ts'
import { armOf, childrenOf, followed } from '../read/child-lists.ts'
import { ofOwner, someChild } from '../read/one-child.ts'
import { fieldNamed, noField } from '../resolve-name.ts'
import { resolveTest } from './condition.ts'
import {
  asNode,
  branchesOf,
  type FilterObject,
  isAboutList,
  isName,
  namesOperators,
  wholes,
} from './filter-node.ts'
import { below, type FilterPlace, type FilterReading, refuse } from './filter-place.ts'
import { callSubject, typeName } from './function-call.ts'
import {
  allOf,
  always,
  anyOf,
  type Children,
  decided,
  denied,
  isAlways,
  type Predicate,
  type PredicateDraft,
} from './predicate.ts'

export function resolveFilter(
  filter: FilterNode,
  collection: Collection,
  path: Path,
  context: FilterReading,
): Predicate {
  return decided(ofCollection(filter, { collection, path, context, isRelated: false }))
}

function ofCollection(node: FilterNode, place: FilterPlace): PredicateDraft {
  return allOf(Object.entries(node).map(([key, value]) => ofEntry(key, value, below(place, key))))
}

function ofEntry(key: string, value: FilterObject, place: FilterPlace): PredicateDraft {
  if (place.context.problems.isFull) return always
  if (isJunction(key)) return ofBranches(key, value, place, ofCollection)
  if (isQuantifier(key)) return refuse(place, `"${key}" stands under a to-many relation only.`)
  if (isOperator(key)) return keyTest(key, value, place)
  if (key === '_json') return refuse(place, '"_json" stands under a JSON field only.')
  if (key.startsWith('$FOLLOW(')) return ofFollow(key, asNode(value), place)
  return ofNamed(key, asNode(value), place)
}

export function ofBranches(
  key: '_and' | '_or',
  value: FilterObject,
  place: FilterPlace,
  resolve: (node: FilterNode, place: FilterPlace) => PredicateDraft,
): PredicateDraft {
  const parts = branchesOf(value).map((branch, index) => {
    const at = below(place, index)
    const part = resolve(asNode(branch), at)
    return key === '_or' && part !== denied && isAlways(part) ? refuseEmpty(at) : part
  })
  return key === '_and' ? allOf(parts) : anyOf(parts)
}

/** A branch without a condition is true, and would make the whole disjunction true. */
function refuseEmpty(place: FilterPlace): Predicate {
  if (!place.context.problems.isEmpty) return always
  return refuse(place, 'This branch of "_or" holds no condition, and would match everything.')
}

/** An operator right under a relation tests the related item's key. */
function keyTest(key: string, value: FilterObject, place: FilterPlace): PredicateDraft {
  const field = shownKey(place.collection)
  if (!place.isRelated || !field || !isOperator(key))
    return refuse(place, `"${key}" needs a field to work on.`)
  return resolveTest(fieldSubject(field), key, value, place)
}

function ofNamed(key: string, node: FilterNode, place: FilterPlace): PredicateDraft {
  const call = readCall(key)
  if (typeof call === 'object') return ofCall(key, node, place)
  const colon = key.indexOf(':')
  if (colon > 0) return ofArm(key.slice(0, colon), key.slice(colon + 1), node, place)
  const field = fieldNamed(place.collection, key, place.path, fieldOrOperator)
  return isEngineError(field) ? refuse(place, field) : ofField(field, node, place)
}

function ofCall(key: string, node: FilterNode, place: FilterPlace): PredicateDraft {
  const subject = callSubject(place.collection, key, place.path, place.context)
  if (isEngineError(subject)) return refuse(place, subject)
  if (place.context.use === 'memory' && subject.kind === 'related' && subject.of)
    return refuse(place, `${quote(key)} cannot be computed in memory.`)
  return ofValue(node, place, quote(key), (operator, value, at) => resolveTest(subject, operator, value, at))
}

function ofField(field: Field, node: FilterNode, place: FilterPlace): PredicateDraft {
  if (field.kind === 'm2o') return ofManyToOne(field, node, place)
  if (isToMany(field)) return ofChildren(childrenOf(field, place.context.circumstances), node, place)
  if (field.kind === 'any' && Object.keys(node).some(isName)) return refuse(place, ...needsScope(field))
  const subject = { kind: 'field', field, type: field.value } as const
  return ofValue(node, place, `"${field.name}" (${typeName(field)})`, (operator, value, at) => {
    if (operator === '_json') return ofJson(field, asNode(value), at)
    return resolveTest(subject, operator, value, at)
  })
}

function needsScope(field: AnyReference): [string, string] {
  const [first = ''] = field.targets.keys()
  return [`"${field.name}" points to several collections; say which one.`, `Write "${field.name}:${first}".`]
}

/** Operators of one value, in a conjunction. `what` names the value in messages. */
export function ofValue(
  node: FilterNode,
  place: FilterPlace,
  what: string,
  test: (operator: string, value: FilterObject, place: FilterPlace) => PredicateDraft,
): PredicateDraft {
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

/** The error for a name below a value, the same as for any unknown name: the part above it may be named, since
 *  the caller may use that. */
function nothingBelow(what: string, name: string, path: Path): EngineError {
  const lookInside = what.endsWith('(json)')
    ? `Write { "_json": { ${quote(name)}: … } } to look inside.`
    : undefined
  const hint = isOperator(`_${name}`) ? `Did you mean "_${name}"?` : (lookInside ?? foreignOperator(name))
  return fault('FORBIDDEN', `${what} holds no fields, so there is no ${quote(name)} below it.`, {
    path,
    hint,
  })
}

/** Conditions on paths of one document, in a conjunction: `{ _json: { 'size.w': { _gt: 3 } } }`. */
function ofJson(field: Field, node: FilterNode, place: FilterPlace): PredicateDraft {
  const parts = Object.entries(node).map(([key, value]) => {
    const at = below(place, key)
    if (isJunction(key)) return ofBranches(key, value, at, (branch, inner) => ofJson(field, branch, inner))
    if (isOperator(key)) return refuse(at, `"${key}" needs a path inside "${field.name}".`)
    const subject = callSubject(place.collection, `json(${field.name},${key})`, at.path, at.context)
    if (isEngineError(subject)) return refuse(at, subject)
    return ofValue(asNode(value), at, `The value at ${quote(key)}`, (operator, inner, deeper) =>
      resolveTest(subject, operator, inner, deeper),
    )
  })
  return allOf(parts)
}

function ofManyToOne(field: ManyToOne, node: FilterNode, place: FilterPlace): PredicateDraft {
  if (!namesOperators(node)) return ofTarget(field, node, place)
  const subject = fieldSubject(field)
  const names = Object.fromEntries(Object.entries(node).filter(([key]) => isName(key)))
  const words = Object.entries(node).filter(([key]) => !isName(key))
  const parts = words.map(([key, value]) => {
    const at = below(place, key)
    if (isJunction(key))
      return ofBranches(key, value, at, (branch, inner) => ofManyToOne(field, branch, inner))
    if (isQuantifier(key))
      return refuse(at, `"${key}" stands under a to-many relation only; "${field.name}" has one target.`)
    return resolveTest(subject, key, value, at)
  })
  return allOf([...parts, ofTarget(field, names, place)])
}

function ofTarget(field: ManyToOne, node: FilterNode, place: FilterPlace): PredicateDraft {
  const condition = ofCollection(node, { ...place, collection: field.target, isRelated: false })
  if (condition === denied) return denied
  return isAlways(condition) ? always : { kind: 'one', field, condition, path: place.path }
}

function ofArm(name: string, scope: string, node: FilterNode, place: FilterPlace): PredicateDraft {
  const field = fieldNamed(place.collection, name, place.path)
  if (isEngineError(field)) return refuse(place, field)
  if (field.kind !== 'any') return refuse(place, noField(place.collection, `${name}:${scope}`, place.path))
  const target = field.targets.get(scope)
  if (!target) return refuse(place, noField(place.collection, `${name}:${scope}`, place.path))
  const condition = ofCollection(node, { ...place, collection: target, isRelated: true })
  // A scope is a condition by itself: the target belongs to that collection.
  if (condition === denied) return denied
  return { kind: 'arm', ...armOf(field, target, place.context.circumstances), condition, path: place.path }
}

function ofFollow(key: string, node: FilterNode, place: FilterPlace): PredicateDraft {
  const children = followed(key, place.collection, place.context, place.path)
  if (isEngineError(children)) return refuse(place, children)
  if (place.context.use === 'memory') return refuse(place, `${quote(key)} cannot be followed in memory.`)
  return ofChildren(children, node, place)
}

/** Conditions without a quantifier are about one child, even with conditions on the list of children between them. */
function ofChildren(children: Children, node: FilterNode, place: FilterPlace): PredicateDraft {
  return someChild(ofChild(children, node, place), children, place.path)
}

function ofChild(children: Children, node: FilterNode, place: FilterPlace): PredicateDraft {
  const parts = Object.entries(node).map(([key, value]) => {
    const at = below(place, key)
    if (isJunction(key))
      return ofBranches(key, value, at, (branch, inner) => ofChild(children, branch, inner))
    if (isAboutList(key)) return ofOwner(ofList(key, value, children, at))
    return ofEntry(key, value, { ...at, collection: children.target, isRelated: true })
  })
  return allOf(parts)
}

/** A quantifier, or a word that tests whether there are any children. */
function ofList(key: string, value: FilterObject, children: Children, place: FilterPlace): PredicateDraft {
  if (key === '_some' || key === '_none')
    return quantified(key === '_some' ? 'some' : 'none', children, asNode(value), place)
  const kind = wholes[key] ?? 'some'
  const matches = value !== false
  return {
    kind: matches ? kind : kind === 'some' ? 'none' : 'some',
    children,
    condition: always,
    path: place.path,
  }
}

function quantified(
  kind: 'some' | 'none',
  children: Children,
  node: FilterNode,
  place: FilterPlace,
): PredicateDraft {
  const condition = ofCollection(node, { ...place, collection: children.target, isRelated: true })
  return condition === denied ? denied : { kind, children, condition, path: place.path }
}
