// What the statements of a connection are called. An unnamed one is parsed and planned on every call, which doubles or triples the cost of
// a small read.
import { createHash } from 'node:crypto'

/** How often the statements of some connections had to be named anew. */
export interface Renewals {
  count: number
}

/** The names of one connection's statements. Most statements of an application come again; those that do not get no name. */
export class StatementNames {
  readonly #names = new Map<string, string | undefined>()
  readonly #most: number
  readonly #renewals: Renewals
  #named = 0
  #renewed: number

  constructor(most: number, renewals: Renewals) {
    this.#most = most
    this.#renewals = renewals
    this.#renewed = renewals.count
  }

  of(text: string): string | undefined {
    if (this.#renewed !== this.#renewals.count) this.#forgetNames()
    const known = this.#names.get(text)
    if (known !== undefined) return known
    if (!this.#names.has(text)) return this.#remember(text)
    // The server keeps every named statement until the connection ends, so there has to be an end to them.
    return this.#named < this.#most ? this.#name(text) : undefined
  }

  /** A table has changed: a statement that was planned before has failed, and others would, on every connection. What is named so stays
   *  on the server, so the statements get other names, as long as there are some left. */
  renew(failed: string): void {
    // Others may have found it out meanwhile.
    if (failed.endsWith(`_${this.#renewals.count}`)) this.#renewals.count++
  }

  #name(text: string): string {
    this.#named++
    // Somebody else may name statements of the same connection, too: then a name means the same statement.
    const name = `quernel_${fingerprint(text)}_${this.#renewed}`
    this.#names.set(text, name)
    return name
  }

  #forgetNames(): void {
    this.#renewed = this.#renewals.count
    for (const text of this.#names.keys()) this.#names.set(text, undefined)
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
