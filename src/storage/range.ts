import { fault } from '../errors/errors.ts'
import type { ByteRange } from './storage.ts'

/** Refuses what is not a range of any file. */
export function checkRange(range: unknown): asserts range is ByteRange | undefined {
  if (range === undefined) return
  const { start, end } = Object(range) as { start?: unknown; end?: unknown } // both are checked below
  if (isPosition(start) && (end === undefined || (isPosition(end) && end >= start))) return
  throw unsatisfiable('A range begins at a byte counted from 0, and ends there or later.')
}

const isPosition = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

/** Applies a range to a file of a given size. Throws if it begins after the end, as every range of an empty
 *  file does.
 *  @example rangeWithin({ start: 5 }, 8) // → { start: 5, length: 3 } */
export function rangeWithin(
  range: ByteRange | undefined,
  size: number,
): { readonly start: number; readonly length: number } {
  if (range === undefined) return { start: 0, length: size }
  const { start, end = size - 1 } = range
  if (start >= size)
    throw unsatisfiable(`The range begins behind the end of the file, which has ${size} bytes.`)
  return { start, length: Math.min(end, size - 1) - start + 1 }
}

const unsatisfiable = (message: string) => fault('RANGE_NOT_SATISFIABLE', message, { path: ['range'] })
