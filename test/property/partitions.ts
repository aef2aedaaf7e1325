// Every row meets a condition, or its opposite, or has no value: one of the three, never two.
import { operators } from '../../src/vocabulary/operators.ts'
import type { Column } from './columns.ts'
import { operandsFor, type Subject, subjectsOf } from './conditions.ts'
import type { Filter } from './table.ts'

/** Each operator beside its opposite. Two-way pairs leave no row undecided. */
export const opposites = [
  ['_eq', '_neq'],
  ['_in', '_nin'],
  ['_between', '_nbetween'],
  ['_contains', '_ncontains'],
  ['_icontains', '_nicontains'],
  ['_starts_with', '_nstarts_with'],
  ['_istarts_with', '_nistarts_with'],
  ['_ends_with', '_nends_with'],
  ['_iends_with', '_niends_with'],
] as const
const twoWay = [
  ['_null', '_nnull'],
  ['_empty', '_nempty'],
] as const

export interface Partition {
  readonly parts: readonly Filter[]
  /** Whether the negated part also holds what has no value. */
  readonly isTwoWay: boolean
}

/** The partitions of one column's rows. Of many operands a few will do: that each is right, other tests say. */
export function partitionsOf(column: Column): readonly Partition[] {
  return subjectsOf(column).flatMap((subject) => [...threeWays(subject), ...twoWays(subject)])
}

function threeWays({ place, operands }: Subject): readonly Partition[] {
  return opposites.flatMap(([plain, negated]) =>
    operandsFor(operators[plain].operand, operands)
      .filter((operand, index) => index % 12 === 0 && operand !== null && operand !== 'null')
      .map((operand) => ({
        parts: [place({ [plain]: operand }), place({ [negated]: operand }), place({ _null: true })],
        isTwoWay: false,
      })),
  )
}

function twoWays({ place }: Subject): readonly Partition[] {
  return twoWay.map(([plain, negated]) => ({
    parts: [place({ [plain]: true }), place({ [negated]: true })],
    isTwoWay: true,
  }))
}
