import { isRecord } from './guards.ts'

/** Freezes a value and everything inside it, also inside objects that were frozen already. */
export function deepFreeze<Value>(value: Value): Value {
  const seen = new Set<object>()
  const left: unknown[] = [value]
  while (left.length > 0) {
    const one = left.pop()
    if ((!Array.isArray(one) && !isRecord(one)) || seen.has(one)) continue
    seen.add(one)
    for (const inner of Object.values(Object.freeze(one))) left.push(inner)
  }
  return value
}
