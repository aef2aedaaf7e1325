import { type Path, quote } from '../errors/errors.ts'
import { isRecord, isSound, parseJson } from '../values/guards.ts'
import type { Json } from './query.ts'
import { keyMistake, type QueryReader, readList } from './reader.ts'

/** Reads a value that is JSON as a whole, not a filter. Undefined, with a problem reported, if JSON cannot represent it. */
export function readPlainJson(value: unknown, path: Path, reader: QueryReader, depth = 0): Json | undefined {
  if (depth > reader.limits.nesting) {
    return refuse(path, reader, `The value nests deeper than ${reader.limits.nesting} levels.`)
  }
  const list =
    Array.isArray(value) || (reader.isText && isRecord(value)) ? readList(value, reader) : undefined
  if (list) {
    return list.elements.map((one, index) => readPlainJson(one, [...path, index], reader, depth + 1) ?? null)
  }
  if (isRecord(value)) return readMembers(value, path, reader, depth)
  if (typeof value === 'string') return readText(value, path, reader, depth)
  if (typeof value === 'number' && Number.isFinite(value)) return withoutSignedZero(value)
  if (typeof value === 'boolean' || value === null) return value
  return refuse(path, reader, `JSON has no word for ${quote(value)}.`)
}

function readMembers(value: Record<string, unknown>, path: Path, reader: QueryReader, depth: number): Json {
  const members = Object.entries(value).map(([key, inner]): [string, Json] => {
    const at = [...path, key]
    const mistake = keyMistake(key, inner)
    if (mistake) reader.problems.add(at, mistake)
    return [key, mistake ? null : (readPlainJson(inner, at, reader, depth + 1) ?? null)]
  })
  return Object.fromEntries(members)
}

function readText(text: string, path: Path, reader: QueryReader, depth: number): Json | undefined {
  if (!isSound(text)) return refuse(path, reader, 'The value holds U+0000 or half a surrogate pair.')
  if (!reader.isText) return text
  const inside = /^\s*[[{]/.test(text) ? parseJson(text) : undefined
  return inside === undefined
    ? valueOfText(text)
    : readPlainJson(inside, path, { ...reader, isText: false }, depth)
}

function refuse(path: Path, reader: QueryReader, sentence: string): undefined {
  reader.problems.add(path, sentence)
  return undefined
}

/** The number, boolean or null that a text of a query string represents; else the text itself. */
export function valueOfText(text: string): string | number | boolean | null {
  if (!jsonScalar.test(text)) return text
  const value: unknown = JSON.parse(text)
  if (typeof value === 'number') return Number.isFinite(value) ? withoutSignedZero(value) : text
  return value as boolean | null // the grammar admits nothing else
}

const jsonScalar = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

/** Replaces -0 by 0. JSON text has no -0, so a query with one could not be serialized unchanged. */
export const withoutSignedZero = (value: number): number => (value === 0 ? 0 : value)
