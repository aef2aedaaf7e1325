// Makes conditions out of the operator table: all of a column's, or any.
import type { OperandKind } from '../../src/vocabulary/operator.ts'
import { type OperatorName, operators } from '../../src/vocabulary/operators.ts'
import type { Column } from './columns.ts'
import type { Filter } from './table.ts'

export const operatorNames = Object.keys(operators) as OperatorName[]

/** Puts the operators where a subject takes them: a field, a function of one, a path inside. */
export type Place = (tests: Filter) => Filter

export interface Subject {
  readonly place: Place
  readonly operands: readonly unknown[]
}

const parts = [
  0,
  1,
  2,
  4,
  5,
  6,
  7,
  12,
  15,
  29,
  30,
  31,
  52,
  53,
  59,
  365,
  1969,
  1970,
  2023,
  2024,
  9999,
  '2024',
  2024.5,
  '12',
  null,
  'x',
  1e300,
]

/** Everything about a column that can be asked for, with what it is compared with. */
export function subjectsOf({ name, operands, functions = [], paths = [] }: Column): readonly Subject[] {
  return [
    { place: (tests) => ({ [name]: tests }), operands },
    ...functions.map(
      (word, at): Subject => ({
        place: (tests) => ({ [`${word}(${name})`]: tests }),
        operands: parts.filter((_, index) => index % 2 === at % 2),
      }),
    ),
    ...paths.map(
      (path, at): Subject => ({
        place: (tests) => ({ [`json(${name}, ${path})`]: tests }),
        // The first path meets every operand; the others show that they lead where they should.
        operands: operands.filter((_, index) => at === 0 || index % 5 === at % 5),
      }),
    ),
    ...paths.slice(0, 4).map(
      (path): Subject => ({
        place: (tests) => ({ [name]: { _json: { [path]: tests } } }),
        operands: operands.slice(0, 5),
      }),
    ),
  ]
}

/** Every operator with every operand; lists and pairs are chosen so that each operand meets several others. */
export function exhaustive(column: Column): readonly Filter[] {
  return subjectsOf(column).flatMap(({ place, operands }) =>
    operatorNames.flatMap((operator) =>
      operandsFor(operators[operator].operand, operands).map((operand) => place({ [operator]: operand })),
    ),
  )
}

export function operandsFor(kind: OperandKind, pool: readonly unknown[]): readonly unknown[] {
  return makers[kind](pool)
}

const makers: Readonly<Record<OperandKind, (pool: readonly unknown[]) => readonly unknown[]>> = {
  value: (pool) => pool,
  text: (pool) => pool,
  values: (pool) => [
    [],
    ...pool.map((one) => [one]),
    ...everyThird(pool).map((one, index) => [one, at(pool, index * 7 + 3), at(pool, index + 1)]),
  ],
  pair: (pool) => [
    [at(pool, 1), at(pool, 0)],
    ...pool.map((one) => [one, one]),
    ...everyThird(pool).map((one, index) => [at(pool, index * 5), one]),
  ],
  flag: () => [true, false, 'true', 'false', ''],
  // Neither database has geometry.
  geometry: () => [],
  pattern: () => [],
}

const everyThird = (pool: readonly unknown[]) => pool.filter((_, index) => index % 3 === 0)
const at = (pool: readonly unknown[], index: number) => pool[index % pool.length]
