// Rows taken together: groups, and what an aggregate says of each.

import type { Row, World } from './dataset.ts'
import {
  aggregated,
  answerKey,
  type Expression,
  expressionOf,
  follow,
  type Name,
  readName,
  resultType,
} from './expression.ts'
import { type Having, meetsHaving } from './having.ts'
import { compareInOrder, readSort } from './order.ts'

export interface Grouping {
  readonly aggregate: Readonly<Record<string, readonly string[]>>
  readonly groupBy: readonly string[]
  readonly sort: readonly string[]
  readonly having: Having
  /** New names of fields, and of functions of fields. */
  readonly alias: Readonly<Record<string, string>>
}

type Answer = Record<string, unknown>

interface Group {
  readonly values: readonly unknown[]
  readonly rows: readonly Row[]
}

interface Grouped {
  readonly world: World
  readonly collection: string
  readonly groupBy: readonly {
    readonly text: string
    readonly called: string
    readonly name: Name
    readonly at: Expression
  }[]
}

/** Without groups, one answer for all the rows, be there any or none. */
export function grouped(
  world: World,
  collection: string,
  rows: readonly Row[],
  { aggregate, groupBy, having, sort, alias }: Grouping,
): Answer[] {
  const by = groupBy.map((text) => {
    const meant = Object.hasOwn(alias, text) ? alias[text] : undefined
    const name = readName(meant ?? text)
    const end = follow(world, collection, undefined, name.path).collection
    const inner = expressionOf(world, end, name)
    const read = (row: Row | undefined) => inner.read(follow(world, collection, row, name.path).rows[0])
    const called = meant === undefined ? answerKey(name) : text
    return { text, called, name, at: { type: inner.type, read } }
  })
  const setting = { world, collection, groupBy: by }
  const groups = by.length === 0 ? [{ values: [], rows }] : groupsOf(setting, rows)
  const kept = groups.filter((group) => meetsHaving({ world, collection, rows: group.rows }, having))
  return inOrder(setting, kept, sort).map((group) => answerOf(setting, group, aggregate))
}

function groupsOf({ groupBy }: Grouped, rows: readonly Row[]): Group[] {
  const groups: { values: unknown[]; rows: Row[] }[] = []
  for (const row of rows) {
    const values = groupBy.map(({ at }) => at.read(row))
    const known = groups.find((group) =>
      values.every(
        (value, index) =>
          compareInOrder(groupBy[index]?.at.type ?? '', value, group.values[index], false) === 0,
      ),
    )
    if (known) known.rows.push(row)
    else groups.push({ values, rows: [row] })
  }
  return groups
}

/** By the sort given, then by the group fields. */
function inOrder(setting: Grouped, groups: readonly Group[], sort: readonly string[]): Group[] {
  const given = sort.map(readSort)
  const isDescending = given.at(-1)?.isDescending ?? false
  const keys = [...given, ...setting.groupBy.map(({ text }) => ({ name: text, isDescending }))]
  const columns = keys.map((key) => ({ ...key, ...sortValue(setting, key.name) }))
  return [...groups].sort((left, right) => {
    for (const { type, read, isDescending: isReversed } of columns) {
      const difference = compareInOrder(type, read(left), read(right), isReversed)
      if (difference !== 0) return difference
    }
    return 0
  })
}

function sortValue({ world, collection, groupBy }: Grouped, name: string) {
  const place = groupBy.findIndex(({ text }) => text === name)
  const by = groupBy[place]
  if (by) return { type: by.at.type, read: ({ values }: Group) => values[place] }
  const [word = '', ...rest] = name.split('.')
  const field = rest.length === 0 ? '*' : rest.join('.')
  return {
    type: resultType(world, collection, word, field),
    read: ({ rows }: Group) => aggregated(world, collection, rows, word, field),
  }
}

function answerOf(
  { world, collection, groupBy }: Grouped,
  { values, rows }: Group,
  aggregate: Grouping['aggregate'],
): Answer {
  const answer: Answer = {}
  for (const [index, { name, called }] of groupBy.entries()) {
    let place = answer
    for (const step of name.path) {
      place[step] ??= {}
      place = place[step] as Answer // made just above
    }
    place[called] = values[index]
  }
  for (const [word, fields] of Object.entries(aggregate)) {
    const results = fields.map((field) => [
      field === '*' ? '*' : answerKey(readName(field)),
      aggregated(world, collection, rows, word, field),
    ])
    answer[word] = fields.length === 1 && fields[0] === '*' ? results[0]?.[1] : Object.fromEntries(results)
  }
  return answer
}
