// Any JSON value. It compares at a path, or as a whole to null and to empty values.
import { isRecord, isSound } from '../values/guards.ts'
import { accepted, type FamilyRow, type StoredRead, type ValueTypes, wrongType } from './family-row.ts'

const anything = 'Any JSON value.'

export const json = {
  fieldTypes: { json: {} },
  groups: [],
  expects: 'a JSON value is compared at a path, with "_json"',
  operand: () => undefined,
  compare: () => 0,
  isEmpty: isEmptyJson,
  comparable: (value) => value,
  holdsNullText: true,
  store: readJson,
  storages: [],
  inputSchemas: { json: { description: anything, not: { type: 'null' } } },
  outputSchema: () => ({ description: anything }),
  exportKind: 'json',
  form: { read: (text) => parseOr(text, () => text), schema: { contentMediaType: 'application/json' } },
} as const satisfies FamilyRow

export interface JsonTypes {
  json: ValueTypes<unknown, never>
}

function isEmptyJson(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0
  return value === '' || value === 0 || value === false || value === null
}

export function readJson(input: unknown): StoredRead {
  let text: string | undefined
  try {
    text = JSON.stringify(input)
    // They would silently become null.
    if (text?.includes('null') && !hasFiniteNumbers(input))
      return wrongType('a JSON value, whose numbers are finite')
  } catch {
    return wrongType('a JSON value')
  }
  if (text === undefined) return wrongType('a JSON value')
  const value: unknown = JSON.parse(text)
  if (mayBeUnsound.test(text) && !isSoundJson(value))
    return wrongType('a JSON value without U+0000 or half a surrogate pair')
  // Null in a JSON column is no value either.
  return value === null || value === undefined ? wrongType('a JSON value') : accepted(value)
}

function hasFiniteNumbers(input: unknown): boolean {
  let isAll = true
  JSON.stringify(input, (_key, value: unknown) => {
    if (typeof value === 'number' && !Number.isFinite(value)) isAll = false
    return value
  })
  return isAll
}

/** JSON escapes characters that no database stores, and may have such an escape as text. */
const mayBeUnsound = /\\u(?:0000|d[89a-f])/i

function isSoundJson(value: unknown): boolean {
  if (typeof value === 'string') return isSound(value)
  if (Array.isArray(value)) return value.every(isSoundJson)
  return !isRecord(value) || Object.entries(value).every(([key, one]) => isSound(key) && isSoundJson(one))
}

export function parseOr(text: string, otherwise: (text: string) => unknown): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return otherwise(text)
  }
}
