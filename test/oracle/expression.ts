// A name as it stands in fields, sort, groupBy and aggregate: a field, or a function of one, at the end of a path.

import {
  armOf,
  childrenOf,
  fieldOf,
  itemAt,
  type Row,
  readScope,
  relationOf,
  toAny,
  typeOf,
  type World,
} from './dataset.ts'
import { isExact, readExact, toNumber, writeExact } from './exact.ts'
import { partOf } from './moments.ts'
import { compare } from './values.ts'

export type Aliases = Readonly<Record<string, string>>

export interface Name {
  /** The relations that lead to the field. */
  readonly path: readonly string[]
  readonly field: string
  readonly function?: string
  readonly argument?: string
  /** For an aggregate of related items: their field. */
  readonly of?: string
}

const aggregateWords = ['sum', 'avg', 'min', 'max']

/** `author.year(born)` and `year(author.born)` are the same. */
export function readName(text: string): Name {
  const [, before = '', called, inside = ''] = /^([^(]*\.)?(\w+)\((.*)\)$/.exec(text) ?? []
  if (called === undefined) {
    const steps = text.split('.')
    return { path: steps.slice(0, -1), field: steps.at(-1) ?? '' }
  }
  const comma = inside.indexOf(',')
  const steps = `${before}${comma < 0 ? inside : inside.slice(0, comma)}`.trim().split('.')
  const argument = comma < 0 ? undefined : inside.slice(comma + 1).trim()
  if (aggregateWords.includes(called))
    return { path: steps.slice(0, -2), field: steps.at(-2) ?? '', function: called, of: steps.at(-1) ?? '' }
  const name = { path: steps.slice(0, -1), field: steps.at(-1) ?? '', function: called }
  return argument === undefined ? name : { ...name, argument }
}

/** A name alone may be an alias of another. */
export function unaliased(text: string, aliases: Aliases): string {
  return Object.hasOwn(aliases, text) ? (aliases[text] ?? text) : text
}

/** `published_at_year`, `meta_size_w_json`. */
export function answerKey(name: Name): string {
  if (name.function === undefined) return name.field
  const path = (name.argument ?? '').replace(/[.[\], ]+/g, '_').replace(/^_|_$/g, '')
  return [name.field, ...(path === '' ? [] : [path]), ...(name.of ? [name.of] : []), name.function].join('_')
}

export interface Expression {
  readonly type: string
  /** Of no item, the value is null. */
  readonly read: (row: Row | undefined) => unknown
}

/** A field of a collection, or a function of it, without a path. */
export function expressionOf(world: World, collection: string, name: Name): Expression {
  const { field, argument } = name
  const relation = relationOf(world, collection, field)
  const stored = (row: Row): unknown => row[field] ?? null
  const expression = (type: string, read: (row: Row) => unknown): Expression => ({
    type,
    read: (row) => (row === undefined ? null : read(row)),
  })
  if (name.function === undefined) {
    if (relation?.kind === 'many') throw new Error(`${field} has no value of its own`)
    return expression(typeOf(world, collection, field), stored)
  }
  if (name.function === 'count') {
    if (relation?.kind !== 'many') return expression('integer', (row) => lengthOf(stored(row)))
    return expression('integer', (row) => childrenOf(world, collection, row, relation).length)
  }
  const { function: word, of } = name
  if (of !== undefined && relation?.kind === 'many')
    return expression(resultType(world, relation.to, word, of), (row) =>
      aggregated(world, relation.to, childrenOf(world, collection, row, relation), word, of),
    )
  if (name.function === 'json') return expression('json', (row) => valueAt(stored(row), argument ?? ''))
  const part = name.function
  const { type } = fieldOf(world, collection, field)
  return expression('integer', (row) => partOf(part, type, stored(row)))
}

/** The number of elements of an array; of any other JSON value there are none. */
function lengthOf(value: unknown): number | null {
  if (value === null) return null
  return Array.isArray(value) ? value.length : 0
}

/** What a JSON value holds at `size.w` or `items[0].name`. */
export function valueAt(value: unknown, path: string): unknown {
  let at: unknown = value
  for (const step of path.split(/[.[\]]+/).filter((part) => part !== '')) {
    const isInside =
      typeof at === 'object' &&
      at !== null &&
      Array.isArray(at) === /^\d+$/.test(step) &&
      Object.hasOwn(at, step)
    if (!isInside) return null
    at = (at as Readonly<Record<string, unknown>>)[step] // it was just seen to have that member
  }
  return at ?? null
}

export interface Reached {
  readonly collection: string
  /** Whether a relation to many lies on the way. */
  readonly isMany: boolean
  readonly rows: readonly (Row | undefined)[]
}

/** Follows relations from one row. Where one leads to no single item, the rows have an undefined one. */
export function follow(
  world: World,
  collection: string,
  row: Row | undefined,
  path: readonly string[],
): Reached {
  let reached: Reached = { collection, isMany: false, rows: [row] }
  for (const step of path) reached = takeStep(world, reached, step)
  return reached
}

function takeStep(world: World, { collection, isMany, rows }: Reached, step: string): Reached {
  const scope = readScope(step)
  if (scope) {
    const any = toAny(world, collection, scope.field)
    const next = rows.map((row) => row && armOf(world, row, scope.field, any, scope.arm))
    return { collection: scope.arm, isMany, rows: next }
  }
  const relation = relationOf(world, collection, step)
  if (relation?.kind === 'one') {
    const next = rows.map((row) => row && itemAt(world, relation.to, row[step]))
    return { collection: relation.to, isMany, rows: next }
  }
  if (relation?.kind !== 'many') throw new Error(`${step} leads nowhere from ${collection}`)
  const next = rows.flatMap((row) => (row ? childrenOf(world, collection, row, relation) : []))
  return { collection: relation.to, isMany: true, rows: next }
}

/** What an aggregate says of some rows. */
export function aggregated(
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

/** The type as which an aggregate compares. */
export function resultType(world: World, collection: string, word: string, field: string): string {
  if (word.startsWith('count')) return 'integer'
  if (word.startsWith('avg')) return 'float'
  return expressionOf(world, collection, readName(field)).type
}
