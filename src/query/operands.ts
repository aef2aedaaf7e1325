// The shape of operands. Whether they fit the field's type is decided later.
import { type Path, quote } from '../errors/errors.ts'
import { toBase64 } from '../values/bytes.ts'
import {
  hasMoreBytes,
  isBytes,
  isDate,
  isLongerThan,
  isRecord,
  isSound,
  parseJson,
} from '../values/guards.ts'
import type { OperandKind } from '../vocabulary/operator.ts'
import { ignoresCase, type OperatorName, operators } from '../vocabulary/operators.ts'
import { readPlainJson, valueOfText, withoutSignedZero } from './plain-json.ts'
import type { Json } from './query.ts'
import { type ListInput, type QueryReader, readList } from './reader.ts'

/** Reads an operand; undefined, with a problem reported, if its shape is wrong. */
export function readOperand(input: OperandInput): Json | undefined {
  return readers[operators[input.operator].operand](input)
}

interface OperandInput {
  readonly operator: OperatorName
  readonly value: unknown
  readonly path: Path
  readonly reader: QueryReader
  /** True if it is compared with a value inside a JSON document. */
  readonly inJson: boolean
}

const readers: Readonly<Record<OperandKind, (input: OperandInput) => Json | undefined>> = {
  value: (input) => {
    const { value } = input
    if (!namesField(value)) return looksLikeGeometry(value) ? readGeoJson(input) : readValue(input)
    const { $field } = value
    if (typeof $field === 'string' && Object.keys(value).length === 1) return { $field }
    return refuse(input, 'takes the name of a field as { "$field": name }')
  },
  values: (input) => {
    const list = readElements(input)
    const max = input.reader.limits.listOperand
    const length = list?.elements.length ?? 0
    if (length > max) return refuse(input, `takes a list of at most ${max} values; this one has ${length}`)
    return list && readEach(input, list, readElement)
  },
  pair: (input) => {
    const list = readElements(input)
    if (list && list.elements.length !== 2) {
      return refuse(input, `takes exactly two values, not ${list.elements.length}`)
    }
    return list && readEach(input, list, readElement)
  },
  text: readText,
  geometry: readGeoJson,
  flag: (input) => flags.get(input.value) ?? refuse(input, `takes true or false, not ${quote(input.value)}`),
  pattern: (input) =>
    typeof input.value === 'string'
      ? readText(input)
      : refuse(input, `takes a regular expression as text, not ${quote(input.value)}`),
}

export const namesField = (value: unknown): value is { readonly $field: unknown } =>
  isRecord(value) && '$field' in value

const flags: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  [false, false],
  ['true', true],
  ['false', false],
  ['', true],
  [null, true],
])

function refuse({ operator, path, reader }: OperandInput, sentence: string): undefined {
  reader.problems.add(path, `"${operator}" ${sentence}.`)
  return undefined
}

function readText(input: OperandInput): string | undefined {
  const { value } = input
  if (value === null || isRecord(value) || Array.isArray(value)) {
    return refuse(input, `takes text, not ${quote(value)}`)
  }
  const scalar = readScalar({ ...input, inJson: false })
  if (scalar === undefined) return undefined
  const text = String(scalar)
  const max = input.reader.limits.searchOperand
  return ignoresCase(input.operator) && isLongerThan(max, text)
    ? refuse(input, `takes at most ${max} characters`)
    : text
}

/** A single value, or the parts of a key. */
function readValue(input: OperandInput): Json | undefined {
  const { value, reader, inJson } = input
  const isList = Array.isArray(value) || (reader.isText && isRecord(value))
  const list = isList && !inJson ? readList(value, reader) : undefined
  return list && list.elements.length > 1 ? readEach(input, list, readScalar) : readScalar(input)
}

type ScalarOperand = string | number | boolean | null

function readScalar(input: OperandInput): ScalarOperand | undefined {
  const { value, inJson, reader } = input
  // In a query string everything is text, and only a value inside JSON has a type of its own.
  if (typeof value === 'string') {
    const text = readSound(input, value)
    return text !== undefined && inJson && reader.isText ? valueOfText(text) : text
  }
  if (typeof value === 'number') {
    return Number.isFinite(value)
      ? withoutSignedZero(value)
      : refuse(input, `takes a finite number, not ${value}`)
  }
  if (typeof value === 'boolean' || value === null) return value
  if (typeof value === 'bigint')
    return Number.isSafeInteger(Number(value)) ? Number(value) : readSound(input, String(value))
  if (isDate(value)) {
    return Number.isNaN(value.getTime()) ? refuse(input, 'takes a valid date') : value.toISOString()
  }
  if (isBytes(value)) return readBytes(input, value)
  return refuse(input, `takes a single value, not ${quote(value)}`)
}

function readBytes(input: OperandInput, bytes: Uint8Array): string | undefined {
  const base64 = readSound(input, toBase64(bytes))
  return base64 === undefined || input.inJson ? base64 : input.reader.bytesAsText(bytes)
}

function readSound(input: OperandInput, text: string): string | undefined {
  const max = input.reader.limits.textOperand
  if (hasMoreBytes(max, text)) return refuse(input, `takes text of at most ${max} bytes`)
  return isSound(text) ? text : refuse(input, 'cannot take text with U+0000 or half a surrogate pair')
}

/** The elements of a list. Comma-separated text is a list, and so is a single value. */
function readElements(input: OperandInput): ListInput | undefined {
  const { value, reader } = input
  const list = readList(value, reader)
  if (list) return list
  if (isRecord(value) || value === null) return refuse(input, `takes a list, not ${quote(value)}`)
  return { elements: typeof value === 'string' ? value.split(',') : [value], isText: reader.isText }
}

/** An element of a list: a single value, or the parts of a key. */
function readElement(input: OperandInput): Json | undefined {
  const { value, inJson } = input
  return Array.isArray(value) && value.length > 1 && !inJson
    ? readEach(input, { elements: value, isText: input.reader.isText }, readScalar)
    : readScalar(input)
}

function readEach(
  input: OperandInput,
  { elements, isText }: ListInput,
  readOne: (input: OperandInput) => Json | undefined,
): Json[] | undefined {
  const reader = { ...input.reader, isText }
  const read: Json[] = []
  for (const [index, value] of elements.entries()) {
    const at = { ...input, reader, path: [...input.path, index] }
    const element = readOne({ ...at, value })
    // Null is neither equal nor unequal to anything, so a list with it would not mean what it says.
    if (element === null) refuse(at, 'takes no null in its list; ask for "_null" beside it')
    if (element === undefined || element === null) return undefined
    read.push(element)
  }
  return read
}

const looksLikeGeometry = (value: unknown) => isRecord(value) && typeof value.type === 'string'

/** True for a geometry, also where an object could be a filter on related items: there, no name has a bare list. */
export const isGeometry = (value: object): boolean =>
  isRecord(value) &&
  typeof value.type === 'string' &&
  [value.coordinates, value.geometries].some(Array.isArray)

function readGeoJson(input: OperandInput): Json | undefined {
  const { value, path, reader } = input
  const parsed = typeof value === 'string' ? parseJson(value) : value
  if (!isRecord(parsed)) return refuse(input, `takes a GeoJSON geometry, not ${quote(value)}`)
  const isText = reader.isText && typeof value !== 'string'
  const geometry = readPlainJson(parsed, path, { ...reader, isText })
  if (geometry === undefined || !hasMoreBytes(geometryText, JSON.stringify(geometry))) return geometry
  return refuse(input, `takes a geometry of at most ${geometryText} bytes`)
}

// Outlines of countries are long; a text operand's limit would refuse them.
const geometryText = 1_048_576
