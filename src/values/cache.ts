/** Keeps what was used last, in two generations: what is not asked for while the younger one fills up is forgotten with the older one.
 *  Keeping an exact order of use would cost more than all else a hit costs. */
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

  /** No more than it was made for. */
  get size(): number {
    return this.#young.size + this.#old.size
  }
}
