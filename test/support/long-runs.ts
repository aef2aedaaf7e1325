/** The share of the random runs that are made: all of them in `npm run test:long`, fewer in `npm test`. */
export const isLong = process.env.QUERNEL_LONG !== undefined

/** How often a random run is repeated: what its variable says, else its share of a long run. */
export const timesOf = (variable: string, share: number): number =>
  Number(process.env[variable] ?? (isLong ? 1 : share))

/** One in so many of some cases, each run others; a long run tries them all. */
export const oneIn = <Case>(many: number, cases: readonly Case[], seed: number): readonly Case[] =>
  isLong ? cases : cases.filter((_, index) => (index + seed) % many === 0)

/** One in four of some cases. */
export const fourthOf = <Case>(cases: readonly Case[], seed: number): readonly Case[] => oneIn(4, cases, seed)
