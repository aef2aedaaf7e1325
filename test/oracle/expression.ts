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
import { partOf } from './moments.ts'

export type Aliases = Readonly<Record<string, string>>

export interface Name {
  /** The relations that lead to the field. */
  readonly path: readonly string[]
  readonly field: string
  readonly function?: string
  readonly argument?: string
}

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
  return [name.field, ...(path === '' ? [] : [path]), name.function].join('_')
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
