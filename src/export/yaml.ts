// YAML in block style, which every parser, of YAML 1.1 or 1.2, reads as the same values. Written by hand because only the decision which
// text needs no quotes takes care.
import { isRecord } from '../values/guards.ts'
import type { FileWriter } from './writer.ts'

export const yamlWriter = (): FileWriter => ({
  begin: '',
  item: (item) => entry(item, ''),
  end: (count) => (count === 0 ? '[]\n' : ''),
})

/** Returns the lines of an entry of a list. A block inside it begins on its first line. */
function entry(value: unknown, indent: string): string {
  const deeper = `${indent}  `
  const block = blockOf(value, deeper)
  return block === undefined ? `${indent}- ${scalar(value)}\n` : `${indent}- ${block.slice(deeper.length)}`
}

/** Returns the lines of an object or a list; undefined for values that fit on one line. */
function blockOf(value: unknown, indent: string): string | undefined {
  if (Array.isArray(value) && value.length > 0) return value.map((inner) => entry(inner, indent)).join('')
  if (!isRecord(value)) return undefined
  const names = Object.keys(value)
  return names.length === 0 ? undefined : names.map((name) => member(name, value[name], indent)).join('')
}

function member(name: string, value: unknown, indent: string): string {
  const key = textOf(name)
  const start = key.length <= longestKey ? `${indent}${key}:` : `${indent}? ${key}\n${indent}:`
  const block = blockOf(value, `${indent}  `)
  return block === undefined ? `${start} ${scalar(value)}\n` : `${start}\n${block}`
}

/** Longest key. Parsers look no further for the colon behind a key without a mark before it. */
const longestKey = 1_000

function scalar(value: unknown): string {
  if (typeof value === 'string') return textOf(value)
  if (typeof value === 'number') return numberOf(value)
  if (Array.isArray(value)) return '[]'
  return isRecord(value) ? '{}' : String(value ?? null)
}

/** Writes a number. YAML 1.1 accepts an exponent only behind a point. */
const numberOf = (value: number): string => String(value).replace(/^(-?\d+)e/, '$1.0e')

const textOf = (text: string): string => (plain.test(text) && !isWord(text) ? text : quoted(text))

/** Plain text: begins with letters, so it is no number, date or mark, and contains no marks behind them. Two letters, because "y" is a
 *  value of YAML 1.1, and a common library takes "e3" for a number. */
const plain = /^\p{L}{2}[\p{L}\p{N}_./-]*(?: [\p{L}\p{N}_./-]+)*$/u

/** True for words that are values in some version of YAML, or in parsers that know more of them. */
const isWord = (text: string): boolean => words.has(text.toLowerCase())
const words = new Set(['yes', 'no', 'on', 'off', 'true', 'false', 'null', 'nan', 'inf', 'infinity'])

/** Quotes text. JSON's quoting is valid YAML, and escapes characters that YAML does not accept. */
const quoted = (text: string): string =>
  JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
