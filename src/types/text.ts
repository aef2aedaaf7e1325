// Texts, short and long. They compare by code points.
import { isDate, isSound } from '../values/guards.ts'
import {
  accepted,
  type ColumnType,
  exactly,
  type FamilyRow,
  type JsonSchema,
  type StoredRead,
  sortable,
  type ValueTypes,
  wrongType,
} from './family-row.ts'

const expects = 'text'
const shown = { type: 'string' }

/** Text without U+0000 or half a surrogate pair, which no database stores. */
export const soundText: JsonSchema = { type: 'string', pattern: '^[^\\u0000\\ud800-\\udfff]*$' }
export const anyText: JsonSchema = { anyOf: [soundText, { type: 'number' }, { type: 'boolean' }] }

export const text = {
  fieldTypes: { string: {}, text: {} },
  groups: ['textual', ...sortable],
  expects,
  operand: textOperand,
  compare: compareText,
  isEmpty: (value) => value === '',
  holdsNullText: true,
  store: (input, type) => {
    const read = textOperand(input)
    return read ? limitText(read.at, type) : wrongType(expects)
  },
  boundAsGiven: () => (input) => typeof input === 'string' && isSound(input),
  storages: ['mixed'],
  key: { isNamedSo: () => true },
  constant: (constant) => (typeof constant === 'string' ? constant : undefined),
  inputSchemas: { text: anyText },
  operandSchema: anyText,
  outputSchema: ({ values }) => (values ? { ...shown, enum: values } : shown),
  exportKind: 'text',
} as const satisfies FamilyRow<string>

export interface TextTypes {
  string: ValueTypes<string, string>
  text: ValueTypes<string, string>
}

export function textOperand(input: unknown) {
  const read =
    typeof input === 'string'
      ? input
      : isDate(input)
        ? readDate(input)
        : isSimple(input)
          ? String(input)
          : undefined
  return read !== undefined && isSound(read) ? exactly(read) : undefined
}

const readDate = (input: Date) => (Number.isNaN(input.getTime()) ? undefined : input.toISOString())
// JSON reads 1e999 as an infinite number, and its digits are lost.
const isSimple = (input: unknown) =>
  Number.isFinite(input) || typeof input === 'bigint' || typeof input === 'boolean'

/** Accepts a text that is among the values of its field, and no longer than it allows. */
export function limitText(input: string, { values, length }: ColumnType): StoredRead {
  if (values && !values.includes(input))
    return {
      kind: 'mistake',
      code: 'FAILED_VALIDATION',
      type: 'in',
      says: 'takes one of its values',
      valid: values,
    }
  if (length === undefined || [...input].length <= length) return accepted(input)
  return {
    kind: 'mistake',
    code: 'VALUE_TOO_LONG',
    type: 'length',
    says: `takes at most ${length} characters`,
    valid: length,
  }
}

/** Compares texts by code points. JavaScript's own order is by UTF-16 units, in which an emoji comes before U+FFFD. */
export function compareText(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) {
    const [one, other] = [left.charCodeAt(index), right.charCodeAt(index)]
    if (one !== other) return rank(one) - rank(other)
  }
  return left.length - right.length
}

// Surrogates represent code points above all others, so they are moved after U+FFFF.
const rank = (unit: number) => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x2800 : unit)
