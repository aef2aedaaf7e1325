// The shape of what stands behind an operator. Whether it fits the field's type is decided later.
import { type Path, quote } from '../errors.ts'
import { isSound } from '../values/text.ts'
import type { OperandKind } from '../vocabulary/operator.ts'
import { type OperatorName, operators } from '../vocabulary/operators.ts'
import type { Json } from './query.ts'
import { isRecord, parseJson, type Reader, readList } from './reader.ts'

/** Reads an operand; undefined, with a problem noted, when its shape is wrong. `inJson`: it is compared with a value inside a JSON document. */
export function readOperand(
  operator: OperatorName,
  value: unknown,
  path: Path,
  reader: Reader,
  inJson: boolean,
): Json | undefined {
  return readers[operators[operator].operand]({ operator, value, path, reader, inJson })
}

interface Given {
  readonly operator: OperatorName
  readonly value: unknown
  readonly path: Path
  readonly reader: Reader
  readonly inJson: boolean
}

const readers: Readonly<Record<OperandKind, (given: Given) => Json | undefined>> = {
  value: (given) => (looksLikeGeometry(given.value) ? readGeoJson(given) : readScalar(given)),
  values: (given) => {
    const elements = readElements(given)
    const most = given.reader.limits.listOperand
    if (elements && elements.length > most)
      return refuse(given, `takes a list of at most ${most} values; this one has ${elements.length}`)
    return elements && readEach(given, elements)
  },
  pair: (given) => {
    const elements = readElements(given)
    if (elements && elements.length !== 2)
      return refuse(given, `takes exactly two values, not ${elements.length}`)
    return elements && readEach(given, elements)
  },
  text: (given) => {
    if (given.value === null) return refuse(given, 'takes text, not null')
    const scalar = readScalar({ ...given, inJson: false })
    return scalar === undefined ? undefined : String(scalar)
  },
  geometry: readGeoJson,
  flag: (given) => {
    const flag = flags.get(given.value)
    return flag ?? refuse(given, `takes true or false, not ${quote(given.value)}`)
  },
  pattern: (given) =>
    typeof given.value === 'string' ? readScalar(given) : refuse(given, 'takes a regular expression as text'),
}

const flags: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  [false, false],
  ['true', true],
  ['false', false],
  ['', true],
  [null, true],
])

function refuse({ operator, path, reader }: Given, sentence: string): undefined {
  reader.problems.add(path, `"${operator}" ${sentence}.`)
  return undefined
}

function readScalar(given: Given): string | number | boolean | null | undefined {
  const { value, inJson, reader } = given
  if (typeof value === 'string') {
    if (!isSound(value)) return refuse(given, 'cannot take text with U+0000 or half a surrogate pair')
    const most = reader.limits.textOperand
    if (Buffer.byteLength(value) > most) return refuse(given, `takes text of at most ${most} bytes`)
    // In a query string everything is text, and only a JSON value says by itself whether it is a number.
    return inJson && reader.isText ? jsonScalar(value) : value
  }
  if (typeof value === 'number')
    return Number.isFinite(value) ? value : refuse(given, `takes a finite number, not ${value}`)
  if (typeof value === 'boolean' || value === null) return value
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? refuse(given, 'takes a valid date') : value.toISOString()
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  return refuse(given, `takes a single value, not ${quote(value)}`)
}

function jsonScalar(text: string): string | number | boolean | null {
  if (!/^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(text)) return text
  const value: unknown = JSON.parse(text)
  const isExact = typeof value !== 'number' || Number.isFinite(value)
  return isExact ? (value as number | boolean | null) : text // the grammar above admits nothing else
}

/** Comma text is a list, and so is a single value. */
function readElements(given: Given): readonly unknown[] | undefined {
  const { value } = given
  const list = readList(value)
  if (list) return list
  if (typeof value === 'string') return isVariable(value) ? [value] : value.split(',')
  if (isRecord(value) || value === null) return refuse(given, `takes a list, not ${quote(value)}`)
  return [value]
}

// The commas of `$NOW(…)` are its own.
const isVariable = (value: string) => /^\$[A-Z_]+(?:\(.*\)|\..*)?$/s.test(value)

function readEach(given: Given, elements: readonly unknown[]): Json[] | undefined {
  const read: Json[] = []
  for (const [index, value] of elements.entries()) {
    const path = [...given.path, index]
    const element =
      value === null
        ? refuse({ ...given, path }, 'takes no null in its list; ask for "_null" beside it')
        : readScalar({ ...given, value, path })
    if (element === undefined) return undefined
    read.push(element)
  }
  return read
}

const looksLikeGeometry = (value: unknown) => isRecord(value) && typeof value['type'] === 'string'

function readGeoJson(given: Given): Json | undefined {
  const value =
    typeof given.value === 'string' && !given.value.startsWith('$') ? parseJson(given.value) : given.value
  if (!isRecord(value)) return refuse(given, `takes a GeoJSON geometry, not ${quote(given.value)}`)
  const text = JSON.stringify(value)
  if (Buffer.byteLength(text) > geometryText)
    return refuse(given, `takes a geometry of at most ${geometryText} bytes`)
  return JSON.parse(text) as Json // what JSON.stringify wrote
}

// Outlines of countries are long; a text operand's limit would refuse them.
const geometryText = 1_048_576
