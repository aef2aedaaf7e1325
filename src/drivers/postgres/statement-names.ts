// Names of a connection's prepared statements. An unnamed statement is parsed and planned on every call, which doubles or triples the cost
// of a small read.
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { isMarked } from '../../dialects/connections/statement-mark.ts'
import { takesTypesUnseen } from '../../dialects/postgres/stored-values.ts'

/** A statement that has failed, with its values. */
interface Suspect {
  readonly text: string
  readonly values: readonly unknown[]
  /** The code of its error. */
  readonly code: string | undefined
}

/** Naming of statements on all connections of a pool. */
export interface Naming {
  /** A statement that has failed in a transaction, maybe since it was prepared for columns of other types. It is sent once more without a name. */
  suspect?: Suspect | undefined
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
  /** True if names that are used no more are taken from the server. */
  readonly #isClosing: boolean
  #named = 0
  #renewed: number
  #age = 0
  #until = 0
  #left: string[] = []

  constructor(most: number, naming: Naming, isClosing: boolean) {
    this.#most = most
    this.#naming = naming
    this.#isClosing = isClosing
    this.#renewed = naming.renewals
  }

  /** Returns the name under which a statement is sent with some values, if it is sent under one. */
  for(text: string, values: readonly unknown[]): string | undefined {
    return this.isSuspect(text, values) || values.some(endsInBlanks) ? undefined : this.of(text)
  }

  of(text: string): string | undefined {
    if (this.#naming.isOver) return undefined
    if (this.#named > 0 && (this.#renewed !== this.#naming.renewals || performance.now() > this.#until))
      this.#forgetNames()
    const known = this.#names.get(text)
    if (known !== undefined) return known
    if (!this.#names.has(text)) return this.#remember(text)
    if (mayBeSeveral(text) || takesTypesUnseen(text)) return undefined
    // The server keeps every named statement until the connection ends, so their number is limited.
    return this.#named < this.#most ? this.#name(text) : undefined
  }

  /** Renames statements after a table has changed: a planned statement has failed, and others would, on every connection. `failed`: its name, if
   *  it still had one. */
  renew(failed: string | undefined): void {
    // Another connection may have found it out meanwhile.
    if (failed === undefined || failed.includes(`_${this.#naming.renewals}_`)) this.#naming.renewals++
  }

  /** Suspects a statement that has failed in a transaction. */
  suspect(failed: Suspect): void {
    this.#naming.suspect = failed
  }

  /** True if this is what was last suspected, which is then judged by how it ends. */
  isSuspect(text: string, values: readonly unknown[]): boolean {
    const { suspect } = this.#naming
    return suspect !== undefined && suspect.text === text && isDeepStrictEqual(suspect.values, values)
  }

  /** Ends the suspicion. If the statement has ended in another way without a name, its names were stale. */
  settle(code: string | undefined): void {
    const isStale = this.#naming.suspect?.code !== code
    this.#naming.suspect = undefined
    if (isStale) this.renew(undefined)
  }

  /** Returns the names that are used no more, once. */
  takeLeft(): readonly string[] {
    const left = this.#left
    if (left.length > 0) this.#left = []
    return left
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
    if (this.#named++ === 0) this.#until = performance.now() + longestAge
    // Another layer may also name statements of the connection: then equal names mean equal statements.
    const name = `quernel_${fingerprint(text)}_${this.#renewed}_${this.#age}`
    this.#names.set(text, name)
    return name
  }

  #forgetNames(): void {
    this.#renewed = this.#naming.renewals
    this.#age++
    this.#until = performance.now() + longestAge
    for (const [text, name] of this.#names) {
      if (name === undefined) continue
      this.#names.set(text, undefined)
      if (this.#isClosing) this.#left.push(name)
    }
    // Else the old ones stay on the server, and count.
    if (this.#isClosing) this.#named = 0
  }

  #remember(text: string): undefined {
    if (this.#names.size >= this.#most * 4) this.#forgetUnnamed()
    this.#names.set(text, undefined)
  }

  #forgetUnnamed(): void {
    for (const [text, name] of this.#names) if (name === undefined) this.#names.delete(text)
  }
}

/** Milliseconds for which names are used: a server keeps the types of the values that a statement compares, and no error reports that those of
 *  the columns have changed. */
const longestAge = 60_000

/** True for a text, or a list with one, that ends in blanks. They mean nothing where a column is `char(n)`, and a server keeps a value of that type
 *  when the column becomes `text`: it would find what has no blanks, without an error. */
function endsInBlanks(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(endsInBlanks)
  // The text of a list has its texts in quotes.
  return typeof value === 'string' && (value.endsWith(' ') || (/^[[{]/.test(value) && value.includes(' "')))
}

/** True for a text that may be several statements, which only an unnamed one may be. Statements of engines are one each. */
export const mayBeSeveral = (text: string) => text.includes(';') && !isMarked(text)

const advice =
  'Give postgresDialect the option "pooled: true". Or let PgBouncer 1.21 or later keep the statements, with max_prepared_statements above 0.'

const fingerprint = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 22)
