// Lists drawn at random, as arguments of GraphQL and as queries of functions: orders, conditions, comparisons of fields, and pages at cursors.
import type { Random } from '../property/seeded-random.ts'

export type TypeName = 'teas' | 'farms' | 'lots'

type Condition = Readonly<Record<string, unknown>>

/** A list of a document. The items inside of it have lists of their own. */
export interface DrawnList {
  /** The response key. */
  readonly name: string
  readonly field: string
  readonly isOne: boolean
  readonly query: ListQuery
  readonly below: DrawnList[]
}

export interface ListQuery {
  readonly filter?: Condition
  readonly sort?: readonly string[]
  /** `$n` is the variable of the document. */
  readonly limit?: number | '$n'
  readonly offset?: number
  readonly cursor?: DrawnCursor
}

/** A place in a list: after or before one of its items. */
export interface DrawnCursor {
  /** The variable that holds it. */
  readonly name: string
  readonly from: 'after' | 'before'
  /** The list that it is of: a root, or one of the items of a root. */
  readonly list: { readonly field: string; readonly parent: TypeName | undefined }
  readonly query: Pick<ListQuery, 'filter' | 'sort'>
  /** Chooses among the items. */
  readonly pick: number
  /** True if it stands in the document, else in its variables. */
  readonly isLiteral: boolean
  /** True if the second request leaves the variable out. */
  readonly isLeftOut: boolean
}

export function drawnQuery(
  random: Random,
  type: TypeName,
  list: DrawnCursor['list'],
  name: string,
): ListQuery {
  const filter = random.chance(0.4) ? { filter: random.one<Condition>(conditions[type]) } : {}
  const sort = random.chance(0.5) ? { sort: random.one<readonly string[]>(orders[type]) } : {}
  const limit = random.one([{}, {}, { limit: '$n' }, { limit: 2 }, { limit: 1 }] as const)
  if (random.chance(0.6)) return { ...filter, ...sort, ...limit, ...random.one([{}, {}, { offset: 1 }]) }
  const query = { ...filter, ...sort }
  const from = random.one(['after', 'before'] as const)
  const [isLiteral, isLeftOut] = [random.chance(0.3), random.chance(0.3)]
  return {
    ...query,
    ...limit,
    cursor: { name, from, list, query, pick: random.below(6), isLiteral, isLeftOut },
  }
}

export function argumentsText({ filter, sort, limit, offset, cursor }: ListQuery): string {
  const parts = [
    filter && `filter: ${conditionText(filter)}`,
    sort && `sort: ${JSON.stringify(sort)}`,
    limit && `limit: ${limit}`,
    offset && `offset: ${offset}`,
    cursor && `${cursor.from}: $${cursor.name}`,
  ].filter((part) => part !== undefined)
  return parts.length === 0 ? '' : `(${parts.join(', ')})`
}

/** A condition of functions in the words of GraphQL. */
function conditionText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(conditionText).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const [members, compared] = [[], []] as [string[], string[]]
  for (const [name, one] of Object.entries(value)) {
    const { $field } = Object(one)
    const counted = /^count\((.*)\)$/.exec(name)
    if ($field !== undefined) compared.push(`${name}: ${JSON.stringify($field)}`)
    else if (counted) members.push(`${counted[1]}_func: { count: ${conditionText(one)} }`)
    else members.push(`${name}: ${conditionText(one)}`)
  }
  if (compared.length > 0) members.push(`_field: { ${compared.join(', ')} }`)
  return `{ ${members.join(', ')} }`
}

const field = (name: string) => ({ $field: name })

const conditions = {
  teas: [
    { id: { _gt: 1 } },
    { later: { _none: { id: { _eq: 3 } } } },
    { id: { _gte: field('farm.id') } },
    { name: { _lt: field('farm.name') } },
    { name: { _neq: field('kind') } },
    { lots: { weight: { _gt: field('id') } } },
    { lots: { _none: { weight: { _gt: field('tea.id'), _lt: 9 } } } },
    { _or: [{ 'count(lots)': { _lt: field('id') } }, { farm: { id: { _lte: 1 } } }] },
    { farm: { id: { _lte: field('id') } } },
    { farm: { teas: { id: { _gt: field('farm.id') } } } },
  ],
  farms: [
    { id: { _gt: 1 } },
    { id: { _eq: field('id') } },
    { teas: { _some: { name: { _gt: field('farm.name') } } } },
    { teas: { lots: { id: { _lte: field('weight') } } } },
    { 'count(teas)': { _gt: field('id') } },
  ],
  lots: [
    { id: { _gt: 1 } },
    { weight: { _gt: field('id') } },
    { weight: { _gt: field('tea.id'), _lte: 5 } },
    { tea: { id: { _eq: field('farm.id') } } },
    { _and: [{ id: { _gte: field('tea.farm.id') } }, { weight: { _neq: field('id') } }] },
    { _or: [{ tea: { name: { _gte: field('farm.name') } } }, { weight: { _eq: 5 } }] },
  ],
} as const satisfies Readonly<Record<TypeName, readonly Condition[]>>

const orders = {
  teas: [
    ['-id'],
    ['name'],
    ['-score', 'name'],
    ['farm.name', '-id'],
    ['-picked'],
    ['sum(lots.weight)'],
    ['-count(later)', '-name'],
  ],
  farms: [['-name'], ['count(teas)'], ['-sum(teas.score)', 'id']],
  lots: [['-weight'], ['-id'], ['tea.name'], ['-tea.farm.name', 'weight']],
} as const satisfies Readonly<Record<TypeName, readonly (readonly string[])[]>>
