import type { Throughput } from './callers.ts'
import type { Result } from './contest.ts'

/** The limit of all ratios: the fastest form that was written by hand. */
export const fastestByHand = (results: readonly Result[]): Result => fastestOf('hand', results)

/** The fastest form of a party that has to have taken part. */
export function fastestOf(party: string, results: readonly Result[]): Result {
  const best = bestOf(party, results)
  if (best === undefined) throw new Error(`Nothing was measured of ${party}.`)
  return best
}

/** The fastest form of a party, if it took part. */
export const bestOf = (party: string, results: readonly Result[]): Result | undefined =>
  results.filter((result) => result.party === party).toSorted((one, other) => one.time - other.time)[0]

/** The form of a party that answered most calls. */
export const mostOf = (party: string, results: readonly Throughput[]): Throughput | undefined =>
  results
    .filter((result) => result.party === party)
    .toSorted((one, other) => other.perSecond - one.perSecond)[0]

/** The form of a party whose calls cost the least. */
export const leastOf = (party: string, results: readonly Throughput[]): Throughput | undefined =>
  results
    .filter((result) => result.party === party)
    .toSorted((one, other) => one.processor - other.processor)[0]

export const ratioText = (own: Result | undefined, best: Result): string =>
  own ? digits(own.time / best.time, own.time < best.time * 10 ? 3 : 2) : '—'

/** A number with so many digits, and all of them where it has more before the point. */
export const digits = (value: number, count: number): string =>
  value < 10 ** count ? value.toPrecision(count) : Math.round(value).toLocaleString('en')
