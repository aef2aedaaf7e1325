// Kinds of values that are omitted from a shape. A list is marked with the kinds of its values.

import { isGeometry } from '../../query/operands.ts'
import { isBytes, isDate, isRecord } from '../../values/guards.ts'
import type { OperandKind } from '../../vocabulary/operator.ts'

export function operandHole(kind: OperandKind, value: unknown): number | undefined {
  const isOfMany = kind === 'values' || kind === 'pair'
  if (!Array.isArray(value)) return isOfMany ? elementToken(value) : tokenOf(value)
  const kinds = kind === 'values' || kind === 'pair' || kind === 'value' ? tokensOf(value) : undefined
  return kinds === undefined ? undefined : holes.values + kinds
}

/** Returns the kinds of values in a list, whatever their number and order. */
function tokensOf(list: readonly unknown[]): number | undefined {
  let kinds = 0
  for (const element of list) {
    const token = elementToken(element)
    if (token === undefined) return undefined
    kinds |= token
  }
  return kinds
}

/** In a list, an integer beyond the safe range is read as text, which differs from numbers inside JSON. */
function elementToken(element: unknown): number | undefined {
  if (typeof element === 'bigint' && !Number.isSafeInteger(Number(element))) return tokens.text
  return Array.isArray(element) ? partsToken(element) : tokenOf(element)
}

function partsToken(parts: readonly unknown[]): number | undefined {
  let kinds: number = tokens.parts
  for (const part of parts) {
    const token = tokenOf(part)
    if (token === undefined) return undefined
    kinds |= token
  }
  return kinds
}

/** Returns the kind of an omitted value; undefined for values that belong to the shape: null, and texts that may be variables. */
function tokenOf(value: unknown): number | undefined {
  if (typeof value === 'string') return value.startsWith('$') ? undefined : tokens.text
  if (typeof value === 'number') return Number.isFinite(value) ? tokens.number : undefined
  if (typeof value === 'bigint') return tokens.number
  if (typeof value === 'boolean') return tokens.boolean
  if (isDate(value)) return tokens.date
  if (isBytes(value)) return tokens.bytes
  return isRecord(value) && isGeometry(value) ? tokens.geometry : undefined
}

const tokens = { text: 1, number: 2, boolean: 4, date: 8, bytes: 16, geometry: 32, parts: 64 } as const

/** Marks of other omitted values. A list is marked with the kinds of its values, too. */
export const holes = { search: 256, near: 257, far: 258, cursor: 259, values: 128 } as const
