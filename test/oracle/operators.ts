// What an operator says of one value.
import { compare, fold, isFalsy, textOf } from './values.ts'

type Test = (type: string, value: unknown, operand: unknown) => boolean

/** What can be said of a value that is there. */
const positive: Readonly<Record<string, Test>> = {
  _eq: equal,
  _lt: ordered((difference) => difference < 0),
  _lte: ordered((difference) => difference <= 0),
  _gt: ordered((difference) => difference > 0),
  _gte: ordered((difference) => difference >= 0),
  _in: (type, value, operand) => listOf(operand).some((element) => equal(type, value, element)),
  _between: (type, value, operand) => {
    const [least, most] = listOf(operand)
    return (
      ordered((difference) => difference >= 0)(type, value, least) &&
      ordered((difference) => difference <= 0)(type, value, most)
    )
  },
  _contains: onText((text, part) => text.includes(part)),
  _starts_with: onText((text, part) => text.startsWith(part)),
  _ends_with: onText((text, part) => text.endsWith(part)),
  _icontains: onText((text, part) => fold(text).includes(fold(part))),
  _istarts_with: onText((text, part) => fold(text).startsWith(fold(part))),
  _iends_with: onText((text, part) => fold(text).endsWith(fold(part))),
}

/** Each negated operator holds where its positive one does not, and there is a value. */
const negated: Readonly<Record<string, string>> = {
  _neq: '_eq',
  _nin: '_in',
  _nbetween: '_between',
  _ncontains: '_contains',
  _nstarts_with: '_starts_with',
  _nends_with: '_ends_with',
  _nicontains: '_icontains',
  _nistarts_with: '_istarts_with',
  _niends_with: '_iends_with',
}

/** With false they mean their opposite. */
const flags: Readonly<Record<string, (type: string, value: unknown) => boolean>> = {
  _null: (_, value) => value === null,
  _nnull: (_, value) => value !== null,
  _empty: (type, value) => value === null || isFalsy(type, value),
  _nempty: (type, value) => !(value === null || isFalsy(type, value)),
}

export const flagNames: readonly string[] = Object.keys(flags)
export const operatorNames: readonly string[] = [
  ...Object.keys(positive),
  ...Object.keys(negated),
  ...flagNames,
]
const known = new Set(operatorNames)
export const isOperator = (word: string): boolean => known.has(word)

/** An operand that is another field without a value: compared with it, nothing holds. */
export const absent = Symbol('absent')

export function holds(operator: string, operand: unknown, type: string, value: unknown): boolean {
  const flag = flags[operator]
  if (flag) return flag(type, value) === (operand !== false)
  if (operand === null) return operator === '_eq' ? value === null : value !== null
  // SQL's meaning: of what is not there, nothing holds, not even that it differs.
  if (value === null || operand === absent) return false
  const opposite = negated[operator]
  if (opposite) return !holds(opposite, operand, type, value)
  const test = positive[operator]
  if (!test) throw new Error(`no operator ${operator}`)
  return test(type, value, operand)
}

function equal(type: string, value: unknown, operand: unknown): boolean {
  return isComparable(type, value, operand) && compare(type, value, operand) === 0
}

function ordered(isInOrder: (difference: number) => boolean): Test {
  return (type, value, operand) =>
    isComparable(type, value, operand) && isInOrder(compare(type, value, operand))
}

/** In JSON the operand says what is compared; a value of another type is neither equal nor more nor less. */
function isComparable(type: string, value: unknown, operand: unknown): boolean {
  return type !== 'json' || typeof value === typeof operand
}

function onText(test: (text: string, part: string) => boolean): Test {
  return (type, value, operand) =>
    (type !== 'json' || typeof value === 'string') && test(textOf(value), String(operand))
}

/** A list, comma text, or one value. */
function listOf(operand: unknown): readonly unknown[] {
  if (Array.isArray(operand)) return operand
  return typeof operand === 'string' ? operand.split(',') : [operand]
}
