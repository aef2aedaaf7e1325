import type { Predicate } from '../plan/filter/predicate.ts'

/** True if a condition uses other tables. Then finding the rows is the expensive part, and finding them twice
 *  costs twice as much; where an index finds them, a list can stop at the end of its page, and scanning them
 *  again is cheap. */
export function isCorrelated(predicate: Predicate): boolean {
  if (predicate.kind === 'and' || predicate.kind === 'or') return predicate.parts.some(isCorrelated)
  return predicate.kind !== 'test'
}
