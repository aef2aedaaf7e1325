import { isRecord } from './record.ts'

/** Makes a value and all that is inside of it unchangeable, also inside of what was frozen already. */
export function frozen<Value>(value: Value, seen = new Set<unknown>()): Value {
  if ((!Array.isArray(value) && !isRecord(value)) || seen.has(value)) return value
  seen.add(value)
  for (const inner of Object.values(value)) frozen(inner, seen)
  return Object.freeze(value)
}
