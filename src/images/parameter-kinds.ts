// Kinds of values of parameters and arguments. Addresses have text only, so numbers and flags may be written as text.
import { fault, type Path, quote } from '../errors/errors.ts'
import { nearest, suggestion } from '../errors/suggest.ts'
import { isRecord } from '../values/guards.ts'

/** A JSON Schema that refuses no valid value. */
export type KindSchema = Readonly<Record<string, unknown>>

export interface ParameterKind<Value> {
  /** A description of the valid values, for messages and the reference. */
  readonly says: string
  /** A JSON Schema of the valid values. */
  readonly schema: KindSchema
  /** Reads a value. Throws if it is not of this kind. */
  readonly read: (value: unknown, path: Path) => Value
}

export type ParameterValue<Input> = Input extends ParameterKind<infer Value> ? Value : never

interface NumberBounds {
  readonly min: number
  readonly max: number
}

export const number = (bounds: NumberBounds): ParameterKind<number> =>
  numbers(bounds, ['a number', 'number'], Number.isFinite)
export const whole = (bounds: NumberBounds): ParameterKind<number> =>
  numbers(bounds, ['a whole number', 'integer'], Number.isSafeInteger)

function numbers(
  { min, max }: NumberBounds,
  [what, type]: readonly [what: string, type: string],
  isOne: (value: number) => boolean,
): ParameterKind<number> {
  const schema = { type: [type, 'string'], minimum: min, maximum: max, pattern: decimal.source }
  return kind(`${what} from ${min} to ${max}`, schema, (value) => {
    const input = typeof value === 'string' && decimal.test(value) ? Number(value) : value
    const isGood = typeof input === 'number' && isOne(input) && input >= min && input <= max
    // Zero has one sign, or one request would have two names.
    return isGood ? input + 0 || 0 : undefined
  })
}

// Other texts that JavaScript takes for a number ("", "0x10", "1e3") are mistakes.
const decimal = /^-?(?:0|[1-9]\d{0,15})(?:\.\d{1,15})?$/

export const flag: ParameterKind<boolean> = kind(
  'true or false',
  { enum: [true, false, 'true', 'false'] },
  (value) => {
    if (value === true || value === 'true') return true
    return value === false || value === 'false' ? false : undefined
  },
)

export function word<const Words extends readonly string[]>(words: Words): ParameterKind<Words[number]> {
  const says = `one of ${words.join(', ')}`
  return {
    says,
    schema: { type: 'string', enum: words },
    read(value, path) {
      const found = words.find((one) => one === value)
      if (found !== undefined) return found
      const near = typeof value === 'string' ? nearest(value, words) : undefined
      throw wrong(path, says, value, near)
    },
  }
}

/** A list of values of one kind. For a fixed length, `min` and `max` are equal. */
export function list<Value>(
  of: ParameterKind<Value>,
  { min, max }: NumberBounds,
): ParameterKind<readonly Value[]> {
  const says = `a list of ${min === max ? min : `${min} to ${max}`}, each ${of.says}`
  return {
    says,
    schema: { type: 'array', minItems: min, maxItems: max, items: of.schema },
    read(value, path) {
      if (!Array.isArray(value) || value.length < min || value.length > max) throw wrong(path, says, value)
      return value.map((one: unknown, index) => of.read(one, [...path, index]))
    },
  }
}

type ObjectShape = Readonly<Record<string, ParameterKind<unknown>>>
export type ParameterMembers<Of extends ObjectShape> = {
  readonly [Name in keyof Of]: ParameterValue<Of[Name]>
}

export function members<Of extends ObjectShape>(shape: Of): ParameterKind<ParameterMembers<Of>> {
  const says = `{ ${Object.entries(shape)
    .map(([name, { says }]) => `${name}: ${says}`)
    .join('; ')} }`
  const properties = Object.fromEntries(Object.entries(shape).map(([name, { schema }]) => [name, schema]))
  return {
    says,
    schema: { type: 'object', properties, additionalProperties: false },
    read(value, path) {
      if (!isRecord(value)) throw wrong(path, 'an object', value)
      for (const name of Object.keys(value)) if (!Object.hasOwn(shape, name)) throw unknown(name, path, shape)
      const read = Object.entries(shape).map(
        ([name, { read }]) =>
          [name, read(Object.hasOwn(value, name) ? value[name] : undefined, [...path, name])] as const,
      )
      // Each member was read by the kind of its name.
      return Object.fromEntries(read) as ParameterMembers<Of>
    },
  }
}

function unknown(name: string, path: Path, shape: ObjectShape) {
  const names = Object.keys(shape)
  return fault('INVALID_QUERY', `There is no member ${quote(name)} here.`, {
    path: [...path, name],
    hint: suggestion(name, names) ?? `There are ${names.join(', ')}.`,
  })
}

/** A value that may be left out, and its default. */
export function optional<Value, const Absent>(
  { says, schema, read }: ParameterKind<Value>,
  absent: Absent,
  called = String(absent),
): ParameterKind<Value | Absent> {
  const shown = absent === undefined ? 'optional' : `${called} if left out`
  return {
    says: `${says} (${shown})`,
    schema: { anyOf: [schema, { type: 'null' }] },
    read: (value, path) => (value === undefined || value === null ? absent : read(value, path)),
  }
}

/** One of two kinds: `isFirst` decides for the first. */
export function either<One, Other>(
  isFirst: (value: unknown) => boolean,
  one: ParameterKind<One>,
  other: ParameterKind<Other>,
): ParameterKind<One | Other> {
  return {
    says: `${one.says}, or ${other.says}`,
    schema: { anyOf: [one.schema, other.schema] },
    read: (value, path) => (isFirst(value) ? one.read(value, path) : other.read(value, path)),
  }
}

/** A kind with a single reader; a refused value is reported with `says`. */
export function kind<Value>(
  says: string,
  schema: KindSchema,
  read: (value: unknown) => Value | undefined,
): ParameterKind<Value> {
  return {
    says,
    schema,
    read(value, path) {
      const found = read(value)
      if (found === undefined) throw wrong(path, says, value)
      return found
    },
  }
}

export function wrong(path: Path, says: string, value: unknown, near?: string) {
  const name = path.findLast((step) => typeof step === 'string') ?? 'This'
  const sentence =
    value === undefined
      ? `"${name}" takes ${says}, and it is missing.`
      : `"${name}" takes ${says}, not ${quote(value)}.`
  return fault('INVALID_QUERY', sentence, { path, hint: near && `Did you mean "${near}"?` })
}
