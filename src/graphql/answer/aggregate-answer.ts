// A field of aggregates: the query that it stands for, and its rows in the form of the document.
import { type FieldNode, type GraphQLObjectType, getNamedType, isObjectType } from 'graphql'
import { unreachable } from '../../errors/errors.ts'
import { stepsOf } from '../../plan/field-path.ts'
import { resultName } from '../../plan/result-name.ts'
import { isRecord } from '../../values/guards.ts'
import { type Collecting, collectFields } from '../document/collect-fields.ts'
import type { Parameters } from '../document/level-arguments.ts'
import { meaningOf } from '../schema/meaning.ts'
import { memberText } from './answer-text.ts'
import { digitsOf } from './exact-numbers.ts'

/** A column of the answer, made of a row of groups. */
interface AnswerColumn {
  readonly name: string
  /** The value that it shows, in words. */
  readonly what: string
  readonly write: (row: Readonly<Record<string, unknown>>) => string
}

/** Groups that a document asks for. */
export interface AggregateSelection {
  readonly query: Readonly<Record<string, unknown>>
  /** Equal identities mean equal columns of the answer. */
  readonly identity: string
  /** Returns a group as JSON text. */
  readonly write: (row: unknown) => string
}

/** Reads a selection of aggregates. `level`: the parameters of its rows. */
export function aggregateSelection(
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  level: Parameters,
  collecting: Collecting,
): AggregateSelection {
  const groupBy = Array.isArray(level.groupBy) ? level.groupBy.map(String) : []
  const alias = Object.fromEntries(groupBy.map((name, index) => [`group${index}`, name]))
  const wanted = new Map<string, Set<string>>()
  const columns = columnsOf(type, nodes, collecting, { groupBy, wanted })
  if (groupBy.length === 0 && wanted.size === 0) want(wanted, 'count', '*')
  const aggregate = Object.fromEntries([...wanted].map(([name, fields]) => [name, [...fields]]))
  const { sort, groupBy: _groupBy, ...others } = level
  return {
    query: {
      ...others,
      ...(wanted.size > 0 && { aggregate }),
      ...(groupBy.length > 0 && { groupBy: Object.keys(alias), alias }),
      ...(Array.isArray(sort) && { sort: sort.map((name) => sortOf(String(name), alias, wanted)) }),
    },
    identity: JSON.stringify(columns.map(identityOf)),
    write: (row) => {
      if (!isRecord(row)) throw unreachable('a group is an object')
      return rowText(columns, row)
    },
  }
}

const rowText = (columns: readonly AnswerColumn[], row: Readonly<Record<string, unknown>>): string =>
  `{${columns.map(({ name, write }) => memberText(name, write(row))).join(',')}}`

const identityOf = ({ name, what }: AnswerColumn) => [name, what]

interface Wanting {
  readonly groupBy: readonly string[]
  readonly wanted: Map<string, Set<string>>
}

function want(wanted: Map<string, Set<string>>, aggregate: string, field: string): void {
  const fields = wanted.get(aggregate) ?? new Set()
  wanted.set(aggregate, fields.add(field))
}

function columnsOf(
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  collecting: Collecting,
  wanting: Wanting,
): readonly AnswerColumn[] {
  const fields = collectFields(type, nodes, collecting)
  return [...fields].flatMap(([name, same]) => {
    const [node] = same
    if (!node) return []
    if (node.name.value === '__typename')
      return [{ name, what: '__typename', write: () => JSON.stringify(type.name) }]
    const field = type.getFields()[node.name.value]
    const meaning = field && meaningOf(field)
    if (!field || !meaning) return []
    if ('isGroup' in meaning) return [{ name, what: 'group', write: groupOf(wanting.groupBy) }]
    if ('isCountAll' in meaning) {
      want(wanting.wanted, 'count', '*')
      return [{ name, what: 'countAll', write: (row) => JSON.stringify(countIn(row, wanting.wanted)) }]
    }
    const inner = getNamedType(field.type)
    if (!('aggregate' in meaning) || !isObjectType(inner)) return []
    const { aggregate } = meaning
    const members = membersOf(inner, same, collecting, aggregate, wanting)
    const what = JSON.stringify([aggregate, members.map(identityOf)])
    return [
      {
        name,
        what,
        write: (row) => rowText(members, row),
      },
    ]
  })
}

function membersOf(
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  collecting: Collecting,
  aggregate: string,
  { wanted }: Wanting,
): readonly AnswerColumn[] {
  const fields = collectFields(type, nodes, collecting)
  return [...fields].flatMap(([name, [node]]) => {
    if (node?.name.value === '__typename')
      return [{ name, what: '__typename', write: () => JSON.stringify(type.name) }]
    const field = node && type.getFields()[node.name.value]
    const meaning = field && meaningOf(field)
    if (!meaning || !('field' in meaning)) return []
    want(wanted, aggregate, meaning.field)
    return [
      {
        name,
        what: meaning.field,
        write: (row) => numberText(memberOf(row[aggregate], meaning.field), field.type.toString()),
      },
    ]
  })
}

/** Exact numbers are texts in results, and numbers in the types of GraphQL. */
const numberText = (value: unknown, type: string): string =>
  typeof value === 'string' && (type === 'Float' || type === 'Int')
    ? digitsOf(value)
    : JSON.stringify(value ?? null)

const memberOf = (of: unknown, name: string): unknown => (isRecord(of) ? of[name] : null)

/** Returns the number of rows, which stands alone if nothing else is counted. */
function countIn({ count }: Readonly<Record<string, unknown>>, wanted: Wanting['wanted']): unknown {
  return wanted.get('count')?.size === 1 ? count : memberOf(count, '*')
}

const groupOf =
  (groupBy: readonly string[]) =>
  (row: Readonly<Record<string, unknown>>): string => {
    if (groupBy.length === 0) return 'null'
    const group: Record<string, unknown> = {}
    for (const [index, name] of groupBy.entries()) put(group, stepsOf(name), row[`group${index}`])
    return JSON.stringify(group)
  }

function put(group: Record<string, unknown>, steps: readonly string[], value: unknown): void {
  const [first = '', ...rest] = steps
  if (rest.length === 0) group[resultName(first)] = value
  else {
    const inner = group[first]
    const below = isRecord(inner) ? { ...inner } : {}
    group[first] = below
    put(below, rest, value)
  }
}

/** Returns the name of a column by which groups are sorted. What is sorted by need not be shown. */
function sortOf(text: string, alias: Readonly<Record<string, string>>, wanted: Wanting['wanted']): string {
  const sign = text.startsWith('-') ? '-' : ''
  const name = text.slice(sign.length)
  const group = Object.entries(alias).find(([, meant]) => meant === name)
  if (group) return `${sign}${group[0]}`
  if (name !== 'countAll') return text
  want(wanted, 'count', '*')
  return wanted.get('count')?.size === 1 ? `${sign}count` : `${sign}count.*`
}
