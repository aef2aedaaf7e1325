import { fromBase64, toBase64 } from '../values/bytes.ts'
import { isBytes } from '../values/guards.ts'
import { accepted, exactly, type FamilyRow, type ValueTypes, wrongType } from './family-row.ts'
import { like } from './json-schemas.ts'
import { compareText } from './text.ts'

const expects = 'base64 text'
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/

/** Bytes, in base64 wherever they are shown. */
export const binary = {
  fieldTypes: { binary: { doc: 'Bytes, as base64 text.' } },
  groups: ['comparable'],
  expects,
  operand,
  compare: compareText,
  isEmpty: (value) => value === '',
  store: (given) => {
    const read = operand(given)
    return read ? accepted(read.at) : wrongType(expects)
  },
  storages: [],
  inputSchemas: { binary: like(base64) },
  operandSchema: like(base64),
  outputSchema: () => ({ type: 'string', contentEncoding: 'base64' }),
  elementSchema: () => ({ type: 'string' }),
  exportKind: 'text',
} as const satisfies FamilyRow<string>

export interface BinaryTypes {
  binary: ValueTypes<string, string | Uint8Array, Uint8Array>
}

function operand(given: unknown) {
  if (isBytes(given)) return exactly(toBase64(given))
  return typeof given === 'string' && base64.test(given) ? exactly(toBase64(fromBase64(given))) : undefined
}
