import { arrayText } from '../../dialects/postgres/array-text.ts'

/** Returns values as they are sent: texts and bytes, and lists of plain values as one text. Undefined if pg has to convert one. */
export function wireValues(values: readonly unknown[]): readonly unknown[] | undefined {
  let isAsSent = true
  for (const value of values) {
    if (typeof value === 'string' || value === null || Buffer.isBuffer(value)) continue
    if (!plain.has(typeof value) && !isPlainList(value)) return undefined
    isAsSent = false
  }
  return isAsSent ? values : values.map(asSent)
}

/** Types of values whose text is what pg sends. */
const plain: ReadonlySet<string> = new Set(['number', 'bigint', 'boolean', 'undefined'])

const isPlainList = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.every((one) => listed.has(typeof one))

/** Types of elements that are sent as their text. */
const listed: ReadonlySet<string> = new Set(['string', 'number', 'bigint'])

function asSent(value: unknown): unknown {
  if (value === undefined || value === null) return null
  if (Array.isArray(value)) return arrayText(value)
  return typeof value === 'string' || Buffer.isBuffer(value) ? value : String(value)
}
