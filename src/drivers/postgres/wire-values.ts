/** Returns values as they are sent: texts and bytes. Undefined if pg has to convert one. */
export function wireValues(values: readonly unknown[]): readonly unknown[] | undefined {
  let isAsSent = true
  for (const value of values) {
    if (typeof value === 'string' || value === null || Buffer.isBuffer(value)) continue
    if (!plain.has(typeof value)) return undefined
    isAsSent = false
  }
  return isAsSent ? values : values.map(asSent)
}

/** Types of values whose text is what pg sends. */
const plain: ReadonlySet<string> = new Set(['number', 'bigint', 'boolean', 'undefined'])

function asSent(value: unknown): unknown {
  if (value === undefined || value === null) return null
  return typeof value === 'string' || Buffer.isBuffer(value) ? value : String(value)
}
