// Values of types that only the database knows, such as network addresses, ranges, intervals and those of extensions: text in the form in
// which the database writes them.
import { isSound } from '../values/guards.ts'
import {
  accepted,
  exactly,
  type FamilyRow,
  type JsonSchema,
  type ValueTypes,
  wrongType,
} from './family-row.ts'
import { compareText, soundText } from './text.ts'

const expects = "text in the form of the database's type"
const shown = { type: 'string' }
const input: JsonSchema = { anyOf: [soundText, { type: 'number' }] }

/** Values of a type with an equality of its own. In memory they are equal where their texts are. */
export const other = {
  fieldTypes: {
    other: {},
  },
  groups: ['comparable'],
  expects,
  operand,
  compare: compareText,
  store,
  storages: [],
  key: { isNamedSo: () => true },
  inputSchemas: { other: input },
  operandSchema: input,
  outputSchema: () => shown,
  exportKind: 'text',
} as const satisfies FamilyRow<string>

/** Values of a type without equality, which can only be compared to null. */
export const opaque = {
  fieldTypes: {
    opaque: {},
  },
  groups: [],
  expects: 'no operand, because such values are not compared',
  operand: () => undefined,
  compare: () => 0,
  comparable: String,
  store,
  storages: [],
  inputSchemas: { opaque: input },
  outputSchema: () => shown,
  exportKind: 'text',
} as const satisfies FamilyRow

export interface OtherTypes {
  other: ValueTypes<string, string | number, number>
  opaque: ValueTypes<string, never, number>
}

const foreign = ['other', 'opaque'] as const
type Foreign = (typeof foreign)[number]

/** True for a family whose values only the database knows. */
export const isForeign = (family: string): family is Foreign => foreign.some((one) => one === family)

/** A number may be money, or the number of an object. */
function operand(input: unknown) {
  if (typeof input === 'string') return isSound(input) ? exactly(input) : undefined
  return Number.isFinite(input) || typeof input === 'bigint' ? exactly(String(input)) : undefined
}

function store(input: unknown) {
  const read = operand(input)
  return read ? accepted(read.at) : wrongType(expects)
}
