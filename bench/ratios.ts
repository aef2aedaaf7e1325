import type { Result } from './contest.ts'

/** The limit of all ratios: the fastest form that was written by hand. */
export function fastestByHand(results: readonly Result[]): Result {
  const [best] = ownOf('hand', results)
  if (best === undefined) throw new Error('Nothing was written by hand.')
  return best
}

/** The results of a party, the fastest first. */
export const ownOf = (party: string, results: readonly Result[]): readonly Result[] =>
  results.filter((result) => result.party === party).toSorted((one, other) => one.time - other.time)
