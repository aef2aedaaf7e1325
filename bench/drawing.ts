export interface Drawing {
  /** A whole number from 0 up to, but not, the bound. */
  below(bound: number): number
  pick<Value>(values: readonly Value[]): Value
}

/** Draws that look random and are the same for the same seed (the generator known as mulberry32). */
export function drawing(seed: number): Drawing {
  let state = seed * 0x9e3779b9
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (bound: number) => Math.floor(next() * bound)
  const pick = <Value>(values: readonly Value[]): Value => {
    const value = values[below(values.length)]
    if (value === undefined) throw new RangeError('There is nothing to pick from.')
    return value
  }
  return { below, pick }
}
