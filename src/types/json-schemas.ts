import { decimalGrammar } from '../values/decimal.ts'
import type { JsonSchema } from './family-row.ts'

/** The schema of a text that matches an expression. */
export const like = ({ source }: RegExp): JsonSchema => ({ type: 'string', pattern: source })

/** The schema of numbers in payloads and filters, where they may be text. */
export const numberSchema: JsonSchema = { anyOf: [{ type: 'number' }, like(decimalGrammar)] }
