// The length of a row that the statement which writes it returns. What has committed by itself is not refused any more, so a row that may be
// too long is left to the general path.
import type { Limits } from '../../query/limits.ts'
import type { ReturnedColumns } from '../../sql/write/returning.ts'

type Bound = Pick<Limits, 'answerBytes'>

/** The most bytes that the new values of a row may have, and those that stay as they are; undefined if there is no limit. */
export const mostBytes = ({ answerBytes }: Bound): number | undefined =>
  answerBytes === Number.POSITIVE_INFINITY ? undefined : Math.floor(answerBytes / 2)

/** True if new values may be too long to be returned. Each may be returned under several names. */
export function areTooLong(
  bound: readonly unknown[],
  limits: Bound,
  { longValues }: Pick<ReturnedColumns, 'longValues'> = once,
): boolean {
  const most = mostBytes(limits)
  if (most === undefined || longValues === 0) return false
  let length = 0
  for (const value of bound)
    if (typeof value === 'string' || value instanceof Uint8Array) length += value.length
  // A sign has up to three bytes.
  return 3 * length * longValues > most
}

const once = { longValues: 1 }
