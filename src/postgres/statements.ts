// Named statements. An unnamed one is parsed and planned on every call, which doubles or triples the cost of a small read.
import { createHash } from 'node:crypto'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { isMarked } from '../dialects/mark.ts'

const statementsNamed = 500

/** The same pool, whose connections name the statements that they are asked more than once.
 *  @example import { PostgresDialect } from 'kysely'
 *  import pg from 'pg'
 *
 *  const dialect = new PostgresDialect({ pool: nameStatements(new pg.Pool(), { statements: 100 }) }) */
export function nameStatements(
  pool: PostgresPool,
  options: { readonly statements?: number } = {},
): PostgresPool {
  const most = options.statements ?? statementsNamed
  // Kysely knows a connection by its client, so a client always gets the same face.
  const faces = new WeakMap<PostgresPoolClient, PostgresPoolClient>()
  const connect = async () => {
    const client = await pool.connect()
    const known = faces.get(client)
    if (known) return known
    const face = namingClient(client, new Names(most))
    faces.set(client, face)
    hearBreaks(client)
    return face
  }
  return overlay(pool, { connect })
}

/** The pool hears of a connection that breaks while nobody has it. While somebody has it and asks nothing, as between two pieces
 *  of a stream, nobody would, and an error that nobody hears ends the process. Whoever asks next is told. */
function hearBreaks(client: PostgresPoolClient): void {
  // Kysely's description of a client leaves it out, and what is no client of pg's may not have it.
  const { on }: { readonly on?: unknown } = Object(client)
  if (typeof on === 'function') on.call(client, 'error', () => undefined)
}

function namingClient(client: PostgresPoolClient, names: Names): PostgresPoolClient {
  // pg's clients take one object with a name too, and a callback, which Kysely's description of them leaves out.
  const query = client.query.bind(client) as (...given: unknown[]) => unknown
  const ask = (config: object) =>
    new Promise((resolve, reject) => {
      // The promises of pg hold on to what they have answered, which then is copied from one generation of memory to the next: for a
      // tree of a hundred kilobytes that takes a fifth of what the whole call does.
      const answer = query(config, (error: unknown, result: unknown) =>
        error ? reject(error) : resolve(result),
      )
      // What is only like pg may know promises alone.
      if (isPromised(answer)) answer.then(resolve, reject)
    })
  const run = async (text: string, values: readonly unknown[]) => {
    const name = names.of(text)
    const config = { text, values, ...(name !== undefined && { name }), ...(isMarked(text) && arrays) }
    try {
      return await ask(config)
    } catch (error) {
      if (isStale(error)) names.forget(text)
      throw error
    }
  }
  // Whatever is not a text and its values, such as a cursor, passes as it is.
  const isPlain = (given: readonly unknown[]): given is [string, readonly unknown[]] =>
    given.length === 2 && typeof given[0] === 'string' && Array.isArray(given[1])
  return overlay(client, {
    query: (...given: unknown[]) => (isPlain(given) ? run(...given) : query(...given)),
  })
}

const arrays = { rowMode: 'array' } as const

const isPromised = (answer: unknown): answer is PromiseLike<unknown> =>
  typeof answer === 'object' && answer !== null && 'then' in answer && typeof answer.then === 'function'

/** What a change of a table's columns makes of the statements that were planned before. */
const isStale = (error: unknown) =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === '0A000'

/** The names of one connection's statements. Most statements of an application come again; those that do not get no name. */
class Names {
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

/** An object with some members replaced. The methods of the original keep their own `this`, and with it their private fields. */
function overlay<Target extends object>(target: Target, members: Readonly<Record<string, unknown>>): Target {
  return new Proxy(target, {
    get: (original, key) => {
      if (typeof key === 'string' && Object.hasOwn(members, key)) return members[key]
      const value: unknown = Reflect.get(original, key, original)
      return typeof value === 'function' && !isClass(value) ? value.bind(original) : value
    },
  })
}

// Kysely 0.29 takes the class of control connections from the pool.
const isClass = (value: object) => /^class\b/.test(Function.prototype.toString.call(value))
