// The roots of the data chain that an operation may look at: what may have run before it.
import type { Roots, WrittenOperation } from './check-context.ts'

/** The operations that lead to each operation. */
type Before = ReadonlyMap<string, readonly string[]>

/** Returns the operations that lead to each operation. */
export function leadingTo(written: ReadonlyMap<string, WrittenOperation>): Before {
  const before = new Map<string, string[]>([...written.keys()].map((key) => [key, []]))
  for (const [key, { targets }] of written) for (const target of targets) before.get(target)?.push(key)
  return before
}

/** The roots of one operation. Most templates name few of them, so that they are looked for one by one. */
export class Upstream implements Roots {
  readonly #key: string
  readonly #before: Before
  readonly #outer: Roots

  constructor(key: string, before: Before, outer: Roots) {
    this.#key = key
    this.#before = before
    this.#outer = outer
  }

  has(name: string): boolean {
    if (this.#outer.has(name)) return true
    if (!this.#before.has(name)) return false
    for (const one of this.#upstream()) if (one === name) return true
    return false
  }

  *[Symbol.iterator](): Iterator<string> {
    yield* this.#outer
    yield* this.#upstream()
  }

  /** Walks the operations from which a way leads here. */
  *#upstream(): Generator<string> {
    const seen = new Set<string>()
    const left = [...(this.#before.get(this.#key) ?? [])]
    for (let one = left.pop(); one !== undefined; one = left.pop()) {
      if (seen.has(one)) continue
      seen.add(one)
      yield one
      left.push(...(this.#before.get(one) ?? []))
    }
  }
}
