// The length of an answer that has arrived: what was expected to be short may be long.
import { tooManyBytes } from '../../errors/too-many-bytes.ts'
import type { Limits } from '../../query/limits.ts'
import type { Row } from '../../rows/row.ts'

type Bound = Pick<Limits, 'answerBytes'>

/** Returns the items of a list as text: all of it in one row, or an item in each. */
export function itemsIn(rows: readonly Row[], isOneRow: boolean, limits: Bound): string {
  if (!isOneRow)
    return `[${rowsWithin(rows, limits)
      .map((row) => row[0])
      .join(',')}]`
  const text = rows[0]?.[0]
  // Null stands in the place of a text that is too long.
  if (typeof text !== 'string' || bytesIn(text, limits.answerBytes) > limits.answerBytes)
    throw tooManyBytes(limits)
  return text
}

/** Returns the bytes of a text, or its length where they cannot be more than a bound. A sign takes three of them at most. */
export const bytesIn = (text: string, bound: number): number =>
  3 * text.length <= bound ? text.length : Buffer.byteLength(text)

/** Returns rows, or refuses them if their texts are too long. */
export function rowsWithin(rows: readonly Row[], limits: Bound): readonly Row[] {
  if (limits.answerBytes === Number.POSITIVE_INFINITY) return rows
  let length = 0
  for (const row of rows) {
    // Some drivers return objects whose names are the positions.
    for (let at = 0, cell = row[0]; cell !== undefined; cell = row[++at])
      if (typeof cell === 'string') length += cell.length
    if (length > limits.answerBytes) throw tooManyBytes(limits)
  }
  return rows
}
