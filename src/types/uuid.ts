import { exactly, type FamilyRow, type JsonSchema, type ValueTypes, wrongType } from './family-row.ts'
import { compareText, limitText } from './text.ts'

const expects = 'a UUID'
const grammar = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const digit = '[0-9a-fA-F]'
const input: JsonSchema = {
  type: 'string',
  pattern: `^${digit}{8}-${digit}{4}-${digit}{4}-${digit}{4}-${digit}{12}$`,
}

/** UUIDs, in lower case wherever they are shown. */
export const uuid = {
  fieldTypes: { uuid: {} },
  groups: ['distinct', 'comparable'],
  expects,
  operand,
  compare: compareText,
  store: (value, type) => {
    const read = operand(value)
    return read ? limitText(read.at, type) : wrongType(expects)
  },
  storages: ['text', 'binary'],
  key: { isNamedSo: () => true },
  inputSchemas: { uuid: input },
  operandSchema: input,
  outputSchema: () => ({ type: 'string', format: 'uuid', pattern: grammar.source }),
  exportKind: 'text',
} as const satisfies FamilyRow<string>

export interface UuidTypes {
  uuid: ValueTypes<string, string>
}

function operand(value: unknown) {
  return typeof value === 'string' && grammar.test(value) ? exactly(value.toLowerCase()) : undefined
}
