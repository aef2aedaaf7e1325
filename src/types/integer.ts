// Whole numbers: of 32 bits, of up to 2^53 - 1 (`wide`), and of 64 bits (`bigInteger`), which are text in results.
import { floorDecimal, readDecimal } from '../values/decimal.ts'
import {
  accepted,
  type ColumnType,
  exactly,
  type FamilyRow,
  outOfRange,
  type StoredRead,
  sortable,
  type ValueTypes,
  type VariableWord,
  wrongType,
} from './family-row.ts'
import { numberSchema } from './json-schemas.ts'

const expects = 'a whole number'

export const integer = {
  fieldTypes: {
    integer: {},
    bigInteger: {},
  },
  groups: ['number', ...sortable],
  expects,
  operand,
  compare: (left, right) => (left < right ? -1 : left > right ? 1 : 0),
  isEmpty: (value) => value === 0n,
  // A fraction is between two values of the column.
  comparable: (value) => {
    const read = operand(value)
    return read?.exact ? read.at : null
  },
  store: (input, type) => {
    const read = operand(input)
    // A fraction would be lost.
    return read?.exact ? limited(read.at, type) : wrongType(expects)
  },
  sum: (left, right, type) => limited(left + right, type),
  boundAsGiven: ({ type, isWide }) => (type === 'integer' && !isWide ? isNarrow : isSafe),
  show: (value, { type }) => (type === 'bigInteger' ? String(value) : Number(value)),
  storages: [],
  key: { isNamedSo: (text) => /^(?:0|-?[1-9]\d*)$/.test(text) },
  constant: (constant) => (Number.isSafeInteger(constant) ? constant : undefined),
  inputSchemas: {
    integer: wholeNumber({ minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }),
    wideInteger: wholeNumber({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
    // A double cannot count all integers of 64 bits exactly, so the greatest have to be text.
    bigInteger: wholeNumber({ exclusiveMinimum: -(2 ** 63), exclusiveMaximum: 2 ** 63 }),
  },
  inputSchemaOf: ({ type, isWide }) => (type === 'integer' && isWide ? 'wideInteger' : type),
  operandSchema: numberSchema,
  outputSchema: ({ type }) =>
    type === 'bigInteger' ? { type: 'string', pattern: '^-?[0-9]+$' } : { type: 'integer' },
  elementSchema: ({ type }) => (type === 'bigInteger' ? { type: ['string', 'number'] } : undefined),
  exportKind: 'number',
} as const satisfies FamilyRow<bigint>

export interface IntegerTypes {
  integer: ValueTypes<number, number | bigint | `${number}` | VariableWord, string | bigint>
  bigInteger: ValueTypes<string, string | number | bigint, number | bigint>
}

function operand(input: unknown) {
  if (typeof input === 'number' && Number.isSafeInteger(input)) return exactly(BigInt(input))
  const number = readDecimal(input)
  return number && floorDecimal(number)
}

function limited(value: bigint, type: ColumnType): StoredRead {
  const [min, greatest] = integerBounds(type)
  if (value >= min && value <= greatest) return accepted(value)
  if (type.type === 'bigInteger') return outOfRange('takes a number of 64 bits')
  if (Number.isSafeInteger(Number(value))) return tooWide
  return outOfRange('takes a number that JavaScript can count; a "bigInteger" takes more')
}

export function integerBounds({
  type,
  isWide,
}: Pick<ColumnType, 'type' | 'isWide'>): readonly [least: bigint, greatest: bigint] {
  if (type === 'bigInteger') return ofBigInteger
  return isWide ? ofWide : ofInteger
}

const ofBigInteger = [-(2n ** 63n), 2n ** 63n - 1n] as const
const ofWide = [1n - 2n ** 53n, 2n ** 53n - 1n] as const
const ofInteger = [-(2n ** 31n), 2n ** 31n - 1n] as const

const tooWide: StoredRead = {
  kind: 'mistake',
  code: 'VALUE_OUT_OF_RANGE',
  type: 'range',
  says: 'takes a whole number of 32 bits',
  hint: 'Declare it with wide: true where the column holds 64 bits, or as bigInteger.',
}

// -0 is stored as 0.
const isSafe = (input: unknown): boolean => Number.isSafeInteger(input) && !Object.is(input, -0)
const isNarrow = (input: unknown): boolean =>
  typeof input === 'number' && (input | 0) === input && !Object.is(input, -0)

/** Returns the schema of whole numbers. As text they are digits, optionally with a point and zeros behind it; a schema cannot express
 *  which exponents yield whole numbers. */
function wholeNumber(bounds: object) {
  const pattern = '^[+-]?(?:[0-9]+(?:\\.0*)?|\\.0+|(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)[eE][+-]?[0-9]{1,4})$'
  return {
    anyOf: [
      { type: 'integer', ...bounds },
      { type: 'string', pattern },
    ],
  }
}
