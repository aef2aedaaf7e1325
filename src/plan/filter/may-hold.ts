// Checks rows in memory, where the result is sure to be that of the database: a row that is rejected here does not match there either. A
// condition that cannot be checked here counts as matching.

import type { Family } from '../../types/families.ts'
import type { Operand, OperandValue } from '../../types/family-row.ts'
import { type OperatorName, operators, operatorsOf } from '../../vocabulary/operators.ts'
import { testOf } from './evaluate.ts'
import type { Predicate, Test } from './predicate.ts'

/** A value of a row that cannot be compared. */
export const unknown: unique symbol = Symbol('unknown')

/** A value of a row, in the form in which it compares. */
export type MemoryValue = OperandValue | null | typeof unknown

/** The values of a row, by column. */
export class KnownValues {
  readonly #values: ReadonlyMap<string, MemoryValue>
  /** Those that are numbers, or whole numbers that are numbers exactly: these compare much faster. */
  readonly #numbers = new Map<string, number>()
  readonly #inOrder: ReadonlySet<string>

  /** `inOrder`: the columns by whose values the database sorts as memory does. */
  constructor(values: ReadonlyMap<string, MemoryValue>, inOrder: ReadonlySet<string> = new Set()) {
    this.#values = values
    this.#inOrder = inOrder
    for (const [column, value] of values) {
      const number = exactNumber(value)
      if (number !== undefined) this.#numbers.set(column, number)
    }
  }

  /** A column that was not read has no value. */
  get(column: string): MemoryValue {
    return this.#values.get(column) ?? null
  }

  /** Returns a value by which the database sorts as memory does. */
  inOrder(column: string): MemoryValue {
    return this.#inOrder.has(column) ? this.get(column) : unknown
  }

  /** Returns a value that is a number, or is one exactly. */
  number(column: string): number | undefined {
    return this.#numbers.get(column)
  }
}

function exactNumber(value: MemoryValue): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : undefined
}

/** False for a row that meets a predicate in no case. */
export type RowTest = (row: KnownValues) => boolean

/** A value that a row has if it meets a predicate. */
interface NeededValue {
  readonly column: string
  readonly value: OperandValue
}

export interface RowMatcher {
  readonly mayHold: RowTest
  /** Values of which a row has one at least; undefined if it may have any. */
  readonly points: readonly NeededValue[] | undefined
  readonly columns: readonly string[]
}

/** Checks nothing: everything may hold. */
export const anyRow: RowMatcher = { mayHold: () => true, points: undefined, columns: [] }

interface MayHoldSetting {
  readonly negationMatchesNull: boolean
  /** True for a test whose column and operand compare in memory as they do in the database. */
  readonly isComparable: (test: Test) => boolean
}

export function rowMatcher(predicate: Predicate, setting: MayHoldSetting): RowMatcher {
  if (predicate.kind === 'test') return testMatcher(predicate, setting)
  if (predicate.kind === 'and') return allOf(predicate.parts.map((part) => rowMatcher(part, setting)))
  if (predicate.kind === 'or') return oneOf(predicate.parts.map((part) => rowMatcher(part, setting)))
  return anyRow
}

function allOf(all: readonly RowMatcher[]): RowMatcher {
  const parts = all.filter((part) => part !== anyRow)
  const [first, second, ...rest] = parts
  if (!first) return anyRow
  if (!second) return first
  const fewest = parts
    .flatMap(({ points }) => (points ? [points] : []))
    .reduce<RowMatcher['points']>(
      (min, points) => (min && min.length <= points.length ? min : points),
      undefined,
    )
  const columns = parts.flatMap((part) => part.columns)
  if (rest.length === 0)
    return { mayHold: (row) => first.mayHold(row) && second.mayHold(row), points: fewest, columns }
  return { mayHold: (row) => parts.every(({ mayHold }) => mayHold(row)), points: fewest, columns }
}

export function oneOf(parts: readonly RowMatcher[]): RowMatcher {
  if (parts.includes(anyRow)) return anyRow
  const points = parts.map((part) => part.points)
  return {
    mayHold: (row) => parts.some(({ mayHold }) => mayHold(row)),
    points: points.includes(undefined) ? undefined : points.flatMap((some) => some ?? []),
    columns: parts.flatMap((part) => part.columns),
  }
}

function testMatcher(test: Test, setting: MayHoldSetting): RowMatcher {
  const { subject } = test
  if (subject.kind !== 'field' || !canBeCompared(test) || !setting.isComparable(test)) return anyRow
  const { column } = subject.field
  const passes = testOf(test, setting)
  const plain: RowTest = (values) => {
    const value = values.get(column)
    return value === unknown || passes(value)
  }
  const ofNumber = numberTest(test)
  const mayHold: RowTest = ofNumber
    ? (values) => {
        const number = values.number(column)
        return number === undefined ? plain(values) : ofNumber(number)
      }
    : plain
  return { mayHold, points: pointsOf(test, column), columns: [column] }
}

/** Returns the test of a number by operands that are numbers exactly; undefined for others. */
function numberTest({ operator, operand }: Test): ((number: number) => boolean) | undefined {
  if (operand.kind === 'value') {
    const [bound] = numbersIn([operand.value])
    return bound === undefined ? undefined : comparisons[operator]?.(bound)
  }
  if (operand.kind === 'pair') {
    const [low, high] = numbersIn([operand.low, operand.high])
    if (low === undefined || high === undefined) return undefined
    if (operator === '_between') return (number) => number >= low && number <= high
    return operator === '_nbetween' ? (number) => number < low || number > high : undefined
  }
  if (operand.kind !== 'values') return undefined
  const numbers = new Set(numbersIn(operand.values))
  if (numbers.has(undefined)) return undefined
  if (operator === '_in') return (number) => numbers.has(number)
  return operator === '_nin' ? (number) => !numbers.has(number) : undefined
}

const numbersIn = (operands: readonly Operand[]): readonly (number | undefined)[] =>
  operands.map(({ at, exact }) => (exact ? exactNumber(at) : undefined))

const comparisons: Partial<Record<OperatorName, (bound: number) => (number: number) => boolean>> = {
  _eq: (bound) => (number) => number === bound,
  _neq: (bound) => (number) => number !== bound,
  _lt: (bound) => (number) => number < bound,
  _lte: (bound) => (number) => number <= bound,
  _gt: (bound) => (number) => number > bound,
  _gte: (bound) => (number) => number >= bound,
}

function pointsOf({ operator, operand }: Test, column: string): readonly NeededValue[] | undefined {
  if (operator === '_eq' && operand.kind === 'value')
    return operand.value.exact ? pointOf(column, operand.value.at) : []
  if (operator !== '_in' || operand.kind !== 'values' || operand.values.length > maxPoints) return undefined
  const points = operand.values.map(({ at, exact }) => (exact ? pointOf(column, at) : []))
  return points.includes(undefined) ? undefined : points.flatMap((point) => point ?? [])
}

/** A value that is no object equals one that looks the same. */
const pointOf = (column: string, value: OperandValue): readonly NeededValue[] | undefined =>
  typeof value === 'object' ? undefined : [{ column, value }]

const maxPoints = 100

const presence: readonly OperatorName[] = ['_null', '_nnull']
const equality: readonly OperatorName[] = [...presence, '_eq', '_neq', '_in', '_nin']
const order: readonly OperatorName[] = [...equality, '_lt', '_lte', '_gt', '_gte', '_between', '_nbetween']
const parts = operatorsOf('text').filter(
  (name) => operators[name].operand === 'text' || equality.includes(name),
)

/** The operators that are compared on each family. The order of texts is that of the database. */
const operatorsInMemory: Partial<Record<Family, ReadonlySet<OperatorName>>> = {
  boolean: new Set(equality),
  uuid: new Set(equality),
  integer: new Set(order),
  date: new Set(order),
  time: new Set(order),
  dateTime: new Set(order),
  timestamp: new Set(order),
  text: new Set(parts),
}

/** True if values of a family can be compared at all. */
export const isComparableFamily = (family: Family): boolean => operatorsInMemory[family] !== undefined

/** Characters that a pattern may take for each other. */
const isStrange = /[\uFFFD-\uFFFF]/

const canBeCompared = ({ operator, subject, operand }: Test): boolean =>
  operand.kind !== 'field' &&
  !(operand.kind === 'text' && isStrange.test(operand.text)) &&
  subject.kind === 'field' &&
  !subject.type.isArray &&
  subject.type.family === subject.field.value.family &&
  operatorsInMemory[subject.type.family]?.has(operator) === true
