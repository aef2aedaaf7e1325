// The values of each family in memory: reading an operand, reading an item's value, and comparing the two.
import type { Operand, OperandValue } from '../dialects/phrase-types.ts'
import type { Family } from '../schema/field-types.ts'
import type { ValueType } from '../schema/model.ts'
import { compareDecimals, type Decimal, floorDecimal, readDecimal } from '../values/decimal.ts'
import { readGeometry, sameGeometry } from '../values/geometry.ts'
import { day, type Moment, readMoment, readTime, snap } from '../values/moment.ts'
import { isBytes, isDate } from '../values/natives.ts'
import { isSound } from '../values/text.ts'

export interface FamilyRow {
  /** A description of a valid operand. */
  readonly expects: string
  /** Reads an operand; undefined if it cannot be of this family. */
  readonly operand: (given: unknown, type: ValueType) => Operand | undefined
  /** Compares two values of the family: negative, zero or positive. */
  readonly compare: (left: OperandValue, right: OperandValue) => number
}

/** One row per family. */
export const families = {
  integer: {
    expects: 'a whole number',
    operand: (given) => {
      if (typeof given === 'number' && Number.isSafeInteger(given)) return exactly(BigInt(given))
      const number = readDecimal(given)
      return number && floorDecimal(number)
    },
    compare: (left: bigint, right: bigint) => (left < right ? -1 : left > right ? 1 : 0),
  } satisfies FamilyDefinition<bigint>,
  float: {
    expects: 'a number',
    operand: (given) => {
      const number = readDecimal(given) && Number(given)
      return number !== undefined && Number.isFinite(number) ? exactly(number) : undefined
    },
    compare: subtract,
  } satisfies FamilyDefinition<number>,
  decimal: {
    expects: 'a number',
    operand: (given) => {
      const number = readDecimal(given)
      return number && exactly(number)
    },
    compare: compareDecimals,
  } satisfies FamilyDefinition<Decimal>,
  text: { expects: 'text', operand: textOperand, compare: compareText } satisfies FamilyDefinition<string>,
  csv: {
    expects: 'text, or a list of texts',
    operand: (given) => textOperand(isTextList(given) ? given.join(',') : given),
    compare: compareText,
  } satisfies FamilyDefinition<string>,
  uuid: {
    expects: 'a UUID',
    operand: (given) =>
      typeof given === 'string' && uuid.test(given) ? exactly(given.toLowerCase()) : undefined,
    compare: compareText,
  } satisfies FamilyDefinition<string>,
  boolean: {
    expects: 'true or false',
    operand: (given) => {
      const found = booleans.get(given)
      return found === undefined ? undefined : exactly(found)
    },
    compare: (left: boolean, right: boolean) => Number(left) - Number(right),
  } satisfies FamilyDefinition<boolean>,
  date: moments('a date such as 2024-02-29', readMoment, day),
  time: moments('a time such as 08:30:00', readTime, 1_000),
  dateTime: moments('a date and time such as 2024-02-29T08:30:00', readMoment, 1_000),
  timestamp: moments('a moment such as 2024-02-29T08:30:00Z', readMoment, 1),
  binary: {
    expects: 'base64 text',
    operand: (given) => {
      if (isBytes(given)) return exactly(Buffer.from(given).toString('base64'))
      return typeof given === 'string' && base64.test(given)
        ? exactly(Buffer.from(given, 'base64').toString('base64'))
        : undefined
    },
    compare: compareText,
  } satisfies FamilyDefinition<string>,
  geometry: {
    expects: 'a GeoJSON geometry',
    operand: (given) => {
      const geometry = readGeometry(typeof given === 'string' ? parsed(given) : given)
      return geometry && exactly(geometry)
    },
    compare: (left, right) => (sameGeometry(left, right) ? 0 : 1),
  } satisfies FamilyDefinition<NonNullable<ReturnType<typeof readGeometry>>>,
  json: whole('a JSON value is compared at a path, with "_json"'),
  hash: whole('a hash is not compared'),
}

interface FamilyDefinition<Value> {
  readonly expects: string
  readonly operand: (given: unknown, type: ValueType) => Operand<Value & OperandValue> | undefined
  readonly compare: (left: Value, right: Value) => number
}

/** The row of a family, without the types of its values: they only ever meet values that the same row has read. */
export function familyRow(family: Family): FamilyRow {
  return families[family] as FamilyRow
}

const exactly = <Value>(at: Value): Operand<Value> => ({ at, exact: true })

function moments(
  expects: string,
  read: (given: unknown) => Moment | undefined,
  grid: number,
): FamilyDefinition<number> {
  return {
    expects,
    operand: (given) => {
      const moment = read(given)
      return moment && snap(moment, grid)
    },
    compare: subtract,
  }
}

function whole(expects: string): FamilyDefinition<never> {
  return { expects, operand: () => undefined, compare: () => 0 }
}

function subtract(left: number, right: number): number {
  return left - right
}

function textOperand(given: unknown): Operand<string> | undefined {
  const text =
    typeof given === 'string'
      ? given
      : isDate(given)
        ? readDate(given)
        : isSimple(given)
          ? String(given)
          : undefined
  return text !== undefined && isSound(text) ? exactly(text) : undefined
}

const readDate = (given: Date) => (Number.isNaN(given.getTime()) ? undefined : given.toISOString())
// JSON reads 1e999 as an infinite number, and its digits are lost.
const isSimple = (given: unknown) =>
  Number.isFinite(given) || typeof given === 'bigint' || typeof given === 'boolean'
const isTextList = (given: unknown): given is string[] =>
  Array.isArray(given) && given.every((text) => typeof text === 'string')

export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const booleans: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  [false, false],
  ['true', true],
  ['false', false],
  [1, true],
  [0, false],
  ['1', true],
  ['0', false],
])

export const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Compares texts by code points. JavaScript's own order is by UTF-16 units, in which an emoji comes before U+FFFD. */
export function compareText(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) {
    const [one, other] = [left.charCodeAt(index), right.charCodeAt(index)]
    if (one !== other) return rank(one) - rank(other)
  }
  return left.length - right.length
}

// Surrogates represent code points above all others, so they are moved after U+FFFF.
const rank = (unit: number) => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x2800 : unit)
