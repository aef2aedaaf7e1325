// Chance that can be repeated: the same seed always throws the same numbers.

import { isLong, isShort } from '../support/long-runs.ts'

/** Seed of this run of the tests, and how many inputs it tries. A failure names the seed of its own input. */
export const fuzzSeed = Number(process.env.QUERNEL_SEED ?? 1)
export const fuzzRuns = Number(process.env.QUERNEL_FUZZ_RUNS ?? (isLong ? 100_000 : isShort ? 1_000 : 5_000))

export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 0
  }

  /** A number from 0 up to 1: the generator mulberry32, whose 32 bits of state are enough to vary small inputs. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** A whole number from 0 up to, but without, the given one. */
  below(end: number): number {
    return Math.floor(this.next() * end)
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  one<Thing>(things: readonly Thing[]): Thing {
    const thing = things[this.below(things.length)]
    if (thing === undefined && things.length === 0) throw new Error('nothing to choose from')
    return thing as Thing // the index lies inside the list
  }

  /** Does one of several things. */
  do<Thing>(...ways: readonly (() => Thing)[]): Thing {
    return this.one(ways)()
  }

  many<Thing>(least: number, most: number, make: (index: number) => Thing): Thing[] {
    return Array.from({ length: least + this.below(most - least + 1) }, (_, index) => make(index))
  }

  some<Thing>(things: readonly Thing[], most: number): Thing[] {
    return [...new Set(this.many(0, most, () => this.one(things)))]
  }
}
