/** The first byte and the last one. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** What a Range asks for of so many bytes: one part of them; nothing, where it begins behind their end; or all, where it is not understood, or
 *  asks for several parts. */
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
