// Rows taken together: groups, and what an aggregate says of each.

import { fieldOf, type Row, type World } from './dataset.ts'
import { isExact, readExact, toNumber, writeExact } from './exact.ts'
import { answerKey, type Expression, expressionOf, follow, type Name, readName } from './expression.ts'
import { compareInOrder, readSort } from './order.ts'
import { compare } from './values.ts'

export interface Grouping {
  readonly aggregate: Readonly<Record<string, readonly string[]>>
  readonly groupBy: readonly string[]
  readonly sort: readonly string[]
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
  { aggregate, groupBy, sort, alias }: Grouping,
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
  return inOrder(setting, groups, sort).map((group) => answerOf(setting, group, aggregate))
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
    type: aggregateType(world, collection, word, field),
    read: ({ rows }: Group) => aggregated(world, collection, rows, word, field),
  }
}

function aggregateType(world: World, collection: string, word: string, field: string): string {
  if (word.startsWith('count') || word.startsWith('avg')) return 'float'
  return expressionOf(world, collection, readName(field)).type
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

function aggregated(
  world: World,
  collection: string,
  rows: readonly Row[],
  word: string,
  field: string,
): unknown {
  if (field === '*') return rows.length
  const name = readName(field)
  const { type, read } = expressionOf(world, collection, name)
  const values = rows.map((row) => read(row)).filter((value) => value !== null)
  const counted = word.endsWith('Distinct') ? distinct(type, values) : values
  if (word.startsWith('count')) return counted.length
  if (counted.length === 0) return null
  if (word === 'min') return [...counted].sort((left, right) => compare(type, left, right))[0]
  if (word === 'max') return [...counted].sort((left, right) => compare(type, right, left))[0]
  if (word.startsWith('avg')) return sumNumber(type, counted) / counted.length
  if (!isExact(type)) return sumNumber(type, counted)
  const definition = fieldOf(world, collection, name.field)
  const scale = 'scale' in definition ? (definition.scale ?? 0) : 0
  return writeExact(sumExact(counted), scale)
}

function distinct(type: string, values: readonly unknown[]): readonly unknown[] {
  const found: unknown[] = []
  for (const value of values) {
    if (!found.some((known) => compare(type, known, value) === 0)) found.push(value)
  }
  return found
}

const sumExact = (values: readonly unknown[]): bigint =>
  values.reduce<bigint>((sum, value) => sum + readExact(value), 0n)

function sumNumber(type: string, values: readonly unknown[]): number {
  if (isExact(type)) return toNumber(sumExact(values))
  return values.reduce<number>((sum, value) => sum + Number(value), 0)
}
