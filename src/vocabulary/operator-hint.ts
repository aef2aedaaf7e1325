import { foreignHint, nameHint, wordHint } from '../errors/suggest.ts'
import { junctions, quantifiers } from './junctions.ts'
import { operators } from './operators.ts'

const words: readonly string[] = [
  ...Object.keys(operators),
  ...Object.keys(quantifiers),
  ...Object.keys(junctions),
  '_json',
]

/** A hint for a word that looks like an operator. */
export const operatorHint = (word: string): string | undefined => wordHint('operator', word, words)

export const foreignOperator = (word: string): string | undefined => foreignHint('operator', word, words)

/** A hint for a name that is no field, and may have been meant as an operator. */
export const fieldOrOperator = (name: string, fields: Iterable<string>): string | undefined =>
  nameHint(name, [...fields], foreignOperator)
