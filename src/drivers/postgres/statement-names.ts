// Names of a connection's prepared statements. An unnamed statement is parsed and planned on every call, which doubles or triples the cost
// of a small read.
import { createHash } from 'node:crypto'

/** Number of times that the statements of some connections were renamed. */
export interface Renewals {
  count: number
}

/** Names of one connection's prepared statements. Most statements of an application are repeated; those that are not get no name. */
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
    // The server keeps every named statement until the connection ends, so their number is limited.
    return this.#named < this.#most ? this.#name(text) : undefined
  }

  /** Renames statements after a table has changed: a planned statement has failed, and others would, on every connection. The old names
   *  stay on the server, so the statements get new names, as long as the limit allows. */
  renew(failed: string): void {
    // Another connection may have found it out meanwhile.
    if (failed.endsWith(`_${this.#renewals.count}`)) this.#renewals.count++
  }

  #name(text: string): string {
    this.#named++
    // Another layer may also name statements of the connection: then equal names mean equal statements.
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
