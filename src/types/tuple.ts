// Keys of several parts. No column has this type: each part is a column of its own.

import { parseJson } from '../values/guards.ts'
import { decimal } from './decimal.ts'
import {
  accepted,
  type ColumnType,
  type FamilyRow,
  type Operand,
  type OperandValue,
  type Storable,
  type TuplePart,
  wrongType,
} from './family-row.ts'
import { compareText } from './text.ts'

const expects = 'a list of the parts of a key'

export const tuple = {
  fieldTypes: {},
  groups: ['comparable'],
  expects,
  operand,
  compare: (left, right) => {
    for (const [index, one] of left.entries()) {
      const difference = comparePart(one, right[index] ?? one)
      if (difference !== 0) return difference
    }
    return 0
  },
  comparable: (value, type) => {
    const parts = eachPart(value, type, comparablePart)
    return parts?.every((part) => part !== null) ? parts : null
  },
  store: (input, type) => {
    const parts = eachPart(input, type, (part, { row, type: own }) => row.store(part, own))
    if (!parts) return wrongType(expectedOf(type))
    const values: Storable[] = []
    for (const part of parts) {
      if (part.kind === 'mistake') return { ...part, says: `${part.says} in each place of its key` }
      values.push(part.value)
    }
    return accepted(values)
  },
  show: (value, type) => eachPart(value, type, (part, { row, type: own }) => row.show?.(part, own) ?? part),
  storages: [],
  inputSchemas: {},
  operandSchema: {
    anyOf: [
      { type: 'array', items: { type: ['string', 'number', 'boolean'] }, minItems: 2 },
      { type: 'string', pattern: '^\\s*\\[' },
    ],
  },
  outputSchema: ({ parts = [] }) => tupleSchema(parts.map(({ row, type }) => row.outputSchema(type))),
  exportKind: 'json',
} as const satisfies FamilyRow<readonly OperandValue[]>

export const tupleSchema = (elements: readonly object[]) => ({
  type: 'array',
  prefixItems: elements,
  items: false,
  minItems: elements.length,
})

/** A text may be the JSON of the list, in which form keys stand in columns of text. */
function operand(input: unknown, type: ColumnType): Operand<readonly OperandValue[]> | undefined {
  const list = typeof input === 'string' ? parseJson(input) : input
  const read = eachPart(list, type, (part, { row, type: own }) => row.operand(part, own))
  const parts = read?.filter((part) => part !== undefined)
  if (!read || !parts || parts.length < read.length) return undefined
  // A tuple with a part between two values is equal to none.
  return { at: parts.map(({ at }) => at), exact: parts.every(({ exact }) => exact) }
}

/** Reads the parts of a list; undefined if it has another number of them, or one is missing. */
function eachPart<Read>(
  input: unknown,
  { parts = [] }: ColumnType,
  read: (input: NonNullable<unknown>, part: TuplePart) => Read,
): readonly Read[] | undefined {
  if (!Array.isArray(input) || input.length !== parts.length) return undefined
  const list: readonly unknown[] = input
  const made: Read[] = []
  for (const [index, part] of parts.entries()) {
    const one = list[index]
    if (one === null || one === undefined) return undefined
    made.push(read(one, part))
  }
  return made
}

function comparablePart(value: NonNullable<unknown>, { row, type }: TuplePart): OperandValue | null {
  return row.comparable ? row.comparable(value, type) : (row.operand(value, type)?.at ?? null)
}

/** Compares two parts. The row of the type is not at hand, but of all types of keys only decimals are objects. */
function comparePart(left: OperandValue, right: OperandValue): number {
  if (typeof left === 'string' && typeof right === 'string') return compareText(left, right)
  if (isDecimal(left) && isDecimal(right)) return decimal.compare(left, right)
  return left < right ? -1 : left > right ? 1 : 0
}

const isDecimal = (value: OperandValue): value is Parameters<typeof decimal.compare>[0] =>
  typeof value === 'object' && 'digits' in value

const expectedOf = ({ parts = [] }: ColumnType): string =>
  `a list of ${parts.length} values, the parts of a key`
