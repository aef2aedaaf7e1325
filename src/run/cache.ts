/** Keeps what was used last. */
export class Cache<Value> {
  readonly #kept = new Map<string, Value>()
  readonly #most: number
  #latest: string | undefined

  constructor(most: number) {
    this.#most = most
  }

  get(key: string): Value | undefined {
    const value = this.#kept.get(key)
    if (value === undefined || key === this.#latest) return value
    this.#latest = key
    // The order of a Map is that of insertion, so what was used last goes to the end.
    this.#kept.delete(key)
    this.#kept.set(key, value)
    return value
  }

  set(key: string, value: Value): void {
    this.#latest = key
    this.#kept.set(key, value)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#most) return
      this.#kept.delete(oldest)
    }
  }

  get size(): number {
    return this.#kept.size
  }
}
