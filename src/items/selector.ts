// Selector of a bulk function: keys, or a query. It has to be given exactly once, and never by accident.

import type { EngineInternals } from '../engine/engine.ts'
import { fault, type Path, quote } from '../errors/errors.ts'
import { Problems } from '../errors/problems.ts'
import { type Key, keyIdentity } from '../plan/key.ts'
import { planRead } from '../plan/read/read.ts'
import type { ListPlan } from '../plan/read/read-plan.ts'
import type { PlanInput } from '../prepared/plan-request.ts'
import type { ReadRequestValues } from '../prepared/templates/bind.ts'
import { parseTyped } from '../query/parse.ts'
import type { FilterNode, PlainQuery } from '../query/query.ts'
import { type Collection, keyFieldsOf } from '../schema/model.ts'
import { isRecord } from '../values/guards.ts'
import type { Circumstances } from '../vocabulary/variables.ts'
import { listedKey } from '../writes/context/named-key.ts'
import { circumstancesOf } from './read/read-request.ts'

export type SelectedItems =
  | { readonly kind: 'keys'; readonly keys: readonly Key[] }
  | { readonly kind: 'list'; readonly list: ListPlan }

export const refining = ['filter', 'search', 'sort', 'limit', 'offset'] as const
/** Parameters that are accepted without effect. */
export const idle: ReadonlySet<string> = new Set(['fields', 'meta'])

export interface SelectorInput {
  readonly selector: unknown
  readonly query: unknown
}

/** Reads a list of keys, `{ keys }`, `{ query }`, or nothing beside a query with a filter. */
export function readSelector(
  { selector, query }: SelectorInput,
  collection: Collection,
  engine: EngineInternals,
  circumstances: Circumstances = circumstancesOf(engine),
): SelectedItems {
  const reader = { schema: engine.schema, limits: engine.limits, circumstances }
  const beside = readQuery(query, engine)
  if (selector === undefined || selector === null) {
    if (!beside.filter && !isNarrowed(beside)) throw noSelector()
    return { kind: 'list', list: listOf(beside, collection, reader) }
  }
  const keys = keysIn(selector)
  if (keys) {
    const path = Array.isArray(selector) ? [] : ['keys']
    return { kind: 'keys', keys: readKeys(keys, path, beside, collection) }
  }
  const inside = readQuery(isRecord(selector) ? selector.query : undefined, engine)
  return { kind: 'list', list: listOf(joined(inside, beside), collection, reader) }
}

const noSelector = (hint = 'Give a list of keys, { keys }, { query }, or a filter.') =>
  fault('INVALID_PAYLOAD', 'Items are selected in exactly one way.', { hint })

function keysIn(selector: unknown): readonly unknown[] | undefined {
  if (Array.isArray(selector)) return selector
  if (!isRecord(selector)) throw noSelector()
  const names = Object.keys(selector).filter((name) => selector[name] !== undefined)
  const [name, ...others] = names
  if (others.length > 0 || (name !== 'keys' && name !== 'query')) throw noSelector()
  if (name === 'query') return undefined
  if (Array.isArray(selector.keys)) return selector.keys
  throw fault('INVALID_PAYLOAD', `"keys" takes a list, not ${quote(selector.keys)}.`, { path: ['keys'] })
}

function readKeys(
  input: readonly unknown[],
  path: Path,
  beside: PlainQuery,
  collection: Collection,
): readonly Key[] {
  for (const name of refining)
    if (beside[name] !== undefined)
      throw fault('INVALID_PAYLOAD', `The keys say which items these are, so "${name}" cannot say it, too.`, {
        path: [name],
      })
  const keys = new Map(
    // Empty elements are no keys.
    [...input].map((key, index) => {
      const stored = listedKey(collection, key, [...path, index])
      return [keyIdentity(stored), stored]
    }),
  )
  return [...keys.values()]
}

/** Reads a query that selects rows, and nothing else. */
function readQuery(input: unknown, engine: EngineInternals): PlainQuery {
  if (input !== undefined && !isRecord(input))
    throw fault('INVALID_QUERY', `A query is an object, not ${quote(input)}.`)
  // The brand is for the compiler only; the value is plain.
  const query = parseTyped(input ?? {}, engine.limits) as unknown as PlainQuery
  const problems = new Problems('INVALID_QUERY')
  for (const name of Object.keys(query))
    if (!idle.has(name) && !refining.some((one) => one === name))
      problems.add([name], `"${name}" has no meaning where items are chosen to be changed.`)
  problems.throwIfAny()
  return query
}

/** Joins the query of a selector with the one beside it: both filters apply, and any other parameter may be given once. */
function joined(inside: PlainQuery, beside: PlainQuery): PlainQuery {
  for (const name of refining)
    if (name !== 'filter' && inside[name] !== undefined && beside[name] !== undefined)
      throw fault('INVALID_PAYLOAD', `"${name}" is given twice, in the query and beside it.`, {
        path: ['query', name],
      })
  const filters = [inside.filter, beside.filter].filter((filter) => filter !== undefined)
  const [only] = filters
  const filter = filters.length > 1 ? { _and: filters } : only
  return { ...beside, ...inside, ...(filter && { filter }) }
}

const isNarrowed = ({ search, limit }: PlainQuery) => limit !== undefined || (search ?? '').trim() !== ''

function listOf(
  query: PlainQuery,
  collection: Collection,
  { schema, limits: usual, circumstances }: PlanInput & Pick<ReadRequestValues, 'circumstances'>,
): ListPlan {
  if (!isNarrowed(query) && !(query.filter && hasCondition(query.filter)))
    throw fault('INVALID_PAYLOAD', `An empty filter would mean every item of "${collection.name}".`, {
      path: ['filter'],
      hint: 'Say so with limit: -1 if that is meant.',
    })
  // Neither the default limit nor the maximum of lists applies: rows beyond it would silently stay unchanged.
  const isUnlimited = query.limit === undefined || query.limit === -1
  const limits = isUnlimited ? { ...usual, maxLimit: Number.POSITIVE_INFINITY } : usual
  const { fields: _fields, meta: _meta, ...which } = query
  // Rows are identified by their keys, even if these cannot be named.
  const names = keyFieldsOf(collection).map(({ name }) => name)
  const fields = names.every((name) => collection.fields.has(name)) ? { fields: names } : {}
  return planRead(
    { query: { ...which, ...fields }, collection, isUnlimited: true },
    { schema, limits, circumstances, problems: new Problems('INVALID_QUERY') },
  )
}

/** True if a filter has any condition. Empty objects, empty lists of branches, and lists that exclude nothing have none. */
function hasCondition(filter: FilterNode): boolean {
  return Object.entries(filter).some(([key, value]) => {
    if (key === '_nin') return !(Array.isArray(value) && value.length === 0)
    if (key === '_and' || key === '_or') return Array.isArray(value) && value.some(isConditional)
    return isConditional(value)
  })
}

function isConditional(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return true
  // An object inside a filter is a filter itself, or a geometry, which is never empty.
  return hasCondition(value as FilterNode)
}
