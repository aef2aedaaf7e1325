// Batches: the number of rows in one statement.

/** Maximum rows per statement. More rows make a statement no faster. */
const most = 768
/** Maximum bound values per statement. PostgreSQL binds 65,535, SQLite half of that. */
const mostValues = 30_000

export const batchSize = (fields: number): number =>
  sizeBelow(Math.min(most, mostValues / Math.max(1, fields)))

/** Returns the range of rows of each batch. Batch sizes beyond a few rows are one to three times a power of four: so few different statements are prepared,
 *  and few are sent for any number of rows. The smallest come first. */
export function batchesOf(rows: number, most: number): readonly (readonly [from: number, until: number])[] {
  const found: [number, number][] = []
  for (let until = rows; until > 0; ) {
    const from = until - sizeBelow(Math.min(most, until))
    found.unshift([from, until])
    until = from
  }
  return found
}

/** Returns the ranges of rows that a statement takes whose text is the same for any number of them. */
export const slicesOf = (rows: number): readonly (readonly [from: number, until: number])[] =>
  Array.from({ length: Math.ceil(rows / mostTogether) }, (_, at) => [
    at * mostTogether,
    Math.min(rows, (at + 1) * mostTogether),
  ])

/** Maximum rows of such a statement, whose values are one text. */
const mostTogether = 1_000

/** Maximum number of rows up to which each number has a statement of its own: most nested lists are as short. */
const few = 32

/** Returns the greatest size of a batch up to a number of rows. */
function sizeBelow(rows: number): number {
  if (rows <= few) return Math.max(1, Math.floor(rows))
  let power = 1
  while (power * 4 <= rows) power *= 4
  return Math.max(1, Math.floor(rows / power) * power)
}
