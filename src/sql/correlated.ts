import type { Predicate } from '../plan/filter/predicate.ts'
import { leavesOf } from '../plan/walk.ts'

/** True if a condition uses other tables. Then finding the rows is the expensive part, and finding them twice
 *  costs twice as much; where an index finds them, a list can stop at the end of its page, and scanning them
 *  again is cheap. */
export const isCorrelated = (predicate: Predicate): boolean =>
  leavesOf(predicate).some(({ kind }) => kind !== 'test')
