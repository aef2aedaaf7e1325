// What the readers of a query share: the limits, the list of problems, and the two forms in which an input can come.

import type { Path } from '../errors.ts'
import { quote } from '../errors.ts'
import { Problems } from '../problems.ts'
import { poisonousNames } from '../schema/names.ts'
import { isSound } from '../values/text.ts'
import type { Limits } from './limits.ts'

export interface Reader {
  readonly limits: Limits
  readonly problems: Problems
  /** The values are pieces of a query string, in which all is text. */
  readonly isText: boolean
}

export const newReader = (limits: Limits, isText: boolean): Reader => ({
  limits,
  problems: new Problems('INVALID_QUERY'),
  isText,
})

export const isRecord = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}

/** An object with its JSON text spread out, wherever text and brackets were mixed. */
export interface Spread {
  readonly entries: readonly (readonly [key: string, value: unknown, isText: boolean])[]
}

/** Reads what has to be an object: an object, JSON text of one, or both at once. Undefined, with a problem noted, when it is none. */
export function readObject(value: unknown, path: Path, reader: Reader, what: string): Spread | undefined {
  if (typeof value === 'string') return fromJson(value, path, reader, what)
  if (Array.isArray(value) && value.length === 0) return { entries: [] }
  if (Array.isArray(value) && reader.isText) return merged(value, {}, path, reader, what)
  if (!isRecord(value)) {
    reader.problems.add(path, `${what} is an object, not ${quote(value)}.`)
    return undefined
  }
  if (reader.isText && Object.hasOwn(value, '')) {
    const { '': texts, ...rest } = value
    return merged([texts].flat(), rest, path, reader, what)
  }
  return { entries: safeEntries(value, path, reader) }
}

function merged(
  texts: readonly unknown[],
  rest: Record<string, unknown>,
  path: Path,
  reader: Reader,
  what: string,
): Spread | undefined {
  const parts = texts.map((text) =>
    typeof text === 'string' ? fromJson(text, path, reader, what) : undefined,
  )
  const entries = [...parts.flatMap((part) => part?.entries ?? []), ...safeEntries(rest, path, reader)]
  const seen = new Set<string>()
  for (const [key] of entries) {
    if (seen.has(key)) reader.problems.add([...path, key], `${quote(key)} is given twice.`)
    seen.add(key)
  }
  return { entries }
}

function fromJson(text: string, path: Path, reader: Reader, what: string): Spread | undefined {
  if (text.trim() === '') return { entries: [] }
  const value = parseJson(text)
  if (Array.isArray(value) && value.length === 0) return { entries: [] }
  if (!isRecord(value)) {
    reader.problems.add(path, `${what} is an object, or the JSON text of one; ${quote(text)} is not.`)
    return undefined
  }
  if (isTooDeep(value, reader.limits.nesting)) {
    reader.problems.add(path, `${what} nests deeper than ${reader.limits.nesting} levels.`)
    return undefined
  }
  const entries = safeEntries(value, path, reader)
  return { entries: entries.map(([key, inner]) => [key, inner, false] as const) }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function safeEntries(
  value: Record<string, unknown>,
  path: Path,
  reader: Reader,
): [string, unknown, boolean][] {
  const entries: [string, unknown, boolean][] = []
  for (const [key, inner] of Object.entries(value)) {
    if (poisonousNames.has(key) || !isSound(key))
      reader.problems.add([...path, key], `The name ${quote(key)} cannot be used.`)
    else if (inner === undefined)
      reader.problems.add([...path, key], `${quote(key)} is undefined; leave it out, or use null.`)
    else entries.push([key, inner, reader.isText])
  }
  return entries
}

/** Whether objects nest deeper than allowed. Walks without recursion, since the input may be as deep as memory is large. */
export function isTooDeep(value: unknown, most: number): boolean {
  let level: unknown[] = [value]
  let seen = 0
  for (let depth = 0; level.length > 0; depth++) {
    seen += level.length
    if (depth > most * 2 || seen > mostNodes) return true
    level = level.filter((one) => typeof one === 'object' && one !== null).flatMap((one) => childrenOf(one))
  }
  return false
}

// An object that holds itself twice would double with each level.
const mostNodes = 1_000_000

const childrenOf = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : []

/** Reads what has to be a list: an array, a text repeated, `[0]`, `[1]` … keys, or JSON text. Undefined when it is none. */
export function readList(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value
  if (typeof value === 'string' && value.trimStart().startsWith('[')) {
    const parsed = parseJson(value)
    return Array.isArray(parsed) ? parsed : undefined
  }
  if (!isRecord(value)) return undefined
  // Parsers of query strings give long lists as objects with the indexes as keys.
  const keys = Object.keys(value).filter((key) => key !== '')
  if (keys.length === 0 || !keys.every((key) => /^\d{1,9}$/.test(key))) return undefined
  const elements = keys.sort((one, other) => Number(one) - Number(other)).map((key) => value[key])
  return Object.hasOwn(value, '') ? [...[value['']].flat(), ...elements] : elements
}
