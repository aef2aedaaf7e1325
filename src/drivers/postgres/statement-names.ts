// Names of a connection's prepared statements. An unnamed statement is parsed and planned on every call, which doubles or triples the cost
// of a small read.
import { createHash } from 'node:crypto'
import { isMarked } from '../../dialects/statement-mark.ts'

/** Naming of statements on all connections of a pool. */
export interface Naming {
  /** Number of times that the statements were renamed. */
  renewals: number
  /** True if the connections share their server connections with others, by a pooler: then no name is certain to be known. */
  isOver: boolean
}

/** Names of one connection's prepared statements. Most statements of an application are repeated; those that are not get no name. */
export class StatementNames {
  readonly #names = new Map<string, string | undefined>()
  readonly #most: number
  readonly #naming: Naming
  #named = 0
  #renewed: number

  constructor(most: number, naming: Naming) {
    this.#most = most
    this.#naming = naming
    this.#renewed = naming.renewals
  }

  of(text: string): string | undefined {
    if (this.#naming.isOver) return undefined
    if (this.#renewed !== this.#naming.renewals) this.#forgetNames()
    const known = this.#names.get(text)
    if (known !== undefined) return known
    if (!this.#names.has(text)) return this.#remember(text)
    if (mayBeSeveral(text)) return undefined
    // The server keeps every named statement until the connection ends, so their number is limited.
    return this.#named < this.#most ? this.#name(text) : undefined
  }

  /** Renames statements after a table has changed: a planned statement has failed, and others would, on every connection. The old names
   *  stay on the server, so the statements get new names, as long as the limit allows. */
  renew(failed: string): void {
    // Another connection may have found it out meanwhile.
    if (failed.endsWith(`_${this.#naming.renewals}`)) this.#naming.renewals++
  }

  /** Ends the naming of statements on all connections of the pool, after a name was unknown to the server, or taken. */
  end(): void {
    if (this.#naming.isOver) return
    this.#naming.isOver = true
    this.#names.clear()
    process.emitWarning(
      'PostgreSQL does not know a statement that was prepared on this connection, as behind a pooler that shares connections of the server. Statements of this pool are no longer prepared by name.',
      { code: 'QUERNEL_POOLER', detail: advice },
    )
  }

  #name(text: string): string {
    this.#named++
    // Another layer may also name statements of the connection: then equal names mean equal statements.
    const name = `quernel_${fingerprint(text)}_${this.#renewed}`
    this.#names.set(text, name)
    return name
  }

  #forgetNames(): void {
    this.#renewed = this.#naming.renewals
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

/** True for a text that may be several statements, which only an unnamed one may be. Statements of engines are one each. */
const mayBeSeveral = (text: string) => text.includes(';') && !isMarked(text)

const advice =
  'Give postgresDialect the option "pooled: true". Or let PgBouncer 1.21 or later keep the statements, with max_prepared_statements above 0.'

const fingerprint = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 22)
