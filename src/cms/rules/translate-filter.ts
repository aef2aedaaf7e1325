// A filter that the service keeps, in the words that mean the same here. What could let more through than it does there is refused.
import { quote } from '../../errors/errors.ts'
import { isAboutList } from '../../plan/filter-node.ts'
import type { Collection, Schema } from '../../schema/model.ts'
import { isRecord } from '../../values/record.ts'
import { isOperator, isQuantifier } from '../../vocabulary/operators.ts'
import { leadsTo } from './leads-to.ts'
import { isAboutOneChild } from './one-child.ts'
import { sharedPath } from './shared-path.ts'
import { type OperatorUse, translateOperator } from './translate-operator.ts'

export interface Translated {
  /** Undefined where it holds no condition. */
  readonly filter: object | undefined
  /** Why it cannot be kept; empty where it can. */
  readonly refusals: readonly string[]
}

export interface FilterPurpose {
  readonly schema: Schema
  readonly use: OperatorUse
}

export function translateFilter(given: unknown, collection: Collection, purpose: FilterPurpose): Translated {
  if (given === null || given === undefined) return { filter: undefined, refusals: [] }
  const refusals: string[] = []
  const node = ofCollection(given, { ...purpose, collection, refuse: (says) => refusals.push(says) })
  return { filter: isEmpty(node) ? undefined : node, refusals }
}

/** Where names are looked up, and where to say what is refused. */
export interface FilterPosition extends FilterPurpose {
  readonly collection: Collection
  readonly refuse: (says: string) => void
}

type ServiceNode = Readonly<Record<string, unknown>>
type FilterEntry = readonly [key: string, value: unknown]

const isEmpty = (node: ServiceNode) => Object.keys(node).length === 0

/** All of them hold. No condition is none, as it is for the service. */
function allOf(nodes: readonly ServiceNode[]): ServiceNode {
  const some = nodes.filter((node) => !isEmpty(node))
  const [first = {}, ...others] = some
  return others.length === 0 ? first : { _and: some }
}

function ofCollection(given: unknown, place: FilterPosition): ServiceNode {
  const nodes = joined(conjuncts(given, place), place).map((entry) => ofEntry(entry, place))
  const shared = sharedPath(nodes, place)
  if (shared !== undefined)
    place.refuse(`It asks of one item of ${quote(shared)} in several places that cannot be brought together.`)
  return allOf(nodes)
}

/** What has to hold, one entry each, wherever it stands in lists. */
function conjuncts(given: unknown, { refuse }: Pick<FilterPosition, 'refuse'>): readonly FilterEntry[] {
  if (!isRecord(given)) {
    refuse(`A filter is an object, not ${quote(given)}.`)
    return []
  }
  return Object.entries(given).flatMap(([key, value]) => {
    if (key !== '_and') return [[key, value] as const]
    if (Array.isArray(value)) return value.flatMap((branch: unknown) => conjuncts(branch, { refuse }))
    refuse(`"_and" takes a list, not ${quote(value)}.`)
    return []
  })
}

/** The service asks all conditions on a relation of one related item, wherever in a list they stand. So here they stand together. */
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
    // Whether the words are known is found out when the filter is read.
    for (const [word, operand] of inner)
      if (isAboutList(word)) parts.push([key, { [word]: operand }])
      else together.set(key, [...(together.get(key) ?? []), [word, operand]])
  }
  return [...parts, ...[...together].map(([key, inner]) => [key, { _and: inner.map(asObject) }] as const)]
}

/** Branches that all speak of one related item are one condition on it, which others may join. */
function hoisted([word, branches]: FilterEntry, place: FilterPosition): FilterEntry | undefined {
  if (word !== '_or' || !Array.isArray(branches)) return undefined
  const inner = branches.map((branch: unknown) => relatedIn(branch, place))
  const [first] = inner
  if (!first || !inner.every((one) => one?.key === first.key)) return undefined
  return [first.key, { _or: inner.map((one) => ({ _and: one?.values })) }]
}

/** The one relation that a branch speaks of, where it speaks of nothing else. */
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

/** An object that holds nothing lets everything through by accident. */
function holding(node: ServiceNode, where: string, { refuse }: FilterPosition): ServiceNode {
  if (isEmpty(node)) refuse(`${quote(where)} holds no condition; it would let everything through.`)
  return node
}

/** Conditions on one value. */
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
  // What is refused is told once.
  return { [operator]: operand }
}
