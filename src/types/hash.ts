// Secrets of which only a one-way hash is stored. It is never shown, so it compares to null only.
import { isSound } from '../values/guards.ts'
import { accepted, type FamilyRow, type ValueTypes, wrongType } from './family-row.ts'
import { soundText } from './text.ts'

export const mask = '**********'
/** The schema of a secret in responses. */
export const masked = { type: 'string', const: mask, description: 'Concealed.' } as const

export const hash = {
  fieldTypes: { hash: {} },
  groups: [],
  expects: 'no operand, because a hash is not compared',
  operand: () => undefined,
  compare: () => 0,
  isEmpty: (value) => value === '',
  comparable: String,
  store: (input) => (typeof input === 'string' && isSound(input) ? accepted(input) : wrongType('text')),
  storages: [],
  inputSchemas: { hash: soundText },
  outputSchema: () => masked,
  exportKind: 'text',
} as const satisfies FamilyRow

export interface HashTypes {
  hash: ValueTypes<string, never>
}
