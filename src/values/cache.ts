/** A bounded cache of two generations: entries not used while the younger one fills up are evicted with the
 *  older one. An exact order of use would cost more than everything else in a hit. */
export class Cache<Value, Key = string> {
  #young = new Map<Key, Value>()
  #old = new Map<Key, Value>()
  readonly #max: number
  readonly #weightOf: (key: Key) => number
  #weight = 0

  /** `max`: maximum number of entries, or their maximum weight together. */
  constructor(max: number, weightOf: (key: Key) => number = () => 1) {
    this.#max = max
    this.#weightOf = weightOf
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: Key, value: Value): void {
    if (this.#weight >= this.#max / 2) {
      this.#old = this.#young
      this.#young = new Map()
      this.#weight = 0
    }
    if (!this.#young.has(key)) this.#weight += this.#weightOf(key)
    this.#young.set(key, value)
  }

  /** The number of entries. */
  get size(): number {
    return this.#young.size + this.#old.size
  }
}
