// Conditions on one value, drawn by chance: every operator that its type takes, with an operand near the rows' values.
import type { Random } from '../property/seeded-random.ts'
import { isTuple } from './dataset.ts'
import { type Draw, note } from './draw.ts'
import { makers } from './random-values.ts'
import { textOf } from './values.ts'

type Tree = Record<string, unknown>

const equality = ['_eq', '_neq', '_in', '_nin']
const flags = ['_null', '_nnull', '_empty', '_nempty']
const ordering = ['_lt', '_lte', '_gt', '_gte', '_between', '_nbetween']
const matching = ['contains', 'starts_with', 'ends_with'].flatMap((word) => [
  `_${word}`,
  `_n${word}`,
  `_i${word}`,
  `_ni${word}`,
])
const ofTexts = new Set(['string', 'text', 'csv'])

/** A condition in any form. */
export function randomCondition(draw: Draw, type: string, samples: readonly unknown[]): unknown {
  const { random } = draw
  const sample = sampler(random, type, samples)
  if (random.chance(0.08)) {
    note(draw, 'shorthand')
    // A list cannot stand for a key itself.
    const value = isTuple(type) || random.chance(0.3) ? null : sample()
    return value === null || value === undefined ? null : operandOf(random, type, value)
  }
  const words = operatorsFor(type, sample())
  if (isTuple(type)) note(draw, 'key of several parts')
  if (random.chance(0.05)) return { _or: random.many(1, 2, () => one(draw, type, random.one(words), sample)) }
  return operators(draw, type, words, sample)
}

/** A condition of some of these operators. */
export const randomOperators = (
  draw: Draw,
  type: string,
  samples: readonly unknown[],
  words: readonly string[],
): Tree => operators(draw, type, words, sampler(draw.random, type, samples))

function operators(draw: Draw, type: string, words: readonly string[], sample: () => unknown): Tree {
  const { random } = draw
  const parts = random.many(1, random.chance(0.15) ? 2 : 1, () => one(draw, type, random.one(words), sample))
  return Object.assign({}, ...parts)
}

/** In JSON, the kind of the operand says what may be asked. */
function operatorsFor(type: string, value: unknown): readonly string[] {
  if (isTuple(type) && value === undefined) return flags
  if (type === 'boolean' || type === 'uuid' || type === 'binary' || isTuple(type))
    return [...equality, ...flags]
  if (type === 'json') {
    if (value === undefined) return flags
    if (typeof value === 'boolean') return [...equality, ...flags]
    return typeof value === 'number'
      ? [...equality, ...flags, ...ordering]
      : [...equality, ...flags, ...ordering, ...matching]
  }
  return ofTexts.has(type)
    ? [...equality, ...flags, ...ordering, ...matching, ...matching]
    : [...equality, ...flags, ...ordering]
}

/** A value of the rows, or any. */
function sampler(random: Random, type: string, samples: readonly unknown[]): () => unknown {
  const present = samples.filter((sample) => sample !== null && sample !== undefined)
  // A list as operand of a condition on comma text is its text.
  const any = () => makers[type]?.(random, { type: 'string' }) ?? 'a'
  if (isTuple(type)) return () => (present.length === 0 ? undefined : mixed(random, present))
  if (type === 'json') {
    if (present.length === 0) return () => undefined
    const leaf = random.one(present)
    return () => random.one(present.filter((sample) => typeof sample === typeof leaf))
  }
  return () => (present.length > 0 && random.chance(0.8) ? random.one(present) : any())
}

/** A key of the rows, or one with parts of several. */
function mixed(random: Random, keys: readonly unknown[]): unknown {
  const [one, other] = [random.one(keys), random.one(keys)]
  if (!Array.isArray(one) || !Array.isArray(other) || random.chance(0.8)) return one
  return one.map((part, index) => (random.chance(0.5) ? part : other[index]))
}

function one(draw: Draw, type: string, word: string, sample: () => unknown): Tree {
  const { random } = draw
  note(draw, word)
  if (flags.includes(word)) return { [word]: random.chance(0.85) }
  // A key of several parts comes from the rows, of which there may be none.
  if (isTuple(type) && sample() === undefined) return { _null: random.chance(0.85) }
  if (word === '_in' || word === '_nin') {
    return { [word]: random.chance(0.05) ? [] : random.many(1, 4, () => operandOf(random, type, sample())) }
  }
  if (word === '_between' || word === '_nbetween') {
    return { [word]: [operandOf(random, type, sample()), operandOf(random, type, sample())] }
  }
  if (matching.includes(word)) return { [word]: partOf(random, textOf(sample()), word.includes('i', 1)) }
  return { [word]: operandOf(random, type, sample()) }
}

function partOf(random: Random, text: string, mayChangeCase: boolean): string {
  const letters = [...text]
  const start = random.below(letters.length + 1)
  const part = random.do(
    () => letters.slice(start, start + 1 + random.below(3)),
    () => letters.slice(0, 1 + random.below(3)),
    () => letters.slice(-1 - random.below(3)),
  )
  const whole = part.join('')
  return mayChangeCase && random.chance(0.5) ? random.one([whole.toUpperCase(), whole.toLowerCase()]) : whole
}

/** The same value in another form, now and then. */
function operandOf(random: Random, type: string, value: unknown): unknown {
  if (Array.isArray(value) && isTuple(type)) {
    const types = type.slice('tuple:'.length).split(',')
    return value.map((part, index) => operandOf(random, types[index] ?? '', part))
  }
  if (type === 'csv') return textOf(value)
  if (random.chance(0.7)) return value
  // Whether 1e21 may be written as text is not said.
  if (type === 'float' && /e/.test(String(value))) return value
  if (type === 'integer' || type === 'float') return random.one([String(value), Number(value) + 0.5])
  if (type === 'decimal')
    return random.one([Number(value), `${value}${String(value).includes('.') ? '0' : ''}`])
  if (type === 'boolean') return random.one([String(value), Number(value)])
  if (type === 'uuid' || type === 'binary') return String(value).toUpperCase()
  if (type === 'time') return String(value).slice(0, 5)
  if (type === 'date') return random.one([`${value}T00:00:00`, `${value}T12:00:00Z`])
  if (type === 'dateTime') return random.one([String(value).slice(0, 10), `${value}.500`, `${value}+02:00`])
  if (type === 'timestamp')
    return random.one([String(value).slice(0, 10), String(value).replace('Z', '-03:30')])
  return value
}
