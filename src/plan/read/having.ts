// Conditions on groups: those of a filter, on aggregates in the place of fields.
import { isEngineError, quote } from '../../errors/errors.ts'
import { wordHint } from '../../errors/suggest.ts'
import type { FilterNode } from '../../query/query.ts'
import { countType } from '../../schema/stored-fields.ts'
import { type AggregateName, aggregates, isAggregate } from '../../vocabulary/aggregates.ts'
import { functions } from '../../vocabulary/functions.ts'
import { isJunction } from '../../vocabulary/junctions.ts'
import { isOperator } from '../../vocabulary/operators.ts'
import { resolveTest } from '../filter/condition.ts'
import { asNode, type FilterObject } from '../filter/filter-node.ts'
import { below, type FilterPlace, refuse } from '../filter/filter-place.ts'
import {
  type AggregatedValue,
  allOf,
  always,
  type ComparedValue,
  decided,
  type Predicate,
  type PredicateDraft,
} from '../filter/predicate.ts'
import { ofBranches, ofValue } from '../filter/resolve-filter.ts'
import { testsIn } from '../walk.ts'
import { aggregatedField } from './aggregated-field.ts'
import { type Level, parameterPath } from './query-level.ts'
import type { AggregateColumn } from './read-plan.ts'

/** Returns the condition on the groups of a level. `shown`: the aggregates of its answer, which may be called by their names there. */
export function havingOf(level: Level, shown: readonly AggregateColumn[]): Predicate {
  const { query, collection, context } = level
  if (!query.having) return always
  const path = parameterPath(level, 'having')
  const place: FilterPlace = { collection, path, context: { ...context, use: 'query' }, isRelated: false }
  const condition = decided(ofGroup(query.having, place, shown))
  refuseTooMany(level, condition, shown)
  return condition
}

function ofGroup(node: FilterNode, place: FilterPlace, shown: readonly AggregateColumn[]): PredicateDraft {
  const parts = Object.entries(node).map(([key, value]) => {
    const at = below(place, key)
    if (isJunction(key)) return ofBranches(key, value, at, (branch, inner) => ofGroup(branch, inner, shown))
    return isAggregate(key) ? ofAggregate(key, asNode(value), at, shown) : refuseName(key, at)
  })
  return allOf(parts)
}

function refuseName(key: string, place: FilterPlace): Predicate {
  const names = Object.keys(aggregates)
  if (key.startsWith('_')) return refuse(place, `${quote(key)} needs an aggregate to work on.`)
  const hint = place.context.problems.isFull ? undefined : aggregateHint(key, names)
  const message = `"having" takes aggregates, and there is none called ${quote(key)}; there are ${names.join(', ')}.`
  return refuse(place, message, hint)
}

const aggregateHint = (key: string, names: readonly string[]): string =>
  key === 'countAll'
    ? 'Write { "count": { "_gt": 1 } } to count rows.'
    : (wordHint('aggregate', key, names) ?? 'Conditions on fields of items belong into "filter".')

/** Conditions on one aggregate: on fields by their names, or on the number of rows. */
function ofAggregate(
  name: AggregateName,
  node: FilterNode,
  place: FilterPlace,
  shown: readonly AggregateColumn[],
): PredicateDraft {
  const parts = Object.entries(node).map(([key, value]) => {
    const at = below(place, key)
    if (isJunction(key))
      return ofBranches(key, value, at, (branch, inner) => ofAggregate(name, branch, inner, shown))
    if (isOperator(key)) return ofRows(name, key, value, at)
    if (key.startsWith('_')) return refuse(at, `${quote(key)} does not stand here.`)
    return ofField([name, key], asNode(value), at, shown)
  })
  return allOf(parts)
}

function ofRows(
  name: AggregateName,
  operator: string,
  value: FilterObject,
  place: FilterPlace,
): PredicateDraft {
  if ('takesStar' in aggregates[name]) return resolveTest(rowCount(name), operator, value, place)
  return refuse(
    place,
    `"${name}" needs a field.`,
    `Write { "${name}": { "<field>": { "${operator}": … } } }.`,
  )
}

const rowCount = (name: AggregateName): AggregatedValue => ({
  kind: 'aggregate',
  name,
  of: undefined,
  shownAs: name,
  type: countType,
})

function ofField(
  [name, key]: readonly [AggregateName, string],
  node: FilterNode,
  place: FilterPlace,
  shown: readonly AggregateColumn[],
): PredicateDraft {
  if (key === '*' && !('takesStar' in aggregates[name]))
    return refuse(place, `"${name}" takes fields, not "*".`)
  const of = key === '*' ? undefined : fieldCalled(name, key, place, shown)
  if (isEngineError(of)) return refuse(place, of)
  const subject = of ? aggregatedValue(name, key, of) : rowCount(name)
  return ofValue(node, place, `"${subject.shownAs}"`, (operator, value, at) =>
    resolveTest(subject, operator, value, at),
  )
}

const aggregatedValue = (name: AggregateName, key: string, of: ComparedValue): AggregatedValue => ({
  kind: 'aggregate',
  name,
  of,
  shownAs: `${name}.${key}`,
  type: aggregates[name].comparedAs(of.type),
})

/** Finds an aggregated field by its name in the answer: its own, or that of a function of it, such as `published_at_year`. */
function fieldCalled(
  name: AggregateName,
  key: string,
  { collection, path, context: naming }: FilterPlace,
  shown: readonly AggregateColumn[],
) {
  const column = shown.find(({ names: [word, field] }) => word === name && field === key)
  if (column?.subject) return column.subject
  const call = collection.fields.has(key) ? undefined : callIn(key, collection.fields)
  return aggregatedField({ collection, naming }, name, call ?? key, path)
}

function callIn(key: string, fields: ReadonlyMap<string, unknown>): string | undefined {
  const end = key.lastIndexOf('_')
  const [field, word] = [key.slice(0, end), key.slice(end + 1)]
  return Object.hasOwn(functions, word) && fields.has(field) ? `${word}(${field})` : undefined
}

/** Each aggregate is computed for each group, whether it is shown or not. */
function refuseTooMany(level: Level, condition: Predicate, shown: readonly AggregateColumn[]): void {
  const { problems, limits } = level.context
  const tested = testsIn(condition).map(({ subject }) =>
    subject.kind === 'aggregate' ? subject.shownAs : '',
  )
  const all = new Set([...shown.map(({ names }) => names.join('.').replace(/\.\*$/, '')), ...tested])
  if (all.size > limits.aggregates)
    problems.add(
      parameterPath(level, 'having'),
      `"aggregate" and "having" take at most ${limits.aggregates} aggregates together.`,
    )
}
