// The connections of a pool, as pg has them, each with the names of its statements.
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import { isMarked } from '../../dialects/array-rows.ts'
import { isAborted, isStale } from '../../dialects/postgres/driver-errors.ts'
import { breakOff, isVisitor, isWire } from '../../dialects/postgres/wire.ts'
import { beneath, type RawConnection } from '../../dialects/wire.ts'
import { fault } from '../../errors/errors.ts'
import type { Connection } from '../../execution/connection.ts'
import { cancelOf } from './cancel.ts'
import { overlay } from './proxy.ts'
import { type Renewals, StatementNames } from './statement-names.ts'

/** A client of a pool in its two shapes. */
export interface KnownClient {
  /** As Kysely uses it. */
  readonly face: PostgresPoolClient
  /** As an engine uses it. */
  readonly connection: Connection
  readonly release: () => void
}

const statementsNamed = 500

/** Knows the clients of a pool again, because their names are their own, and Kysely knows a connection by its client.
 *  `most`: how many statements of each are named. */
export function knownClients(
  pool: PostgresPool,
  most = statementsNamed,
): (client: PostgresPoolClient) => KnownClient {
  hearClients(pool)
  const { stream }: { readonly stream?: unknown } = Object(Object(pool).options)
  const known = new WeakMap<PostgresPoolClient, KnownClient>()
  const renewals: Renewals = { count: 0 }
  return (client) => {
    const before = known.get(client)
    if (before) return before
    hearBreaks(client)
    const made = knownClient(client, new StatementNames(most, renewals), stream)
    known.set(client, made)
    return made
  }
}

function knownClient(client: PostgresPoolClient, names: StatementNames, stream: unknown): KnownClient {
  // pg's clients take one object with a name too, and a callback, which Kysely's description of them leaves out.
  const query = client.query.bind(client) as (...given: unknown[]) => unknown
  const ask = <Told>(text: string, values: readonly unknown[], tell: (result: ClientResult) => Told) =>
    new Promise<Told>((resolve, reject) => {
      const send = (name: string | undefined, fail: (error: unknown) => void) => {
        const config = { text, values, ...(name !== undefined && { name }), ...(isMarked(text) && arrays) }
        // The promises of pg hold on to what they have answered, which then is copied from one generation of memory to the next: for a
        // tree of a hundred kilobytes that takes a fifth of what the whole call does.
        const end = (result: ClientResult) =>
          isUndone(text, result) ? reject(undone()) : resolve(tell(result))
        const answer = query(config, (error: unknown, result: ClientResult) =>
          error ? fail(error) : end(result),
        )
        // What is only like pg may know promises alone.
        if (isPromised(answer)) answer.then(end, fail)
      }
      const name = names.of(text)
      send(name, (error) => {
        if (name === undefined || !isStale(error)) return reject(error)
        names.renew(name)
        // Nothing was done, so it can be done anew; but in a transaction, which is over by this.
        send(undefined, (again) => reject(isAborted(again) ? error : again))
      })
    })
  // Whatever is not a text and its values, such as a cursor, passes as it is.
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

/** The line of a client, and how it is given back: one that was closed is not handed on. */
function lineOf(
  client: PostgresPoolClient,
  stream: unknown,
): RawConnection & { readonly release: (error?: unknown) => void } {
  const { connection }: { readonly connection?: unknown } = Object(client) // of which Kysely's description knows nothing
  let closed: Error | undefined
  // Kysely gives it back without a word, and pg takes one that says why it is not to be used again. It is another one each time.
  const giveBack = (error: unknown) => client.release.call(client, ...([error] as unknown as []))
  const close = (reason: Error) => {
    closed = reason
    if (isWire(connection)) breakOff(connection, reason)
  }
  return { close, release: (error) => giveBack(error ?? closed), ...cancelOf(client, stream) }
}

const arrays = { rowMode: 'array' } as const

/** Kysely's description knows the commands alone that it makes itself. */
type ClientResult = Omit<PostgresQueryResult<never>, 'command'> & { readonly command: string }

const asTold = (result: ClientResult) => result

/** What Kysely's own connection answers. */
const answerOf = ({ command, rowCount, rows }: ClientResult) => ({
  rows,
  ...(changes.has(command) && { numAffectedRows: BigInt(rowCount) }),
})

const changes: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

/** How a server answers when a transaction is to be committed in which something has failed. To Kysely that is as good as any answer. */
const isUndone = (text: string, { command }: ClientResult) =>
  command === 'ROLLBACK' && /^\s*(?:commit|end)\b/i.test(text)

const undone = () =>
  fault('SERVICE_UNAVAILABLE', 'This transaction is over, and nothing of it is stored.', {
    hint: 'Something in it has failed before.',
  })

const isPromised = (answer: unknown): answer is PromiseLike<ClientResult> =>
  typeof answer === 'object' && answer !== null && 'then' in answer && typeof answer.then === 'function'

/** A server may end a connection with its first answer, before whoever has asked for it gets to know it. */
function hearClients(pool: PostgresPool): void {
  if (heard.has(pool)) return
  heard.add(pool)
  const { on }: { readonly on?: unknown } = Object(pool)
  if (typeof on === 'function') on.call(pool, 'acquire', hearBreaks)
}

/** The pool hears of a connection that breaks while nobody has it. While somebody has it and asks nothing, as between two pieces
 *  of a stream, nobody would, and an error that nobody hears ends the process. Whoever asks next is told. */
function hearBreaks(client: PostgresPoolClient): void {
  // Many dialects may share a pool, even one for each request.
  if (heard.has(client)) return
  heard.add(client)
  // Kysely's description of a client leaves it out, and what is no client of pg's may not have it.
  const { on }: { readonly on?: unknown } = Object(client)
  if (typeof on === 'function') on.call(client, 'error', () => undefined)
}

/** Pools and clients. */
const heard = new WeakSet<object>()
