/** Offsets of the first byte and the last one. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Returns the range of a `Range` header for a size: one range; 'none' if it begins behind the end; or 'all' if it is not understood, or
 *  has several ranges. */
export function rangeOf(header: string | undefined, size: number): Span | 'none' | 'all' {
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '') ?? []
  if (first === '' && last === '') return 'all'
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'none' : { start: size - length, end: size - 1 }
  }
  const [start, end] = [Number(first), last === '' ? size - 1 : Number(last)]
  if (last !== '' && end < start) return 'all'
  return start >= size ? 'none' : { start, end: Math.min(end, size - 1) }
}
