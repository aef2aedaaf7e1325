/** A bounded cache of two generations: entries not used while the younger one fills up are evicted with the
 *  older one. An exact order of use would cost more than everything else in a hit. */
export class Cache<Value, Key = string> {
  #young = new Map<Key, Value>()
  #old = new Map<Key, Value>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: Key, value: Value): void {
    if (this.#young.size >= this.#most / 2) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }

  /** The number of entries. It never exceeds the maximum given to the constructor. */
  get size(): number {
    return this.#young.size + this.#old.size
  }
}
