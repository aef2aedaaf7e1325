import { type Path, quote } from '../errors/errors.ts'
import { suggestion } from '../errors/suggest.ts'
import { hasMoreBytes, isLongerThan, isSound } from '../values/guards.ts'
import { withoutSignedZero } from './plain-json.ts'
import type { QueryReader } from './reader.ts'

/** Reads a parameter. Reports problems, and returns undefined for "not given". */
export type Read<Value> = (value: unknown, path: Path, reader: QueryReader) => Value | undefined

function refuse(path: Path, { problems }: QueryReader, sentence: string, hint?: string): undefined {
  problems.add(path, `"${path.at(-1)}" ${sentence}.`, hint)
  return undefined
}

export function readSearch(value: unknown, path: Path, reader: QueryReader): string | undefined {
  const text = typeof value === 'number' ? String(value) : value
  const read = readText(text, path, reader)?.trim() || undefined
  const max = reader.limits.searchOperand
  return read !== undefined && isLongerThan(max, read)
    ? refuse(path, reader, `takes at most ${max} characters`)
    : read
}

/** Reads the key of a version, or another word of the caller's choice. */
export function readWord(value: unknown, path: Path, reader: QueryReader): string | undefined {
  return readText(value, path, reader, longestWord) || undefined
}

/** The maximum length in bytes. */
export const longestWord = 255

/** Reads a text, such as a cursor, of which only a list knows what it can be. */
export function readText(
  value: unknown,
  path: Path,
  reader: QueryReader,
  max = reader.limits.textOperand,
): string | undefined {
  if (typeof value !== 'string') return refuse(path, reader, `takes text, not ${quote(value)}`)
  if (hasMoreBytes(max, value)) return refuse(path, reader, `takes text of at most ${max} bytes`)
  if (isSound(value)) return value
  return refuse(path, reader, 'cannot take text with U+0000 or half a surrogate pair')
}

export function readLimit(value: unknown, path: Path, reader: QueryReader): number | undefined {
  const limit = readWhole(value, path, reader)
  const max = reader.limits.maxLimit
  return limit !== undefined && limit > max ? refuse(path, reader, `takes at most ${max}`) : limit
}

const readWhole = wholeNumber(-1)

/** Reads a whole number in one strict spelling: other texts that JavaScript takes for a number ("", "0x10",
 *  "1e3") are mistakes. */
export function wholeNumber(min: number): Read<number> {
  return (value, path, reader) => {
    const number = typeof value === 'string' && /^-?(?:0|[1-9]\d{0,15})$/.test(value) ? Number(value) : value
    const isInteger = typeof number === 'number' && Number.isSafeInteger(number) && number >= min
    if (isInteger) return withoutSignedZero(number)
    return refuse(path, reader, `takes a whole number of ${min} or more, not ${quote(value)}`)
  }
}

export function oneOf(words: readonly string[]): Read<string> {
  return (value, path, reader) => {
    if (value === '') return undefined
    if (typeof value === 'string' && words.includes(value)) return value
    const sentence = `takes one of ${words.join(', ')}, not ${quote(value)}`
    return refuse(path, reader, sentence, typeof value === 'string' ? suggestion(value, words) : undefined)
  }
}

export function readFlag(value: unknown, path: Path, reader: QueryReader): boolean | undefined {
  if (value === true || value === 'true') return true
  if (value === false || value === 'false') return false
  return refuse(path, reader, `takes true or false, not ${quote(value)}`)
}
