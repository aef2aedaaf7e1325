// What an aggregate says of some rows.

import { fieldOf, type Row, type World } from './dataset.ts'
import { isExact, readExact, toNumber, writeExact } from './exact.ts'
import { expressionOf, readName } from './expression.ts'
import { compare } from './values.ts'

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
