// What the statements of a connection are called. An unnamed one is parsed and planned on every call, which doubles or triples the cost of
// a small read.
import { createHash } from 'node:crypto'

/** The names of one connection's statements. Most statements of an application come again; those that do not get no name. */
export class Names {
  readonly #names = new Map<string, string | undefined>()
  readonly #most: number
  #named = 0
  #forgotten = 0

  constructor(most: number) {
    this.#most = most
  }

  of(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined) return known
    if (!this.#names.has(text)) return this.#remember(text)
    // The server keeps every named statement until the connection ends, so there has to be an end to them.
    return this.#named < this.#most ? this.#name(text) : undefined
  }

  /** The name stays taken on the server, so the statement gets another, if there is one left. */
  forget(text: string): void {
    this.#forgotten++
    this.#names.set(text, undefined)
  }

  #name(text: string): string {
    this.#named++
    // Somebody else may name statements of the same connection, too: then a name means the same statement.
    const name = `quernel_${fingerprint(text)}_${this.#forgotten}`
    this.#names.set(text, name)
    return name
  }

  #remember(text: string): undefined {
    if (this.#names.size >= this.#most * 4) this.#forgetUnnamed()
    this.#names.set(text, undefined)
  }

  #forgetUnnamed(): void {
    for (const [text, name] of this.#names) if (name === undefined) this.#names.delete(text)
  }
}

const fingerprint = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 22)
