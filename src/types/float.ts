// Floating-point numbers. Infinities and NaN are no values: JSON does not have them.
import { readDecimal } from '../values/decimal.ts'
import {
  accepted,
  exactly,
  type FamilyRow,
  outOfRange,
  sortable,
  type ValueTypes,
  type VariableWord,
  wrongType,
} from './family-row.ts'
import { numberSchema } from './json-schemas.ts'

const expects = 'a number'

export const float = {
  fieldTypes: { float: {} },
  groups: ['number', ...sortable],
  expects,
  operand,
  compare: (left, right) => left - right,
  isEmpty: (value) => value === 0,
  store: (input) => {
    const read = operand(input)
    return read ? accepted(read.at) : wrongType(expects)
  },
  sum: (left, right) =>
    Number.isFinite(left + right) ? accepted(left + right) : outOfRange('takes a number below 1.8e308'),
  storages: [],
  key: { isNamedSo: (text) => String(Number(text)) === text },
  constant: (constant) => (Number.isFinite(constant) ? constant : undefined),
  inputSchemas: { float: numberSchema },
  operandSchema: numberSchema,
  outputSchema: () => ({ type: 'number' }),
  exportKind: 'number',
} as const satisfies FamilyRow<number>

export interface FloatTypes {
  float: ValueTypes<number, number | `${number}` | VariableWord, string>
}

function operand(input: unknown) {
  const number = readDecimal(input) && Number(input)
  return number !== undefined && Number.isFinite(number) ? exactly(number) : undefined
}
