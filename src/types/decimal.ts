// Exact numbers, which are text in results: JSON's numbers are not exact enough.
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  decimalText,
  paddedDecimal,
  readDecimal,
  roundDecimal,
} from '../values/decimal.ts'
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

const expects = 'a number'

export const decimal = {
  fieldTypes: { decimal: {} },
  groups: ['number', ...sortable],
  expects,
  operand,
  compare: compareDecimals,
  isEmpty: ({ digits }) => digits === 0n,
  store: (input, type) => {
    const read = operand(input)
    return read ? limited(read.at, type) : wrongType(expects)
  },
  sum: (left, right, type) => limited(addDecimals(left, right), type),
  show: (value, { scale }) => paddedDecimal(value as Decimal, scale), // `store` has read it
  storages: ['text'],
  // Zeros at the end are those of the field's scale.
  key: { isNamedSo: (text) => /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) },
  inputSchemas: { decimal: numberSchema },
  operandSchema: numberSchema,
  outputSchema: ({ scale }) => ({
    type: 'string',
    pattern: scale ? `^-?[0-9]+\\.[0-9]{${scale},}$` : '^-?[0-9]+(?:\\.[0-9]+)?$',
  }),
  elementSchema: () => ({ type: ['string', 'number'] }),
  exportKind: 'number',
} as const satisfies FamilyRow<Decimal>

export interface DecimalTypes {
  decimal: ValueTypes<`${number}`, `${number}` | number | bigint | VariableWord, string | number | bigint>
}

function operand(input: unknown) {
  const number = readDecimal(input)
  return number && exactly(number)
}

function limited(value: Decimal, { precision, scale, storage }: ColumnType): StoredRead {
  const rounded = scale === undefined ? value : roundDecimal(value, scale)
  // Some databases have no numbers larger than floating-point ones, and an infinite one would read as null.
  if (storage !== 'text' && !Number.isFinite(Number(decimalText(rounded))))
    return outOfRange('takes a number below 1.8e308; as text, it takes more')
  if (precision === undefined) return accepted(rounded)
  const whole = decimalText(rounded).replace(/^-/, '').split('.')[0] ?? ''
  const max = precision - (scale ?? 0)
  return whole === '0' || whole.length <= max
    ? accepted(rounded)
    : outOfRange(`takes at most ${max} digits before the point`)
}
