// The data chain of a run: what its trigger brought, and what its operations have answered.
import type { JsonCopy } from './json-value.ts'
import { below, type ChainPlace } from './place.ts'

/** Maximum bytes of what one operation answers, and of a whole chain, as JSON. */
export const mostResult = 1024 * 1024
export const maxChain = 4 * 1024 * 1024

/** The roots that are there before any operation was run. */
export const ownRoots = ['$trigger', '$last', '$accountability', '$env'] as const

export class Chain {
  readonly #roots = new Map<string, unknown>()
  readonly #sizes = new Map<string, number>()
  #bytes = 0
  #last: JsonCopy = { value: null, bytes: 4 }

  get bytes(): number {
    return this.#bytes
  }

  set(root: string, { value, bytes }: JsonCopy): void {
    this.#bytes += bytes - (this.#sizes.get(root) ?? 0)
    this.#sizes.set(root, bytes)
    this.#roots.set(root, value)
  }

  get last(): JsonCopy {
    return this.#last
  }

  setLast(copy: JsonCopy): void {
    this.#last = copy
    this.#roots.set('$last', copy.value)
  }

  /** Sets what is in it under another name already. */
  point(root: string, value: unknown): void {
    this.#roots.set(root, value)
  }

  /** Returns what is in it under a name; undefined if there is nothing. */
  get(root: string): unknown {
    return this.#roots.get(root)
  }

  delete(root: string): void {
    this.#bytes -= this.#sizes.get(root) ?? 0
    this.#sizes.delete(root)
    this.#roots.delete(root)
  }

  /** Returns what is at a place; undefined if there is nothing. */
  at({ root, steps }: ChainPlace): unknown {
    return below(this.#roots.get(root), steps)
  }

  /** Returns all of it, but the secrets. */
  get all(): Readonly<Record<string, unknown>> {
    return Object.fromEntries([...this.#roots].filter(([root]) => root !== '$env'))
  }
}
