// Translates a filter of the service into one with the same meaning. Filters that could match more here than in the service are refused.
import { quote } from '../../errors/errors.ts'
import { asNode, branchesOf, isAboutList } from '../../plan/filter/filter-node.ts'
import { readFollow } from '../../query/call.ts'
import { type Collection, isToMany, type Schema } from '../../schema/model.ts'
import { isRecord } from '../../values/guards.ts'
import { isJunction, isQuantifier } from '../../vocabulary/junctions.ts'
import { isOperator } from '../../vocabulary/operators.ts'
import { type OperatorUse, translateOperator } from './translate-operator.ts'

interface Translated {
  /** Undefined if it holds no condition. */
  readonly filter: object | undefined
  /** Reasons why it cannot be translated; empty if it can. */
  readonly refusals: readonly string[]
}

interface FilterPurpose {
  readonly schema: Schema
  readonly use: OperatorUse
}

export function translateFilter(input: unknown, collection: Collection, purpose: FilterPurpose): Translated {
  if (input === null || input === undefined) return { filter: undefined, refusals: [] }
  const refusals: string[] = []
  const node = ofCollection(input, { ...purpose, collection, refuse: (says) => refusals.push(says) })
  return { filter: isEmpty(node) ? undefined : node, refusals }
}

interface FilterPosition extends FilterPurpose {
  readonly collection: Collection
  readonly refuse: (says: string) => void
}

type ServiceNode = Readonly<Record<string, unknown>>
type FilterEntry = readonly [key: string, value: unknown]

const isEmpty = (node: ServiceNode) => Object.keys(node).length === 0

/** Joins conditions with _and. No condition matches everything, as in the service. */
function allOf(nodes: readonly ServiceNode[]): ServiceNode {
  const some = nodes.filter((node) => !isEmpty(node))
  const [first = {}, ...others] = some
  return others.length === 0 ? first : { _and: some }
}

function ofCollection(input: unknown, place: FilterPosition): ServiceNode {
  const nodes = joined(conjuncts(input, place), place).map((entry) => ofEntry(entry, place))
  const shared = sharedPath(nodes, place)
  if (shared !== undefined)
    place.refuse(`It asks of one item of ${quote(shared)} in several places that cannot be brought together.`)
  return allOf(nodes)
}

/** Returns the conjuncts of a filter, one entry each, flattened from lists. */
function conjuncts(input: unknown, { refuse }: Pick<FilterPosition, 'refuse'>): readonly FilterEntry[] {
  if (!isRecord(input)) {
    refuse(`A filter is an object, not ${quote(input)}.`)
    return []
  }
  return Object.entries(input).flatMap(([key, value]) => {
    if (key !== '_and') return [[key, value] as const]
    if (Array.isArray(value)) return value.flatMap((branch: unknown) => conjuncts(branch, { refuse }))
    refuse(`"_and" takes a list, not ${quote(value)}.`)
    return []
  })
}

/** Groups all conditions on a relation: the service applies them to one related item, wherever they are in a list. */
function joined(entries: readonly FilterEntry[], place: FilterPosition): readonly FilterEntry[] {
  const together = new Map<string, FilterEntry[]>()
  const parts: FilterEntry[] = []
  for (const [key, value] of entries.map((entry) => hoisted(entry, place) ?? entry)) {
    if (!isRecord(value) || !leadsTo(key, place)) {
      parts.push([key, value])
      continue
    }
    const inner = conjuncts(value, place)
    if (inner.length === 0) parts.push([key, {}])
    // Unknown keys are found when the filter is read.
    for (const [word, operand] of inner)
      if (isAboutList(word)) parts.push([key, { [word]: operand }])
      else together.set(key, [...(together.get(key) ?? []), [word, operand]])
  }
  return [...parts, ...[...together].map(([key, inner]) => [key, { _and: inner.map(asObject) }] as const)]
}

/** Hoists branches on the same related item into one condition on it, with which others may be joined. */
function hoisted([word, branches]: FilterEntry, place: FilterPosition): FilterEntry | undefined {
  if (word !== '_or' || !Array.isArray(branches)) return undefined
  const inner = branches.map((branch: unknown) => relatedIn(branch, place))
  const [first] = inner
  if (!first || !inner.every((one) => one?.key === first.key)) return undefined
  return [first.key, { _or: inner.map((one) => ({ _and: one?.values })) }]
}

/** Returns the only relation of a branch, if it has no other conditions. */
function relatedIn(branch: unknown, place: FilterPosition) {
  const malformed: string[] = []
  const entries = conjuncts(branch, { refuse: (says) => malformed.push(says) })
  const [[key] = ['']] = entries
  const values = entries.map(([, value]) => value).filter(isRecord)
  const areAlike =
    malformed.length === 0 &&
    values.length === entries.length &&
    entries.every(([name]) => name === key) &&
    leadsTo(key, place) !== undefined &&
    values.every((value) => Object.entries(value).every(isAboutOneChild))
  return areAlike ? { key, values } : undefined
}

const asObject = ([key, value]: FilterEntry): ServiceNode => ({ [key]: value })

function ofEntry([key, value]: FilterEntry, place: FilterPosition): ServiceNode {
  if (key === '_or') return ofBranches(value, place)
  if (isQuantifier(key)) {
    const use = key === '_none' ? opposites[place.use] : place.use
    return { [key]: holding(ofCollection(value, { ...place, use }), key, place) }
  }
  if (key.startsWith('_')) return ofOperator(key, value, place)
  const target = leadsTo(key, place)?.collection
  const node =
    target && isRecord(value) ? ofCollection(value, { ...place, collection: target }) : ofValue(value, place)
  return { [key]: holding(node, key, place) }
}

const opposites = { rows: 'hidden', hidden: 'rows', validation: 'validation' } as const satisfies Record<
  OperatorUse,
  OperatorUse
>

function ofBranches(value: unknown, place: FilterPosition): ServiceNode {
  const { refuse } = place
  if (!Array.isArray(value) || value.length === 0) {
    refuse('"_or" needs at least one branch; without any it would let everything through.')
    return {}
  }
  const nodes = value.map((branch: unknown) => holding(ofCollection(branch, place), '_or', place))
  return { _or: nodes }
}

/** Refuses an empty object, which would match everything by accident. */
function holding(node: ServiceNode, where: string, { refuse }: FilterPosition): ServiceNode {
  if (isEmpty(node)) refuse(`${quote(where)} holds no condition; it would let everything through.`)
  return node
}

function ofValue(value: unknown, place: FilterPosition): ServiceNode {
  if (value === null) {
    place.refuse('A bare null is no condition; the service refuses it.')
    return {}
  }
  if (!isRecord(value)) return ofOperator('_eq', value, place)
  return allOf(conjuncts(value, place).map((entry) => ofWord(entry, place)))
}

function ofWord([key, value]: FilterEntry, place: FilterPosition): ServiceNode {
  if (key === '_or') {
    if (Array.isArray(value) && value.length > 0)
      return { _or: value.map((branch: unknown) => holding(ofValue(branch, place), '_or', place)) }
    place.refuse('"_or" needs at least one branch; without any it would let everything through.')
    return {}
  }
  if (key === '_json' && isRecord(value)) {
    const paths = Object.entries(value).map(([path, inner]) => ({
      _json: { [path]: holding(ofValue(inner, place), path, place) },
    }))
    return holding(allOf(paths), key, place)
  }
  return ofOperator(key, value, place)
}

function ofOperator(operator: string, operand: unknown, { use, refuse }: FilterPosition): ServiceNode {
  if (!isOperator(operator)) {
    refuse(`There is no operator ${quote(operator)} here.`)
    return {}
  }
  const translated = translateOperator(operator, operand, use)
  if (typeof translated !== 'string') return translated
  refuse(translated)
  // A refused operator is reported once.
  return { [operator]: operand }
}

/** Returns a to-many relation that several joined conditions use, if there is one. The service applies them to the same item. */
function sharedPath(conditions: readonly unknown[], context: RelationContext): string | undefined {
  const seen = new Set<string>()
  for (const condition of conditions) {
    const paths = new Set(pathsIn(condition, context, []))
    for (const path of paths) if (seen.has(path)) return path
    for (const path of paths) seen.add(path)
  }
  return undefined
}

/** Returns the to-many relations that a condition follows without `_some` or `_none`. */
function pathsIn(condition: unknown, context: RelationContext, above: readonly string[]): readonly string[] {
  if (!isRecord(condition)) return []
  return Object.entries(condition).flatMap(([key, value]) => {
    if (Array.isArray(value)) return value.flatMap((branch: unknown) => pathsIn(branch, context, above))
    if (key.startsWith('_') || !isRecord(value)) return []
    const next = leadsTo(key, context)
    if (!next) return []
    const path = [...above, key]
    const isFollowed = next.isMany && Object.entries(value).some(asksOfOneChild)
    const below = pathsIn(value, { ...context, collection: next.collection }, path)
    return isFollowed ? [path.join('.'), ...below] : below
  })
}

interface RelationContext {
  readonly collection: Collection
  readonly schema: Schema
}

/** Returns the items behind a name; undefined if it is a value, or does not exist. */
function leadsTo(
  key: string,
  { collection, schema }: RelationContext,
): { readonly collection: Collection; readonly isMany: boolean } | undefined {
  if (key.startsWith('$FOLLOW(')) {
    const followed = schema.collections.get(readFollow(key)?.collection ?? '')
    return followed && { collection: followed, isMany: true }
  }
  const [name = '', scope = ''] = key.split(':')
  const field = collection.fields.get(name)
  if (!field || field.kind === 'scalar') return undefined
  const target = field.kind === 'any' ? field.targets.get(scope) : field.target
  return target && { collection: target, isMany: isToMany(field) }
}

/** True if an entry, with everything inside it, applies to one child. */
const isAboutOneChild = ([key, value]: FilterEntry): boolean =>
  isJunction(key) ? entriesBelow(value).every(isAboutOneChild) : !isAboutList(key)

/** True if any part of an entry applies to one child. */
const asksOfOneChild = ([key, value]: FilterEntry): boolean =>
  isJunction(key) ? entriesBelow(value).some(asksOfOneChild) : !isAboutList(key)

const entriesBelow = (value: unknown): readonly FilterEntry[] =>
  branchesOf(value).flatMap((branch) => Object.entries(asNode(branch)))
