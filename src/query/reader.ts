// The context that all readers of a query share: the limits, the problems, and the form of the input.
import { type Path, quote } from '../errors/errors.ts'
import { Problems } from '../errors/problems.ts'
import { poisonousNames } from '../schema/forbidden-names.ts'
import { unnamedBytes } from '../types/binary.ts'
import { isRecord, isSound, parseJson } from '../values/guards.ts'
import type { Limits } from './limits.ts'

export interface QueryReader {
  readonly limits: Limits
  readonly problems: Problems
  /** True if the values are pieces of a query string, in which everything is text. */
  readonly isText: boolean
  /** Writes bytes as text. By default in a form that fields of either encoding read. */
  readonly bytesAsText: (bytes: Uint8Array) => string
}

export const newReader = (limits: Limits, isText: boolean): QueryReader => ({
  limits,
  problems: new Problems('INVALID_QUERY'),
  isText,
  bytesAsText: unnamedBytes,
})

type ObjectEntry = readonly [key: string, value: unknown, isText: boolean]

/** Reads the entries of an object: an object, its JSON text, or, in a query string, several of both. Each entry
 *  says whether its value is still text of a query string. Undefined, with a problem reported, if it is none of
 *  these. */
export function readObject(
  value: unknown,
  path: Path,
  reader: QueryReader,
  what: string,
): readonly ObjectEntry[] | undefined {
  if (typeof value === 'string') return fromJson(value, path, reader, what)
  if (Array.isArray(value) && value.length === 0) return []
  if (Array.isArray(value) && reader.isText) return merged(value, path, reader, what)
  if (!isRecord(value)) {
    reader.problems.add(path, `${what} is an object, not ${quote(value)}.`)
    return undefined
  }
  if (reader.isText && Object.hasOwn(value, '')) {
    const { '': texts, ...rest } = value
    return merged([texts, rest].flat(), path, reader, what)
  }
  return safeEntries(value, path, reader)
}

/** Merges several objects given for one, in any form. Each name may occur in only one of them. */
function merged(
  parts: readonly unknown[],
  path: Path,
  reader: QueryReader,
  what: string,
): readonly ObjectEntry[] | undefined {
  const entries: ObjectEntry[] = []
  const seen = new Set<string>()
  for (const part of parts) {
    // A list inside the list has no meaning, and must not be flattened again.
    const read = Array.isArray(part) ? undefined : readObject(part, path, reader, what)
    if (Array.isArray(part)) reader.problems.add(path, `${what} is an object, not ${quote(part)}.`)
    for (const entry of read ?? []) {
      if (seen.has(entry[0])) reader.problems.add([...path, entry[0]], `${quote(entry[0])} is given twice.`)
      seen.add(entry[0])
      entries.push(entry)
    }
  }
  return entries
}

function fromJson(
  text: string,
  path: Path,
  reader: QueryReader,
  what: string,
): readonly ObjectEntry[] | undefined {
  if (text.trim() === '') return []
  const value = parseJson(text)
  if (Array.isArray(value) && value.length === 0) return []
  if (!isRecord(value)) {
    const mistake = value === undefined ? 'is not valid JSON' : 'is neither'
    reader.problems.add(path, `${what} is an object, or the JSON text of one; ${quote(text)} ${mistake}.`)
    return undefined
  }
  const excess = excessOf(value, reader.limits)
  if (excess) {
    reader.problems.add(path, `${what} ${excess}.`)
    return undefined
  }
  return safeEntries(value, path, { ...reader, isText: false })
}

/** The entries of an object, without those whose names may not be used. */
export function safeEntries(value: Record<string, unknown>, path: Path, reader: QueryReader): ObjectEntry[] {
  const entries: ObjectEntry[] = []
  for (const [key, inner] of Object.entries(value)) {
    const mistake = keyMistake(key, inner)
    if (mistake) reader.problems.add([...path, key], mistake)
    else entries.push([key, inner, reader.isText])
  }
  return entries
}

/** The problem of an entry of any object in a query, whatever its meaning. */
export function keyMistake(key: string, value: unknown): string | undefined {
  if (poisonousNames.has(key)) return `The name ${quote(key)} cannot be used.`
  if (!isSound(key)) return `The name ${quote(key)} holds U+0000 or half a surrogate pair.`
  // A condition that is silently left out would widen what is read or deleted.
  return value === undefined
    ? `${quote(key)} is undefined; to say nothing about it, leave it out.`
    : undefined
}

/** The reason, in words, why a value is too deep or too large to be read; undefined if it is not. Walks without
 *  recursion, because the input may be as deep as memory is large, or circular. */
export function excessOf(
  value: unknown,
  limits: Limits,
  nesting: number = limits.nesting,
): string | undefined {
  let level: unknown[] = [value]
  let seen = 0
  for (let depth = 0; level.length > 0; depth++) {
    // Between two objects there may be a list.
    if (depth > nesting * 2) return `nests deeper than ${nesting} levels`
    const next: unknown[] = []
    for (const one of level) {
      if (isTooLong(one, limits)) return `holds a list of more than ${longestList(limits)} elements`
      for (const child of childrenOf(one)) next.push(child)
      // An object that contains itself twice would double with each level.
      if (seen + next.length > maxObjects) return `holds more than ${maxObjects} objects`
    }
    seen += next.length
    level = next
  }
  return undefined
}

// Each pair of numbers in the longest geometry that is accepted is one.
const maxObjects = 250_000

const longestList = ({ listOperand }: Limits): number => Math.max(maxObjects, listOperand)

/** True for a list that is longer than any that is accepted. It may be sparse, so only its length is checked. */
const isTooLong = (value: unknown, limits: Limits): boolean =>
  Array.isArray(value) && value.length > longestList(limits)

function childrenOf(value: unknown): readonly unknown[] {
  const children: readonly unknown[] = Array.isArray(value)
    ? value
    : isRecord(value)
      ? Object.values(value)
      : []
  return children.filter((child) => typeof child === 'object' && child !== null)
}

/** A list; `isText` if its elements are still text of a query string. */
export interface ListInput {
  readonly elements: readonly unknown[]
  readonly isText: boolean
}

/** Reads a list: an array, a repeated text, `[0]`, `[1]` … keys, or JSON text. Undefined if it is none of these. */
export function readList(value: unknown, { isText, limits }: QueryReader): ListInput | undefined {
  if (isTooLong(value, limits)) return undefined
  // Spread, because a hole in a list has to become undefined.
  if (Array.isArray(value)) return { elements: [...value], isText }
  if (typeof value === 'string') return fromJsonList(value)
  if (!isRecord(value)) return undefined
  // Parsers of query strings return long lists as objects with the indexes as keys.
  const keys = Object.keys(value).filter((key) => key !== '')
  if (keys.length === 0 || !keys.every((key) => listIndex.test(key))) return undefined
  const elements = keys.sort((one, other) => Number(one) - Number(other)).map((key) => value[key])
  return { elements: Object.hasOwn(value, '') ? [...[value['']].flat(), ...elements] : elements, isText }
}

function fromJsonList(text: string): ListInput | undefined {
  const elements = text.trimStart().startsWith('[') ? parseJson(text) : undefined
  return Array.isArray(elements) ? { elements, isText: false } : undefined
}

/** A key that is the position in a list, exact as a number. */
export const listIndex = /^\d{1,15}$/
