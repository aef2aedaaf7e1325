// Lists of texts that a column stores as one text, with commas between them.
import { type FamilyRow, sortable, type ValueTypes, wrongType } from './family-row.ts'
import { parseOr } from './json.ts'
import { anyText, compareText, limitText, textOperand } from './text.ts'

const expects = 'text, or a list of texts'
const shown = { type: 'string' }
const withoutCommas = { type: 'string', pattern: '^[^,\\u0000\\ud800-\\udfff]*$' }

export const csv = {
  fieldTypes: { csv: {} },
  groups: ['textual', ...sortable],
  expects,
  operand,
  compare: compareText,
  isEmpty: (value) => value === '',
  holdsNullText: true,
  store: (input, type) => {
    if (Array.isArray(input) && !isListable(input))
      return wrongType('a list of texts without commas, which separate them')
    const read = operand(input)
    return read ? limitText(read.at, type) : wrongType(expects)
  },
  show: (value) => (value === '' ? [] : String(value).split(',')),
  showInList: (value) => value,
  storages: [],
  inputSchemas: {
    csv: { anyOf: [anyText, { type: 'array', items: withoutCommas, not: { const: [''] } }] },
  },
  operandSchema: anyText,
  outputSchema: () => ({ type: 'array', items: shown }),
  elementSchema: () => ({}),
  exportKind: 'json',
  form: {
    read: (input) => (/^\s*\[/.test(input) ? parseOr(input, namesIn) : namesIn(input)),
    schema: { description: 'Texts with commas between them, or a list of them as JSON.' },
  },
} as const satisfies FamilyRow<string>

export interface CsvTypes {
  csv: ValueTypes<string[], string>
}

function operand(input: unknown) {
  return textOperand(isTextList(input) ? input.join(',') : input)
}

const isTextList = (input: unknown): input is string[] =>
  Array.isArray(input) && input.every((text) => typeof text === 'string')

/** True if a list can be read back from its text unchanged. */
const isListable = (texts: readonly unknown[]) =>
  [...texts].every((text) => typeof text === 'string' && !text.includes(',')) &&
  !(texts.length === 1 && texts[0] === '')

const namesIn = (input: string): readonly string[] =>
  input
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
