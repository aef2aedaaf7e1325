// Filters of several conditions, drawn with a seed.
import fc from 'fast-check'
import { operators } from '../../src/vocabulary/operators.ts'
import { isLong, isShort } from '../support/long-runs.ts'
import type { Column } from './columns.ts'
import { operandsFor, operatorNames, subjectsOf } from './conditions.ts'
import type { Filter } from './table.ts'

export const seed = Number(process.env.QUERNEL_SEED ?? 1)
export const runs = Number(process.env.QUERNEL_RUNS ?? (isLong ? 1_000 : isShort ? 20 : 200))

/** As many filters as there are runs; one seed always draws the same. */
export function randomFilters(columns: readonly Column[]): readonly Filter[] {
  return fc.sample(
    fc.oneof({ weight: 1, arbitrary: condition(columns) }, { weight: 3, arbitrary: tree(columns) }),
    { seed, numRuns: runs },
  )
}

function condition(columns: readonly Column[]): fc.Arbitrary<Filter> {
  return fc
    .constantFrom(...columns)
    .chain((column) =>
      fc.constantFrom(...subjectsOf(column)).chain(({ place, operands }) => tests(operands).map(place)),
    )
}

/** One operator, or several on the same value. */
function tests(operands: readonly unknown[]): fc.Arbitrary<Filter> {
  // Operands that are refused are met by the exhaustive part; here they would only make the whole tree fall.
  const likely = operands.filter((operand) => operand !== null && typeof operand !== 'object')
  const one = fc.constantFrom(...operatorNames).chain((operator) => {
    const pool = operandsFor(operators[operator].operand, likely)
    return pool.length === 0
      ? fc.constant<Filter>({ _nnull: true })
      : fc.constantFrom(...pool).map((operand): Filter => ({ [operator]: operand }))
  })
  const several = fc.tuple(one, one).map(([left, right]): Filter => ({ ...left, ...right }))
  const joined = fc
    .tuple(fc.constantFrom('_and', '_or'), fc.array(one, { minLength: 1, maxLength: 3 }))
    .map(([word, parts]): Filter => ({ [word]: parts }))
  return fc.oneof(
    { weight: 5, arbitrary: one },
    { weight: 1, arbitrary: several },
    { weight: 1, arbitrary: joined },
  )
}

function tree(columns: readonly Column[]): fc.Arbitrary<Filter> {
  const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      condition(columns),
      fc
        .tuple(fc.constantFrom('_and', '_or'), fc.array(tie('filter'), { minLength: 1, maxLength: 4 }))
        .map(([word, parts]): Filter => ({ [word]: parts })),
    ),
  }))
  return filter
}
