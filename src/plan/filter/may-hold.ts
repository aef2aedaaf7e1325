// Judges rows in memory as far as it is known to be right: a row that is refused here meets no predicate in the database either. What cannot be
// judged may be so.

import type { Family } from '../../types/families.ts'
import { familyRow } from '../../types/families.ts'
import type { OperandValue } from '../../types/family-row.ts'
import type { AnyOperator } from '../../vocabulary/operator.ts'
import { type OperatorName, operators } from '../../vocabulary/operators.ts'
import { memoryOperand } from './evaluate.ts'
import type { Predicate, Test } from './predicate.ts'

/** A value of a row that cannot be judged. */
export const unknown: unique symbol = Symbol('unknown')

/** The values of a row, by column, in the form in which they compare. */
export type KnownValues = ReadonlyMap<string, OperandValue | null | typeof unknown>

/** False for a row that meets a predicate in no case. */
export type RowTest = (row: KnownValues) => boolean

/** A value that a row has if it meets a predicate. */
export interface NeededValue {
  readonly column: string
  readonly value: OperandValue
}

/** A predicate as it is judged in memory. */
export interface Judged {
  readonly mayHold: RowTest
  /** Values of which a row has one at least; undefined if it may have any. */
  readonly points: readonly NeededValue[] | undefined
  /** The columns that are looked at. */
  readonly columns: readonly string[]
}

/** Judges nothing: everything may hold. */
export const anyRow: Judged = { mayHold: () => true, points: undefined, columns: [] }

export interface MayHoldSetting {
  readonly negationMatchesNull: boolean
  /** True for a test whose column and operand compare in memory as they do in the database. */
  readonly isJudged: (test: Test) => boolean
}

/** Returns how a predicate is judged. */
export function judgedBy(predicate: Predicate, setting: MayHoldSetting): Judged {
  if (predicate.kind === 'test') return judgedTest(predicate, setting)
  if (predicate.kind === 'and') return allOf(predicate.parts.map((part) => judgedBy(part, setting)))
  if (predicate.kind === 'or') return oneOf(predicate.parts.map((part) => judgedBy(part, setting)))
  return anyRow
}

function allOf(all: readonly Judged[]): Judged {
  const parts = all.filter((part) => part !== anyRow)
  const [first, second, ...rest] = parts
  if (!first) return anyRow
  if (!second) return first
  const fewest = parts
    .flatMap(({ points }) => (points ? [points] : []))
    .reduce<Judged['points']>(
      (least, points) => (least && least.length <= points.length ? least : points),
      undefined,
    )
  const columns = parts.flatMap((part) => part.columns)
  if (rest.length === 0)
    return { mayHold: (row) => first.mayHold(row) && second.mayHold(row), points: fewest, columns }
  return { mayHold: (row) => parts.every(({ mayHold }) => mayHold(row)), points: fewest, columns }
}

export function oneOf(parts: readonly Judged[]): Judged {
  if (parts.includes(anyRow)) return anyRow
  const points = parts.map((part) => part.points)
  return {
    mayHold: (row) => parts.some(({ mayHold }) => mayHold(row)),
    points: points.includes(undefined) ? undefined : points.flatMap((some) => some ?? []),
    columns: parts.flatMap((part) => part.columns),
  }
}

function judgedTest(test: Test, { negationMatchesNull, isJudged }: MayHoldSetting): Judged {
  const { subject, operand } = test
  if (subject.kind !== 'field' || !canBeJudged(test) || !isJudged(test)) return anyRow
  const row: AnyOperator = operators[test.operator]
  const {
    column,
    value: { family },
  } = subject.field
  const meaning = { family, row: familyRow(family), negationMatchesNull }
  const compared = memoryOperand(operand) as never // an operator's row and its operand belong together
  const mayHold: RowTest = (values) => {
    const value = values.get(column) ?? null
    return value === unknown || row.test(value, compared, meaning)
  }
  return { mayHold, points: pointsOf(test, column), columns: [column] }
}

function pointsOf({ operator, operand }: Test, column: string): readonly NeededValue[] | undefined {
  if (operator === '_eq' && operand.kind === 'value')
    return operand.value.exact ? pointOf(column, operand.value.at) : []
  if (operator !== '_in' || operand.kind !== 'values' || operand.values.length > mostPoints) return undefined
  const points = operand.values.map(({ at, exact }) => (exact ? pointOf(column, at) : []))
  return points.includes(undefined) ? undefined : points.flatMap((point) => point ?? [])
}

/** A value that is no object equals one that looks the same. */
const pointOf = (column: string, value: OperandValue): readonly NeededValue[] | undefined =>
  typeof value === 'object' ? undefined : [{ column, value }]

const mostPoints = 100

const presence: readonly OperatorName[] = ['_null', '_nnull']
const equality: readonly OperatorName[] = [...presence, '_eq', '_neq', '_in', '_nin']
const order: readonly OperatorName[] = [...equality, '_lt', '_lte', '_gt', '_gte', '_between', '_nbetween']
const parts: readonly OperatorName[] = [
  ...equality,
  '_contains',
  '_ncontains',
  '_icontains',
  '_nicontains',
  '_starts_with',
  '_nstarts_with',
  '_istarts_with',
  '_nistarts_with',
  '_ends_with',
  '_nends_with',
  '_iends_with',
  '_niends_with',
]

/** The operators that are judged on each family. The order of texts is that of the database. */
const judgedOn: Partial<Record<Family, ReadonlySet<OperatorName>>> = {
  boolean: new Set(equality),
  uuid: new Set(equality),
  integer: new Set(order),
  date: new Set(order),
  time: new Set(order),
  dateTime: new Set(order),
  timestamp: new Set(order),
  text: new Set(parts),
}

/** True if values of a family can be judged at all. */
export const isJudgedFamily = (family: Family): boolean => judgedOn[family] !== undefined

/** Characters that a pattern may take for each other. */
const isStrange = /[\uFFFD-\uFFFF]/

const canBeJudged = ({ operator, subject, operand }: Test): boolean =>
  !(operand.kind === 'text' && isStrange.test(operand.text)) &&
  subject.kind === 'field' &&
  !subject.type.isArray &&
  subject.type.family === subject.field.value.family &&
  judgedOn[subject.type.family]?.has(operator) === true
