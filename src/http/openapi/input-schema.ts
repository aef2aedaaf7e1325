// Schemas of values in payloads and filters: the forms that the families' readers accept, as far as a schema can express them.
import { type Family, fieldTypes } from '../../schema/field-types.ts'
import type { ValueType } from '../../schema/model.ts'
import { decimalGrammar } from '../../values/decimal.ts'
import { calendar, clock } from '../../values/moment.ts'
import { base64 } from '../../vocabulary/families.ts'
import { variables } from '../../vocabulary/variables.ts'
import { schemaNamed } from './component-names.ts'
import type { JsonSchema } from './document.ts'
import { geometryNamed } from './geometry-schemas.ts'
import { orNull, shapeOf } from './output-schema.ts'

/** Text without U+0000 or half a surrogate pair, which no database stores. */
const sound = { type: 'string', pattern: '^[^\\u0000\\ud800-\\udfff]*$' }
const withoutCommas = { type: 'string', pattern: '^[^,\\u0000\\ud800-\\udfff]*$' }
const plain = (type: string) => ({ type })
const like = ({ source }: RegExp): JsonSchema => ({ type: 'string', pattern: source })

const text: JsonSchema = { anyOf: [sound, plain('number'), plain('boolean')] }
const number: JsonSchema = { anyOf: [plain('number'), like(decimalGrammar)] }
const anyCase = '[0-9a-fA-F]'
const uuid: JsonSchema = {
  type: 'string',
  pattern: `^${anyCase}{8}-${anyCase}{4}-${anyCase}{4}-${anyCase}{4}-${anyCase}{12}$`,
}
const boolean: JsonSchema = { enum: [true, false, 'true', 'false', 1, 0, '1', '0'] }
const day = like(calendar)
const time: JsonSchema = { anyOf: [like(clock), day] }
const bytes = like(base64)

/** Whole number as text: digits, optionally with a point and zeros behind it. A schema cannot express which exponents yield whole
 *  numbers. */
const wholeText: JsonSchema = {
  type: 'string',
  pattern: '^[+-]?(?:[0-9]+(?:\\.0*)?|\\.0+|(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)[eE][+-]?[0-9]{1,4})$',
}
const wholeNumber = (bounds: JsonSchema): JsonSchema => ({
  anyOf: [{ type: 'integer', ...bounds }, wholeText],
})

/** Schemas of values in payloads, by family. */
const givenBy: Readonly<Record<Family, JsonSchema>> = {
  integer: wholeNumber({ minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }),
  float: number,
  decimal: number,
  text,
  csv: { anyOf: [text, { type: 'array', items: withoutCommas, not: { const: [''] } }] },
  uuid,
  boolean,
  date: day,
  time,
  dateTime: day,
  timestamp: day,
  json: { description: 'Any JSON value.', not: { type: 'null' } },
  hash: sound,
  binary: bytes,
  geometry: {
    anyOf: [geometryNamed(undefined), { type: 'string', description: 'The same as JSON text.' }],
  },
}

const wideInteger = wholeNumber({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })
/** Integers of 64 bits: a double cannot count them all exactly, so the greatest have to be text. */
const bigInteger = wholeNumber({ exclusiveMinimum: -(2 ** 63), exclusiveMaximum: 2 ** 63 })

/** Schemas of operands in filters, by family. Values of json and hash cannot be compared. */
const operandBy: Readonly<Partial<Record<Family, JsonSchema>>> = {
  integer: number,
  float: number,
  decimal: number,
  text,
  csv: text,
  uuid,
  boolean,
  date: day,
  time,
  dateTime: day,
  timestamp: day,
  binary: bytes,
  geometry: givenBy.geometry,
}

/** A variable such as `$NOW(-1 day)` or `$CURRENT_USER.team`, allowed for any value of a filter. */
const variable: JsonSchema = {
  type: 'string',
  pattern: `^(?:${Object.keys(variables)
    .map((name) => `\\${name}`)
    .join('|')})(?:\\.[^()]+|\\(.*\\))?$`,
  description: 'A variable.',
}

export function givenSchemas(): Readonly<Record<string, JsonSchema>> {
  const named = (prefix: string, schemas: Readonly<Record<string, JsonSchema>>) =>
    Object.entries(schemas).map(([family, schema]) => [`_${prefix}.${family}`, schema])
  const operands = Object.entries(operandBy).map(([family, schema]) => [
    family,
    { anyOf: [schema, schemaNamed('_variable')] },
  ])
  return Object.fromEntries([
    ...named('given', { ...givenBy, wideInteger, bigInteger }),
    ['_variable', variable],
    ...named('operand', Object.fromEntries(operands)),
  ])
}

export const operandOf = (family: Family): JsonSchema | undefined =>
  operandBy[family] && schemaNamed(`_operand.${family}`)

/** Returns the schema of a value that is not null. */
export function inputSchema(value: ValueType): JsonSchema {
  if (!value.isArray) return single(value)
  const element = { ...value, isArray: false, family: fieldTypes[value.type].family }
  return { type: 'array', items: orNull(single(element)) }
}

function single(value: ValueType): JsonSchema {
  const { type, family, values, length } = value
  if (values) return { enum: values.flatMap(formsOf) }
  const shape = shapeOf(type)
  if (shape !== undefined) return { anyOf: [geometryNamed(shape), { type: 'string' }] }
  const known = schemaNamed(`_given.${nameOf(value)}`)
  // Bytes have no characters to count.
  return length === undefined || family === 'binary' ? { ...known } : { ...known, maxLength: length }
}

const nameOf = ({ type, family, isWide }: ValueType): string => {
  if (type === 'bigInteger') return type
  return type === 'integer' && isWide ? 'wideInteger' : family
}

/** Returns a text, and other values that are read as that text. */
const formsOf = (text: string): readonly unknown[] => [
  text,
  ...[Number(text), true, false].filter((form) => String(form) === text),
]
