import type { Predicate } from '../plan/predicate.ts'

/** Whether a condition looks at other tables. Then finding the rows is the work, and finding them twice is twice the work; where an index
 *  finds them, a list can stop at the end of its page, and going over them again is cheap. */
export function isCorrelated(predicate: Predicate): boolean {
  if (predicate.kind === 'and' || predicate.kind === 'or') return predicate.parts.some(isCorrelated)
  return predicate.kind !== 'test'
}
