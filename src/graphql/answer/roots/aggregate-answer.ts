// A field of aggregates: the query that it stands for, and its rows in the form of the document.
import { type FieldNode, type GraphQLObjectType, getNamedType, isObjectType } from 'graphql'
import { fault, quote, unreachable } from '../../../errors/errors.ts'
import { suggestion } from '../../../errors/suggest.ts'
import { stepsOf } from '../../../plan/field-path.ts'
import { resultName } from '../../../plan/read/result-name.ts'
import { isRecord } from '../../../values/guards.ts'
import { isAggregate } from '../../../vocabulary/aggregates.ts'
import { type Collecting, collectFields } from '../../document/collect-fields.ts'
import type { Parameters } from '../../document/level-arguments.ts'
import { meaningOf } from '../../schema/meaning.ts'
import { memberText } from '../answer-text.ts'
import { digitsOf } from '../exact-numbers.ts'

/** A column of the answer, made of a row of groups. */
interface AnswerColumn {
  readonly name: string
  /** The value that it shows, in words. */
  readonly what: string
  readonly size: number
  readonly write: (row: Readonly<Record<string, unknown>>) => string
}

interface AggregateSelection {
  readonly query: Readonly<Record<string, unknown>>
  /** How many columns it has. */
  readonly size: number
  /** Equal identities mean equal columns of the answer. */
  readonly identity: string
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
  const wanted = new Map<string, Set<string>>()
  const groups = groupsOf(groupBy, level.sort)
  const columns = columnsOf(type, nodes, collecting, { groups, wanted })
  if (groups.length === 0 && wanted.size === 0) want(wanted, 'count', '*')
  const { sort, groupBy: _groupBy, ...others } = level
  const order = Array.isArray(sort) ? sort.map((name) => sortOf(String(name), groups, wanted)) : undefined
  const aggregate = Object.fromEntries([...wanted].map(([name, fields]) => [name, [...fields]]))
  const alias = Object.fromEntries(groups.flatMap(({ text, alias: name }) => (name ? [[name, text]] : [])))
  return {
    query: {
      ...others,
      ...(wanted.size > 0 && { aggregate }),
      ...(groups.length > 0 && { groupBy: groups.map((group) => group.alias ?? group.text) }),
      ...(Object.keys(alias).length > 0 && { alias }),
      ...(order && { sort: order }),
    },
    size: columns.reduce((all, { size }) => all + size, 0),
    identity: JSON.stringify(columns.map(identityOf)),
    write: (row) => {
      if (!isRecord(row)) throw unreachable('a group is an object')
      return rowText(columns, row)
    },
  }
}

/** A value by which rows are grouped. */
interface GroupedBy {
  /** As the document says it. */
  readonly text: string
  /** Names that lead to it in a group. */
  readonly names: readonly string[]
  /** Another name for a field that is called like an aggregate, beside which it stands. */
  readonly alias?: string
}

function groupsOf(groupBy: readonly string[], sort: unknown): readonly GroupedBy[] {
  return [...new Set(groupBy)].map((text) => {
    const names = namesOf(text)
    if (names.length > 1 || !isAggregate(text)) return { text, names }
    return { text, names, alias: unsaid(`${text}_group`, sort) }
  })
}

/** Returns the names that lead to a value in a group. */
function namesOf(text: string): readonly string[] {
  const steps = stepsOf(text)
  return [...steps.slice(0, -1), resultName(steps.at(-1) ?? '')]
}

/** Returns a name that a document does not say itself. */
function unsaid(name: string, sort: unknown): string {
  const isSaid = Array.isArray(sort) && sort.some((one) => String(one).replace(/^-/, '') === name)
  return isSaid ? unsaid(`${name}_`, sort) : name
}

const rowText = (columns: readonly AnswerColumn[], row: Readonly<Record<string, unknown>>): string =>
  `{${columns.map(({ name, write }) => memberText(name, write(row))).join(',')}}`

const identityOf = ({ name, what }: AnswerColumn) => [name, what]

interface Wanting {
  readonly groups: readonly GroupedBy[]
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
      return [{ name, what: '__typename', size: 1, write: () => JSON.stringify(type.name) }]
    const field = type.getFields()[node.name.value]
    const meaning = field && meaningOf(field)
    if (!field || !meaning) return []
    if ('isGroup' in meaning) return [{ name, what: 'group', size: 1, write: groupOf(wanting.groups) }]
    if ('isCountAll' in meaning) {
      want(wanting.wanted, 'count', '*')
      return [
        { name, what: 'countAll', size: 1, write: (row) => JSON.stringify(countIn(row, wanting.wanted)) },
      ]
    }
    const inner = getNamedType(field.type)
    if (!('aggregate' in meaning) || !isObjectType(inner)) return []
    const { aggregate } = meaning
    const members = membersOf(inner, same, collecting, { aggregate, wanted: wanting.wanted })
    const what = JSON.stringify([aggregate, members.map(identityOf)])
    return [
      {
        name,
        what,
        size: members.length,
        write: (row) => rowText(members, row),
      },
    ]
  })
}

function membersOf(
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  collecting: Collecting,
  { aggregate, wanted }: Pick<Wanting, 'wanted'> & { readonly aggregate: string },
): readonly AnswerColumn[] {
  const fields = collectFields(type, nodes, collecting)
  return [...fields].flatMap(([name, [node]]) => {
    if (node?.name.value === '__typename')
      return [{ name, what: '__typename', size: 1, write: () => JSON.stringify(type.name) }]
    const field = node && type.getFields()[node.name.value]
    const meaning = field && meaningOf(field)
    if (!meaning || !('field' in meaning)) return []
    want(wanted, aggregate, meaning.field)
    return [
      {
        name,
        what: meaning.field,
        size: 1,
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
  (groups: readonly GroupedBy[]) =>
  (row: Readonly<Record<string, unknown>>): string => {
    if (groups.length === 0) return 'null'
    const group: Record<string, unknown> = {}
    for (const { names, alias } of groups)
      put(group, names, alias === undefined ? names.reduce<unknown>(memberOf, row) : row[alias])
    return JSON.stringify(group)
  }

function put(group: Record<string, unknown>, steps: readonly string[], value: unknown): void {
  const [first = '', ...rest] = steps
  if (rest.length === 0) group[first] = value
  else {
    const inner = group[first]
    const below = isRecord(inner) ? { ...inner } : {}
    group[first] = below
    put(below, rest, value)
  }
}

/** Returns the name of a column by which groups are sorted. What is sorted by need not be shown. */
function sortOf(text: string, groups: readonly GroupedBy[], wanted: Wanting['wanted']): string {
  const sign = text.startsWith('-') ? '-' : ''
  const name = text.slice(sign.length)
  const group = groups.find((one) => one.text === name)
  if (group?.alias !== undefined) return `${sign}${group.alias}`
  if (name !== 'countAll') {
    requireColumn(text, name, groups, wanted)
    return text
  }
  want(wanted, 'count', '*')
  return wanted.get('count')?.size === 1 ? `${sign}count` : `${sign}count.*`
}

/** Refuses to sort by what is no column, in the words of a document. */
function requireColumn(
  text: string,
  name: string,
  groups: readonly GroupedBy[],
  wanted: Wanting['wanted'],
): void {
  const columns = [...wanted].flatMap(([aggregate, fields]) =>
    [...fields].map((field) => (field === '*' ? [aggregate] : [aggregate, resultName(field)])),
  )
  const legal = [...groups.map(({ names }) => names), ...columns].map((names) => names.join('.'))
  if (legal.includes(namesOf(name).join('.')) || name === 'count.*') return
  const shown = [...groups.map((group) => group.text), ...columns.map((names) => names.join('.'))].map(
    (one) => (one === 'count' ? 'countAll' : one),
  )
  throw fault('INVALID_QUERY', `Groups cannot be sorted by ${quote(text)}; there are ${shown.join(', ')}.`, {
    path: ['sort'],
    hint: suggestion(name, shown),
  })
}
