// Reads values of a payload into column values, or returns the reason why they cannot be stored.
import { fieldTypes } from '../schema/field-types.ts'
import type { ScalarField, StoredField, ValueType } from '../schema/model.ts'
import { type Decimal, decimalText, roundDecimal } from '../values/decimal.ts'
import { isRecord } from '../values/record.ts'
import { isSound } from '../values/text.ts'
import { familyRow } from '../vocabulary/families.ts'

/** A value in the form in which its family compares; for JSON, the JSON itself. */
export type Storable = NonNullable<unknown>

export type StoredRead =
  | { readonly kind: 'value'; readonly value: Storable }
  /** `type` names the violated rule, as in an error's extensions. */
  | {
      readonly kind: 'mistake'
      readonly code: 'FAILED_VALIDATION' | 'VALUE_TOO_LONG' | 'VALUE_OUT_OF_RANGE'
      readonly type: string
      readonly says: string
      readonly valid?: unknown
      readonly hint?: string
    }

/** Reads a value that is not null. */
export function readStored(field: StoredField, given: unknown): StoredRead {
  const { value: type } = field
  const read = type.isArray ? readList(given, type) : readSingle(given, type)
  return read.kind === 'value' && field.kind === 'scalar' ? checkedBySchema(read, field) : read
}

const accepted = (value: Storable): StoredRead => ({ kind: 'value', value })
const wrongType = (expects: string): StoredRead => ({
  kind: 'mistake',
  code: 'FAILED_VALIDATION',
  type: 'type',
  says: `takes ${expects}`,
})
const outOfRange = (says: string): StoredRead => ({
  kind: 'mistake',
  code: 'VALUE_OUT_OF_RANGE',
  type: 'range',
  says,
})

function readList(given: unknown, type: ValueType): StoredRead {
  if (!Array.isArray(given)) return wrongType('a list')
  const element: ValueType = { ...type, isArray: false, family: fieldTypes[type.type].family }
  const values: unknown[] = []
  for (const one of given) {
    if (one === null) {
      values.push(null)
      continue
    }
    const read = readSingle(one, element)
    if (read.kind === 'mistake') return { ...read, says: `${read.says} in each place of its list` }
    values.push(read.value)
  }
  return accepted(values)
}

function readSingle(given: unknown, type: ValueType): StoredRead {
  if (type.family === 'json') return readJson(given)
  if (type.family === 'hash')
    return typeof given === 'string' && isSound(given) ? accepted(given) : wrongType('text')
  if (type.family === 'csv' && Array.isArray(given) && !isListable(given))
    return wrongType('a list of texts without commas, which separate them')
  const row = familyRow(type.family)
  const operand = row.operand(given, type)
  // Timestamps are cut to the precision of the field; a fraction of a whole number would be lost.
  if (!operand || (type.family === 'integer' && !operand.exact)) return wrongType(row.expects)
  const shape = shapeOf(type)
  if (shape !== undefined && isRecord(operand.at) && operand.at.type !== shape)
    return wrongType(`a GeoJSON ${shape}`)
  return limited(operand.at, type)
}

/** The only geometry type that a field allows. */
function shapeOf({ type }: ValueType): string | undefined {
  const row = fieldTypes[type]
  return 'shape' in row ? row.shape : undefined
}

/** True if a list can be read back from its text unchanged. */
const isListable = (texts: readonly unknown[]) =>
  [...texts].every((text) => typeof text === 'string' && !text.includes(',')) &&
  !(texts.length === 1 && texts[0] === '')

function limited(value: Storable, type: ValueType): StoredRead {
  if (typeof value === 'string') return limitedText(value, type)
  if (type.family === 'integer') return limitedInteger(BigInt(value as bigint), type) // made by the integer family
  return type.family === 'decimal' ? limitedDecimal(value as Decimal, type) : accepted(value) // made by the decimal family
}

function limitedText(text: string, { values, length, family }: ValueType): StoredRead {
  if (values && !values.includes(text))
    return {
      kind: 'mistake',
      code: 'FAILED_VALIDATION',
      type: 'in',
      says: 'takes one of its values',
      valid: values,
    }
  if (length === undefined || family === 'binary' || [...text].length <= length) return accepted(text)
  return {
    kind: 'mistake',
    code: 'VALUE_TOO_LONG',
    type: 'length',
    says: `takes at most ${length} characters`,
    valid: length,
  }
}

function limitedInteger(value: bigint, { type, isWide }: ValueType): StoredRead {
  if (type === 'bigInteger')
    return BigInt.asIntN(64, value) === value ? accepted(value) : outOfRange('takes a number of 64 bits')
  if (!Number.isSafeInteger(Number(value)))
    return outOfRange('takes a number that JavaScript can count; a "bigInteger" takes more')
  return isWide || BigInt.asIntN(32, value) === value ? accepted(value) : tooWide
}

const tooWide: StoredRead = {
  kind: 'mistake',
  code: 'VALUE_OUT_OF_RANGE',
  type: 'range',
  says: 'takes a whole number of 32 bits',
  hint: 'Declare it with wide: true where the column holds 64 bits, or as bigInteger.',
}

function limitedDecimal(value: Decimal, { precision, scale, storage }: ValueType): StoredRead {
  const rounded = scale === undefined ? value : roundDecimal(value, scale)
  // Some databases have no numbers larger than floating-point ones, and an infinite one would read as null.
  if (storage !== 'text' && !Number.isFinite(Number(decimalText(rounded))))
    return outOfRange('takes a number below 1.8e308; as text, it takes more')
  if (precision === undefined) return accepted(rounded)
  const whole = decimalText(rounded).replace(/^-/, '').split('.')[0] ?? ''
  const most = precision - (scale ?? 0)
  return whole === '0' || whole.length <= most
    ? accepted(rounded)
    : outOfRange(`takes at most ${most} digits before the point`)
}

function readJson(given: unknown): StoredRead {
  let text: string | undefined
  try {
    text = JSON.stringify(given)
    // They would silently become null.
    if (text?.includes('null') && !hasFiniteNumbers(given))
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

function hasFiniteNumbers(given: unknown): boolean {
  let isAll = true
  JSON.stringify(given, (_key, value: unknown) => {
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

/** Validates a JSON value by the host's own validator. It may change the value, and has to be synchronous. */
function checkedBySchema(read: StoredRead & { readonly kind: 'value' }, { schema }: ScalarField): StoredRead {
  if (!schema) return read
  const result = schema['~standard'].validate(read.value)
  if (!isRecord(result)) return wrongType('a JSON value that a validator can judge at once')
  if (Array.isArray(result.issues))
    return {
      kind: 'mistake',
      code: 'FAILED_VALIDATION',
      type: 'schema',
      says: 'does not take this JSON value',
      valid: result.issues.slice(0, 10).map(issueText),
    }
  return readJson(result.value)
}

const issueText = (issue: unknown): string =>
  isRecord(issue) && typeof issue.message === 'string' ? issue.message : 'not valid'
