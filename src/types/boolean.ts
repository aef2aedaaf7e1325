import {
  accepted,
  exactly,
  type FamilyRow,
  type JsonSchema,
  type ValueTypes,
  type VariableWord,
  wrongType,
} from './family-row.ts'
import { parseOr } from './json.ts'

const expects = 'true or false'
const input: JsonSchema = { enum: [true, false, 'true', 'false', 1, 0, '1', '0'] }

/** True and false, which databases without them store as 1 and 0. */
export const boolean = {
  fieldTypes: { boolean: {} },
  groups: ['distinct', 'comparable'],
  expects,
  operand,
  compare: (left, right) => Number(left) - Number(right),
  isEmpty: (value) => !value,
  store: (value) => {
    const read = operand(value)
    return read ? accepted(read.at) : wrongType(expects)
  },
  // A column with nothing but 0 and 1, on databases without booleans.
  storages: ['canonical'],
  constant: (constant) =>
    constant === true || constant === 1 ? true : constant === false || constant === 0 ? false : undefined,
  inputSchemas: { boolean: input },
  operandSchema: input,
  outputSchema: () => ({ type: 'boolean' }),
  exportKind: 'text',
  form: { read: (text) => parseOr(text, () => text), schema: {} },
} as const satisfies FamilyRow<boolean>

export interface BooleanTypes {
  boolean: ValueTypes<boolean, boolean | VariableWord>
}

function operand(value: unknown) {
  const found = booleans.get(value)
  return found === undefined ? undefined : exactly(found)
}

const booleans: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  [false, false],
  ['true', true],
  ['false', false],
  [1, true],
  [0, false],
  ['1', true],
  ['0', false],
])
