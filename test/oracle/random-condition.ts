// Conditions on one value, drawn by chance: every operator that its type takes, with an operand near the rows' values.
import type { Dice } from '../property/seeded-random.ts'
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
  const { dice } = draw
  const sample = sampler(dice, type, samples)
  if (dice.chance(0.08)) {
    note(draw, 'shorthand')
    // A list cannot stand for a key itself.
    const value = isTuple(type) || dice.chance(0.3) ? null : sample()
    return value === null || value === undefined ? null : operandOf(dice, type, value)
  }
  const words = operatorsFor(type, sample())
  if (isTuple(type)) note(draw, 'key of several parts')
  if (dice.chance(0.05)) return { _or: dice.many(1, 2, () => one(draw, type, dice.one(words), sample)) }
  return operators(draw, type, words, sample)
}

/** A condition of some of these operators. */
export const randomOperators = (
  draw: Draw,
  type: string,
  samples: readonly unknown[],
  words: readonly string[],
): Tree => operators(draw, type, words, sampler(draw.dice, type, samples))

function operators(draw: Draw, type: string, words: readonly string[], sample: () => unknown): Tree {
  const { dice } = draw
  const parts = dice.many(1, dice.chance(0.15) ? 2 : 1, () => one(draw, type, dice.one(words), sample))
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
function sampler(dice: Dice, type: string, samples: readonly unknown[]): () => unknown {
  const present = samples.filter((sample) => sample !== null && sample !== undefined)
  // A list as operand of a condition on comma text is its text.
  const any = () => makers[type]?.(dice, { type: 'string' }) ?? 'a'
  if (isTuple(type)) return () => (present.length === 0 ? undefined : mixed(dice, present))
  if (type === 'json') {
    if (present.length === 0) return () => undefined
    const leaf = dice.one(present)
    return () => dice.one(present.filter((sample) => typeof sample === typeof leaf))
  }
  return () => (present.length > 0 && dice.chance(0.8) ? dice.one(present) : any())
}

/** A key of the rows, or one with parts of several. */
function mixed(dice: Dice, keys: readonly unknown[]): unknown {
  const [one, other] = [dice.one(keys), dice.one(keys)]
  if (!Array.isArray(one) || !Array.isArray(other) || dice.chance(0.8)) return one
  return one.map((part, index) => (dice.chance(0.5) ? part : other[index]))
}

function one(draw: Draw, type: string, word: string, sample: () => unknown): Tree {
  const { dice } = draw
  note(draw, word)
  if (flags.includes(word)) return { [word]: dice.chance(0.85) }
  // A key of several parts comes from the rows, of which there may be none.
  if (isTuple(type) && sample() === undefined) return { _null: dice.chance(0.85) }
  if (word === '_in' || word === '_nin') {
    return { [word]: dice.chance(0.05) ? [] : dice.many(1, 4, () => operandOf(dice, type, sample())) }
  }
  if (word === '_between' || word === '_nbetween') {
    return { [word]: [operandOf(dice, type, sample()), operandOf(dice, type, sample())] }
  }
  if (matching.includes(word)) return { [word]: partOf(dice, textOf(sample()), word.includes('i', 1)) }
  return { [word]: operandOf(dice, type, sample()) }
}

function partOf(dice: Dice, text: string, mayChangeCase: boolean): string {
  const letters = [...text]
  const start = dice.below(letters.length + 1)
  const part = dice.do(
    () => letters.slice(start, start + 1 + dice.below(3)),
    () => letters.slice(0, 1 + dice.below(3)),
    () => letters.slice(-1 - dice.below(3)),
  )
  const whole = part.join('')
  return mayChangeCase && dice.chance(0.5) ? dice.one([whole.toUpperCase(), whole.toLowerCase()]) : whole
}

/** The same value in another form, now and then. */
function operandOf(dice: Dice, type: string, value: unknown): unknown {
  if (Array.isArray(value) && isTuple(type)) {
    const types = type.slice('tuple:'.length).split(',')
    return value.map((part, index) => operandOf(dice, types[index] ?? '', part))
  }
  if (type === 'csv') return textOf(value)
  if (dice.chance(0.7)) return value
  // Whether 1e21 may be written as text is not said.
  if (type === 'float' && /e/.test(String(value))) return value
  if (type === 'integer' || type === 'float') return dice.one([String(value), Number(value) + 0.5])
  if (type === 'decimal')
    return dice.one([Number(value), `${value}${String(value).includes('.') ? '0' : ''}`])
  if (type === 'boolean') return dice.one([String(value), Number(value)])
  if (type === 'uuid' || type === 'binary') return String(value).toUpperCase()
  if (type === 'time') return String(value).slice(0, 5)
  if (type === 'date') return dice.one([`${value}T00:00:00`, `${value}T12:00:00Z`])
  if (type === 'dateTime') return dice.one([String(value).slice(0, 10), `${value}.500`, `${value}+02:00`])
  if (type === 'timestamp')
    return dice.one([String(value).slice(0, 10), String(value).replace('Z', '-03:30')])
  return value
}
