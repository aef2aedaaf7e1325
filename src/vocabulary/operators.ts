// The operators: one row each, with everything about the word. Types, documentation and tests are derived from here.
import type { Dialect } from '../dialects/dialect.ts'
import type { Column, MatchPosition, Reach, Sign } from '../dialects/phrase-types.ts'
import { type Sql, write } from '../dialects/sql.ts'
import { unreachable } from '../errors/errors.ts'
import { type Family, isEmptyValue } from '../types/families.ts'
import type { Operand, OperandValue } from '../types/family-row.ts'
import { foldCase } from '../values/fold.ts'
import type { Geometry } from '../values/geometry.ts'
import { boundsIntersect, intersects } from '../values/geometry-intersects.ts'
import { comparable, everything, known, ordered, textual } from './family-groups.ts'
import { type AnyOperator, type Bound, inverse, type Meaning, not, type Operator } from './operator.ts'

const equal = comparison('=', [...comparable, 'geometry'], (difference) => difference === 0)

const among = {
  operand: 'values',
  families: comparable,
  // In SQL nothing is in an empty list, not even NULL.
  decidesNull: true,
  sql: (dialect, column, list) => dialect.among(column, list),
  test: (value, list, meaning) => list.some((operand) => standing(value, operand, meaning) === 0),
} as const satisfies Operator<'values'>

const between = {
  operand: 'pair',
  families: ordered,
  sql: (dialect, column, [low, high]) =>
    write`(${compare(dialect, column, '>=', low)} and ${compare(dialect, column, '<=', high)})`,
  test: (value, [low, high], meaning) =>
    standing(value, low, meaning) >= 0 && standing(value, high, meaning) <= 0,
} as const satisfies Operator<'pair'>

const isNull = {
  operand: 'flag',
  families: everything,
  sql: (dialect, column) => dialect.isNull(column),
  test: (value) => value === null,
} as const satisfies Operator<'flag'>

const isEmpty = {
  operand: 'flag',
  families: known,
  sql: (dialect, column) => dialect.isEmpty(column),
  test: (value, _operand, meaning) => isEmptyValue(value, meaning.family),
} as const satisfies Operator<'flag'>

const contains = textMatch('anywhere', false)
const icontains = textMatch('anywhere', true)
const startsWith = textMatch('start', false)
const istartsWith = textMatch('start', true)
const endsWith = textMatch('end', false)
const iendsWith = textMatch('end', true)

const intersecting = spatial('intersects', intersects)
const boundsIntersecting = spatial('boundsIntersect', boundsIntersect)

export const operators = {
  /** Equals. */
  _eq: equal,
  /** Does not equal. */
  _neq: not(equal),
  /** Is less than. */
  _lt: comparison('<', ordered, (difference) => difference < 0),
  /** Is less than or equal to. */
  _lte: comparison('<=', ordered, (difference) => difference <= 0),
  /** Is greater than. */
  _gt: comparison('>', ordered, (difference) => difference > 0),
  /** Is greater than or equal to. */
  _gte: comparison('>=', ordered, (difference) => difference >= 0),
  /** Is one of a list. An empty list matches nothing. */
  _in: among,
  /** Is none of a list. An empty list matches everything that has a value. */
  _nin: not(among),
  /** Has no value. */
  _null: isNull,
  /** Has a value. */
  _nnull: inverse(isNull, (dialect, column) => dialect.isPresent(column)),
  /** Contains the text, taken literally. */
  _contains: contains,
  /** Does not contain the text. */
  _ncontains: not(contains),
  /** Contains the text, ignoring case. */
  _icontains: icontains,
  /** Does not contain the text, ignoring case. */
  _nicontains: not(icontains),
  /** Starts with the text. */
  _starts_with: startsWith,
  /** Does not start with the text. */
  _nstarts_with: not(startsWith),
  /** Starts with the text, ignoring case. */
  _istarts_with: istartsWith,
  /** Does not start with the text, ignoring case. */
  _nistarts_with: not(istartsWith),
  /** Ends with the text. */
  _ends_with: endsWith,
  /** Does not end with the text. */
  _nends_with: not(endsWith),
  /** Ends with the text, ignoring case. */
  _iends_with: iendsWith,
  /** Does not end with the text, ignoring case. */
  _niends_with: not(iendsWith),
  /** Lies between two values, or is one of them. */
  _between: between,
  /** Lies outside two values. */
  _nbetween: not(between),
  /** Has no value, or the falsy one of its type: `''`, `0`, `false`, `[]`, `{}`. */
  _empty: isEmpty,
  /** Has a value that is not falsy. */
  _nempty: inverse(isEmpty),
  /** Shares a point with a GeoJSON geometry. */
  _intersects: intersecting,
  /** Shares no point with a GeoJSON geometry. */
  _nintersects: not(intersecting),
  /** Its bounding box shares a point with the geometry's. */
  _intersects_bbox: boundsIntersecting,
  /** Its bounding box shares no point with the geometry's. */
  _nintersects_bbox: not(boundsIntersecting),
  /** Matches a regular expression. In validation and in memory only. */
  _regex: {
    operand: 'pattern',
    families: textual,
    sql: () => write`1 = 0`,
    test: (value, pattern) => value !== null && pattern.test(textOf(value)),
    memoryOnly: true,
  },
} as const satisfies Readonly<Record<`_${string}`, AnyOperator>>

export type OperatorName = keyof typeof operators

export function ignoresCase(name: OperatorName): boolean {
  const row: AnyOperator = operators[name]
  return row.ignoreCase === true
}

export const isOperator = (word: string): word is OperatorName => Object.hasOwn(operators, word)

export function operatorsOf(family: Family): OperatorName[] {
  return (Object.keys(operators) as OperatorName[]).filter((name) => worksOn(name, family))
}

export function worksOn(name: OperatorName, family: Family): boolean {
  const families: readonly Family[] = operators[name].families
  return families.includes(family)
}

function comparison<const Families extends readonly Family[]>(
  sign: Sign,
  families: Families,
  holds: (difference: number) => boolean,
) {
  return {
    operand: 'value',
    families,
    sql: (dialect, column, operand) => compare(dialect, column, sign, operand),
    test: (value, operand, meaning) => value !== null && holds(standing(value, operand, meaning)),
  } as const satisfies Operator<'value'>
}

/** Compares a column with an operand. An operand beyond the column's range decides the comparison, whatever the
 *  row's value is. */
function compare(dialect: Dialect, column: Column, sign: Sign, { slot, reach }: Bound<Operand>): Sql {
  const mayEqual = reach === 'within' || reach === 'last'
  if (mayEqual || (sign !== '=' && reach !== 'below' && reach !== 'above'))
    return dialect.compare(column, sign, slot, reach)
  // Not simply true or false: without a value the result stays null, as for every comparison.
  return beyond[reach].includes(sign)
    ? write`${column.sql} = ${column.sql}`
    : write`${column.sql} <> ${column.sql}`
}

const beyond: Readonly<Record<Exclude<Reach, 'within' | 'last'>, readonly Sign[]>> = {
  afterLast: [],
  between: [],
  below: ['>', '>='],
  above: ['<', '<='],
}

function textMatch(place: MatchPosition, ignoreCase: boolean) {
  return {
    operand: 'text',
    families: textual,
    ignoreCase,
    sql: (dialect, column, text) => dialect.match(column, place, ignoreCase, text),
    test: (value, text) => {
      const [whole, part] = ignoreCase ? [foldCase(textOf(value)), foldCase(text)] : [textOf(value), text]
      return value !== null && places[place](whole, part)
    },
  } as const satisfies Operator<'text'>
}

const places = {
  anywhere: (whole: string, part: string) => whole.includes(part),
  start: (whole: string, part: string) => whole.startsWith(part),
  end: (whole: string, part: string) => whole.endsWith(part),
} as const satisfies Record<MatchPosition, (whole: string, part: string) => boolean>

const textOf = (value: OperandValue | null) => (typeof value === 'string' ? value : '')

function spatial(
  phrase: 'intersects' | 'boundsIntersect',
  holds: (left: Geometry, right: Geometry) => boolean,
) {
  return {
    operand: 'geometry',
    families: ['geometry'],
    sql: (dialect, column, geometry) => {
      if (!dialect.geo) throw unreachable('geometry reached a dialect without it')
      return dialect.geo[phrase](column, geometry)
    },
    // Both sides were read by the geometry family, which makes nothing but geometries.
    test: (value, geometry) => value !== null && holds(value as Geometry, geometry.at as Geometry),
  } as const satisfies Operator<'geometry'>
}

/** Compares a value with an operand that may lie between two values of its grid. */
function standing(value: OperandValue | null, { at, exact }: Operand, { row }: Meaning): number {
  if (value === null) return Number.NaN
  const difference = row.compare(value, at)
  return exact || difference !== 0 ? difference : -1
}
