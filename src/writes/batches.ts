// How many rows go into one statement.

/** More rows make a statement no faster. */
const most = 256
/** PostgreSQL binds 65,535 values to a statement, SQLite half of that. */
const mostValues = 30_000

export const batchSize = (fields: number): number =>
  Math.min(most, powerBelow(mostValues / Math.max(1, fields)))

/** From where to where the rows of each statement reach. Their numbers are powers of two, so that few different statements
 *  are written; the fewest come first. */
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
