// The text of rules, by which equal rules of two objects are known to be equal.

import { isRecord } from '../values/guards.ts'

/** Returns the text of rules, or of a part of them; undefined if they hold what no text keeps: a date, a class, a property that is computed. */
export const textOfRules = (rules: unknown): string | undefined =>
  isKept(rules, 0) ? JSON.stringify(rules) : undefined

/** Maximum depth of rules that have a text. An object that contains itself has no end. */
const maxLevels = 60

/** True for what JSON returns as it is given. */
function isKept(value: unknown, level: number): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0)
    case 'object':
      if (value === null) return true
      return (
        level < maxLevels && (Array.isArray(value) ? isKeptList(value, level) : isKeptRecord(value, level))
      )
    default:
      return false
  }
}

function isKeptList(list: readonly unknown[], level: number): boolean {
  for (let at = 0; at < list.length; at++) if (!isKept(list[at], level + 1)) return false
  return true
}

function isKeptRecord(value: object, level: number): boolean {
  if (!isRecord(value)) return false
  for (const name of Object.keys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, name)
    if (!property || property.get || !isKept(property.value, level + 1)) return false
  }
  return true
}
