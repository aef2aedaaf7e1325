// Batches: the number of rows in one statement.

/** Maximum rows per statement. More rows make a statement no faster. */
const most = 256
/** Maximum bound values per statement. PostgreSQL binds 65,535, SQLite half of that. */
const mostValues = 30_000

export const batchSize = (fields: number): number =>
  Math.min(most, powerBelow(mostValues / Math.max(1, fields)))

/** Returns the range of rows of each batch. Batch sizes are powers of two, so that few different statements are prepared; the smallest come
 *  first. */
export function batchesOf(rows: number, most: number): readonly (readonly [from: number, until: number])[] {
  const found: [number, number][] = []
  for (let until = rows; until > 0; ) {
    const from = until - powerBelow(Math.min(most, until))
    found.unshift([from, until])
    until = from
  }
  return found
}

const powerBelow = (number: number) => 2 ** Math.floor(Math.log2(Math.max(1, number)))
