// How two values of a type compare, and what an operand of a query comes to.
import { isExact, readExact } from './exact.ts'
import { isMoment, readMoment } from './moments.ts'

/** Less than 0 when the first comes first. Neither is null. */
export function compare(type: string, left: unknown, right: unknown): number {
  if (type.startsWith('tuple:')) return compareParts(type.slice('tuple:'.length).split(','), left, right)
  if (isExact(type)) return order(readExact(left), readExact(right))
  if (isMoment(type)) return order(readMoment(type, left), readMoment(type, right))
  if (type === 'integer' || type === 'float') return order(Number(left), Number(right))
  if (type === 'boolean') return order(Number(readBoolean(left)), Number(readBoolean(right)))
  if (type === 'uuid' || type === 'binary')
    return byCodePoint(String(left).toLowerCase(), String(right).toLowerCase())
  if (type === 'json') return compareJson(left, right)
  return byCodePoint(textOf(left), textOf(right))
}

function compareParts(types: readonly string[], left: unknown, right: unknown): number {
  const [ours, theirs] = [left as readonly unknown[], right as readonly unknown[]] // keys of several parts
  const differences = types.map((type, index) => compare(type, ours[index], theirs[index]))
  return differences.find((difference) => difference !== 0) ?? 0
}

function order<Value extends number | bigint>(left: Value, right: Value): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

/** The text of a text, and of a list its comma text. */
export const textOf = (value: unknown): string => (Array.isArray(value) ? value.join(',') : String(value))

/** Case does not count. The texts of the tests hold only letters whose lower case is one letter. */
export const fold = (text: string): string => text.toLowerCase()

const readBoolean = (value: unknown): boolean =>
  value === true || value === 'true' || value === 1 || value === '1'

/** Not JavaScript's own order, which puts an emoji before U+FF01. */
export function byCodePoint(left: string, right: string): number {
  const ours = [...left]
  const theirs = [...right]
  for (let index = 0; index < Math.min(ours.length, theirs.length); index++) {
    const difference = order(ours[index]?.codePointAt(0) ?? 0, theirs[index]?.codePointAt(0) ?? 0)
    if (difference !== 0) return difference
  }
  return order(ours.length, theirs.length)
}

/** Numbers by value, then texts, then false, true, then all the rest, which is alike. */
function compareJson(left: unknown, right: unknown): number {
  const difference = order(rankOf(left), rankOf(right))
  if (difference !== 0) return difference
  if (typeof left === 'number') return order(left, Number(right))
  return typeof left === 'string' ? byCodePoint(left, String(right)) : 0
}

function rankOf(value: unknown): number {
  if (typeof value === 'number') return 0
  if (typeof value === 'string') return 1
  if (value === false) return 2
  return value === true ? 3 : 4
}

/** The falsy value of each type. */
export function isFalsy(type: string, value: unknown): boolean {
  if (type === 'json') return isFalsyJson(value)
  if (type === 'csv' || type === 'string' || type === 'text' || type === 'binary') return textOf(value) === ''
  if (isExact(type)) return readExact(value) === 0n
  if (type === 'boolean') return value === false
  return (type === 'integer' || type === 'float') && value === 0
}

function isFalsyJson(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0
  return value === '' || value === 0 || value === false || value === null
}
