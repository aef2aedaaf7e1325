// Clients of a pg pool, each with the names of its prepared statements.
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import { isAborted, isNameUncertain, isStale } from '../../dialects/postgres/driver-errors.ts'
import { breakOff, isVisitor, isWire } from '../../dialects/postgres/wire.ts'
import { isMarked } from '../../dialects/statement-mark.ts'
import { beneath, type RawConnection } from '../../dialects/wire.ts'
import { fault } from '../../errors/errors.ts'
import type { Connection } from '../../execution/connection.ts'
import { cancelOf } from './cancel.ts'
import { overlay } from './proxy.ts'
import { type Naming, StatementNames } from './statement-names.ts'

/** A client of a pool with its two interfaces. */
export interface KnownClient {
  /** Interface for Kysely. */
  readonly face: PostgresPoolClient
  /** Interface for an engine. */
  readonly connection: Connection
  readonly release: () => void
}

const statementsNamed = 500

/** Returns a function that recognises the clients of a pool, because statement names belong to a client, and Kysely identifies a connection
 *  by its client. `most`: the maximum number of named statements of each. */
export function knownClients(
  pool: PostgresPool,
  most = statementsNamed,
): (client: PostgresPoolClient) => KnownClient {
  hearClients(pool)
  const { stream }: { readonly stream?: unknown } = Object(Object(pool).options)
  const known = new WeakMap<PostgresPoolClient, KnownClient>()
  const naming: Naming = { renewals: 0, isOver: false }
  return (client) => {
    const before = known.get(client)
    if (before) return before
    hearBreaks(client)
    const made = knownClient(client, new StatementNames(most, naming), stream)
    known.set(client, made)
    return made
  }
}

function knownClient(client: PostgresPoolClient, names: StatementNames, stream: unknown): KnownClient {
  // pg's clients also accept an object with a name, and a callback, which Kysely's type omits.
  const query = client.query.bind(client) as (...given: unknown[]) => unknown
  const ask = <Told>(text: string, values: readonly unknown[], tell: (result: ClientResult) => Told) =>
    new Promise<Told>((resolve, reject) => {
      const send = (name: string | undefined, fail: (error: unknown) => void) => {
        const config = { text, values, ...(name !== undefined && { name }), ...(isMarked(text) && arrays) }
        // The promises of pg retain their results, which are then copied from one generation of memory to the next: for a tree of a hundred
        // kilobytes that takes a fifth of the time of the whole call.
        const end = (result: ClientResult) =>
          isUndone(text, result) ? reject(undone()) : resolve(tell(result))
        const answer = query(config, (error: unknown, result: ClientResult) =>
          error ? fail(error) : end(result),
        )
        // Clients compatible with pg may support promises only.
        if (isPromised(answer)) answer.then(end, fail)
      }
      const name = names.of(text)
      send(name, (error) => {
        if (name === undefined) return reject(error)
        if (isStale(error)) names.renew(name)
        else if (isNameUncertain(error)) names.end()
        else return reject(error)
        // Nothing was done, so the statement can be retried; except in a transaction, which has failed by this.
        send(undefined, (again) => reject(isAborted(again) ? error : again))
      })
    })
  // Anything but a text and its values, such as a cursor, is passed through.
  const isPlain = (given: readonly unknown[]): given is [string, readonly unknown[]] =>
    given.length === 2 && typeof given[0] === 'string' && Array.isArray(given[1])
  const line = lineOf(client, stream)
  const pass = (given: readonly unknown[]) => {
    const [first] = given
    if (!isVisitor(first)) return query(...given)
    first.line = line
    return first
  }
  const face = overlay(client, {
    query: (...given: unknown[]) => (isPlain(given) ? ask(...given, asTold) : pass(given)),
    release: line.release,
  })
  const executeQuery: Connection['executeQuery'] = ({ sql, parameters }) => ask(sql, parameters, answerOf)
  const connection: Connection & { readonly [beneath]: RawConnection } = { executeQuery, [beneath]: line }
  return { face, connection, release: line.release }
}

/** Returns the raw connection of a client, with its release: a closed one is not reused. */
function lineOf(
  client: PostgresPoolClient,
  stream: unknown,
): RawConnection & { readonly release: (error?: unknown) => void } {
  const { connection }: { readonly connection?: unknown } = Object(client) // missing in Kysely's type
  let closed: Error | undefined
  // Kysely releases a client without arguments, and pg accepts an error to discard it. It is a new connection each time.
  const giveBack = (error: unknown) => client.release.call(client, ...([error] as unknown as []))
  const close = (reason: Error) => {
    closed = reason
    if (isWire(connection)) breakOff(connection, reason)
  }
  return { close, release: (error) => giveBack(error ?? closed), ...cancelOf(client, stream) }
}

const arrays = { rowMode: 'array' } as const

/** Kysely's type has only the commands that it generates itself. */
type ClientResult = Omit<PostgresQueryResult<never>, 'command'> & { readonly command: string }

const asTold = (result: ClientResult) => result

/** Returns a result like that of Kysely's own connection. */
const answerOf = ({ command, rowCount, rows }: ClientResult) => ({
  rows,
  ...(changes.has(command) && { numAffectedRows: BigInt(rowCount) }),
})

const changes: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

/** True if the server has rolled back a failed transaction on commit. Kysely treats this as a success. */
const isUndone = (text: string, { command }: ClientResult) =>
  command === 'ROLLBACK' && /^\s*(?:commit|end)\b/i.test(text)

const undone = () =>
  fault('SERVICE_UNAVAILABLE', 'This transaction is over, and nothing of it is stored.', {
    hint: 'Something in it has failed before.',
  })

const isPromised = (answer: unknown): answer is PromiseLike<ClientResult> =>
  typeof answer === 'object' && answer !== null && 'then' in answer && typeof answer.then === 'function'

/** Listens for errors of new clients. A server may end a connection with its first response, before the caller has got it. */
function hearClients(pool: PostgresPool): void {
  if (heard.has(pool)) return
  heard.add(pool)
  const { on }: { readonly on?: unknown } = Object(pool)
  if (typeof on === 'function') on.call(pool, 'acquire', hearBreaks)
}

/** Listens for errors of a client. The pool listens only while the client is idle in it. While it is checked out and runs nothing, as
 *  between two pieces of a stream, no other listener exists, and an unhandled error ends the process. The next statement reports it. */
function hearBreaks(client: PostgresPoolClient): void {
  // Many dialects may share a pool, even one for each request.
  if (heard.has(client)) return
  heard.add(client)
  // Kysely's type omits it, and clients of other libraries may not have it.
  const { on }: { readonly on?: unknown } = Object(client)
  if (typeof on === 'function') on.call(client, 'error', () => undefined)
}

/** Pools and clients with listeners. */
const heard = new WeakSet<object>()
