// Bytes. As values they are lower-case hexadecimal digits, whose order is that of the bytes themselves; `encoding` decides their text form in
// requests and results.
import { fromBase64, fromHex, toBase64, toHex } from '../values/bytes.ts'
import { isBytes } from '../values/guards.ts'
import {
  accepted,
  type BinaryEncoding,
  exactly,
  type FamilyRow,
  type JsonSchema,
  type ValueTypes,
  wrongType,
} from './family-row.ts'
import { like } from './json-schemas.ts'
import { compareText } from './text.ts'

interface TextForm {
  readonly expects: string
  readonly grammar: RegExp
  /** The grammar of results. */
  readonly shown: JsonSchema
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/
const hex = /^(?:[0-9a-fA-F]{2})*$/

const forms = {
  base64: {
    expects: 'base64 text',
    grammar: base64,
    shown: { type: 'string', contentEncoding: 'base64' },
  },
  hex: {
    expects: 'hexadecimal digits, two for each byte',
    grammar: hex,
    shown: { type: 'string', contentEncoding: 'base16', pattern: '^(?:[0-9a-f]{2})*$' },
  },
} as const satisfies Record<BinaryEncoding, TextForm>

/** The beginning of bytes that a query holds as text before their field is known. No text form of bytes has a colon. */
const unnamed = 'data:;base64,'

/** Returns bytes as text that a field of either encoding reads. */
export const unnamedBytes = (bytes: Uint8Array): string => `${unnamed}${toBase64(bytes)}`

/** Bytes, in base64 or in hexadecimal digits wherever they are shown. */
export const binary = {
  fieldTypes: { binary: {} },
  groups: ['comparable'],
  expects: forms.base64.expects,
  expectsOf: ({ encoding }) => forms[encoding].expects,
  hintFor,
  operand,
  compare: compareText,
  isEmpty: (value) => value === '',
  store: (input, type) => {
    const read = operand(input, type)
    return read ? accepted(read.at) : wrongType(forms[type.encoding].expects, hintFor(input, type))
  },
  show: (value, { encoding }) => textOfDigits(String(value), encoding),
  storages: [],
  key: { isNamedSo: () => true },
  inputSchemas: { binary: like(base64), hexBinary: like(hex) },
  inputSchemaOf: ({ encoding }) => (encoding === 'hex' ? 'hexBinary' : 'binary'),
  // Two digits for each byte are base64, too.
  operandSchema: like(base64),
  outputSchema: ({ encoding }) => forms[encoding].shown,
  elementSchema: () => ({ type: 'string' }),
  exportKind: 'text',
} as const satisfies FamilyRow<string>

export interface BinaryTypes {
  binary: ValueTypes<string, string | Uint8Array, Uint8Array>
}

export const textOfDigits = (digits: string, encoding: BinaryEncoding): string =>
  encoding === 'hex' ? digits : toBase64(fromHex(digits))

function operand(input: unknown, { encoding }: { readonly encoding: BinaryEncoding }) {
  if (isBytes(input)) return exactly(toHex(input))
  if (typeof input !== 'string') return undefined
  if (input.startsWith(unnamed)) return operandIn(input.slice(unnamed.length), 'base64')
  return operandIn(input, encoding)
}

function operandIn(text: string, encoding: BinaryEncoding) {
  if (!forms[encoding].grammar.test(text)) return undefined
  return exactly(encoding === 'hex' ? text.toLowerCase() : toHex(fromBase64(text)))
}

/** Digits are often given with the prefix of a programming language or a database. */
function hintFor(input: unknown, { encoding }: { readonly encoding: BinaryEncoding }): string | undefined {
  const [, prefix] = /^(0x|\\x)[0-9a-f]*$/i.exec(typeof input === 'string' ? input : '') ?? []
  if (prefix === undefined) return undefined
  return encoding === 'hex'
    ? `Leave out "${prefix}".`
    : 'Bytes are base64 text here; the field option encoding: "hex" makes them hexadecimal digits.'
}
