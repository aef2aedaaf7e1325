/** How much of the random runs is made: little in `npm test`, which is `quick`, and where it is `short`, `all` in `npm run test:all`, `long` in `npm run test:long`. */
const length = process.env.QUERNEL_LONG !== undefined ? 'long' : (process.env.QUERNEL_LENGTH ?? 'quick')

export const isLong = length === 'long'
export const isQuick = length === 'quick'
export const isShort = isQuick || length === 'short'

/** One in so many of some cases, each seed others; a long run tries them all. */
export const oneIn = <Case>(many: number, cases: readonly Case[], seed: number): readonly Case[] =>
  isLong ? cases : cases.filter((_, index) => (index + seed) % many === 0)

/** One in four of some cases. */
export const fourthOf = <Case>(cases: readonly Case[], seed: number): readonly Case[] => oneIn(4, cases, seed)
