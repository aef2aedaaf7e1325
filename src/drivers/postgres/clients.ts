// Clients of a pg pool, each with the names of its prepared statements.
import type { PostgresPool, PostgresPoolClient, QueryResult } from 'kysely'
import { type RawConnection, rawConnection } from '../../dialects/connections/wire.ts'
import { codeOf } from '../../dialects/error-codes.ts'
import { breakOff, isVisitor, isWire } from '../../dialects/postgres/wire.ts'
import { fault } from '../../errors/errors.ts'
import type { Done } from '../../execution/acquire-timeout.ts'
import { type Connection, type SendTogether, together } from '../../execution/connection.ts'
import { cancelOf } from './cancel.ts'
import { ClientStatements } from './client-statements.ts'
import { canClose } from './close-statements.ts'
import type { ClientResult } from './flight-query.ts'
import { overlay } from './proxy.ts'
import { type Naming, StatementNames } from './statement-names.ts'

/** A client of a pool with its two interfaces. */
export interface KnownClient {
  /** Interface for Kysely. */
  readonly kyselyClient: PostgresPoolClient
  /** Interface for an engine. */
  readonly connection: Connection
  /** Runs a statement for an engine, without a promise. */
  readonly run: <Row>(sql: string, parameters: readonly unknown[], done: Done<QueryResult<Row>>) => void
  /** True if the bytes of results are counted as they arrive. */
  readonly countsBytes: boolean
  /** The raw connection. */
  readonly raw: RawConnection
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
  const { stream, binary }: { readonly stream?: unknown; readonly binary?: unknown } = Object(
    Object(pool).options,
  )
  if (binary) throw inBinary()
  const known = new WeakMap<PostgresPoolClient, KnownClient>()
  const naming: Naming = { renewals: 0, isOver: false }
  return (client) => {
    const before = known.get(client)
    if (before) return before
    hearBreaks(client)
    const made = knownClient(client, new StatementNames(most, naming, canClose(client)), stream)
    known.set(client, made)
    return made
  }
}

const inBinary = () =>
  fault(
    'INVALID_OPTIONS',
    'The pool has its values in the binary format, in which pg does not read them as arrays.',
    {
      path: ['pool'],
      hint: 'Make the pool without "binary: true".',
    },
  )

function knownClient(client: PostgresPoolClient, names: StatementNames, stream: unknown): KnownClient {
  const raw = rawOf(client, stream)
  const statements = new ClientStatements(client, names, raw)
  // Anything but a text and its values, such as a cursor, is passed through.
  const isPlain = (input: readonly unknown[]): input is [string, readonly unknown[]] =>
    input.length === 2 && typeof input[0] === 'string' && Array.isArray(input[1])
  const pass = (input: readonly unknown[]) => {
    const [first] = input
    if (!isVisitor(first)) return statements.pass(input)
    first.raw = raw
    return first
  }
  const release = (error?: unknown) => {
    statements.left()
    raw.release(error)
  }
  const kyselyClient = overlay(client, {
    query: (...input: unknown[]) =>
      isPlain(input) ? promised((done: Done<ClientResult>) => statements.run(...input, done)) : pass(input),
    release,
  })
  const answer: KnownClient['run'] = (text, values, done) =>
    statements.run(text, values, (error, result) => done(error, result && answerOf(result)))
  const executeQuery: Connection['executeQuery'] = ({ sql, parameters }) =>
    promised((done) => answer(sql, parameters, done))
  const sendTogether: SendTogether = (sending, { sent, answered }) => {
    let fail: (error: unknown) => void = () => undefined
    let end = (): void => undefined
    const flight = new Promise<void>((resolve, reject) => {
      end = resolve
      fail = reject
    })
    const isSent = statements.fly(
      sending.map(({ sql, parameters }) => ({ text: sql, values: parameters })),
      { sent, answered: (at, result) => answered(at, answerOf(result)) },
      (error) => (error ? fail(error) : end()),
    )
    return isSent ? flight : undefined
  }
  const connection: Connection & {
    readonly [rawConnection]: RawConnection
    readonly [together]: SendTogether
  } = { executeQuery, [rawConnection]: raw, [together]: sendTogether }
  return { kyselyClient, connection, run: answer, countsBytes: statements.countsBytes, raw, release }
}

/** Makes a promise of what calls back. */
const promised = <Result>(send: (done: Done<Result>) => void): Promise<Result> =>
  new Promise((resolve, reject) =>
    send((error, result) => {
      if (error) reject(error)
      // Without an error there is a result.
      else resolve(result as Result)
    }),
  )

interface RawClient extends RawConnection {
  readonly release: (error?: unknown) => void
  /** Marks that the server ends the connection, so that it is not handed out again. */
  readonly lose: (reason: unknown) => void
}

/** Returns the raw connection of a client, with its release: a closed one is not reused. */
function rawOf(client: PostgresPoolClient, stream: unknown): RawClient {
  const { connection }: { readonly connection?: unknown } = Object(client) // missing in Kysely's type
  let closed: unknown
  // Kysely releases a client without arguments, and pg accepts an error to discard it. It is a new connection each time.
  const giveBack = (error: unknown) => client.release.call(client, ...([error] as unknown as []))
  const close = (reason: Error) => {
    closed ??= reason
    if (isWire(connection)) breakOff(connection, reason)
  }
  const lose = (reason: unknown) => {
    closed ??= reason
  }
  const release = (error: unknown) => giveBack(error ?? closed)
  const isInTransaction = () => isIdleInTransaction(client)
  const status = { closedBy: () => closed, isInTransaction, reportsRollbacks: true } as const
  return { ...status, close, lose, release, ...cancelOf(client, stream) }
}

/** The state of a connection, as newer versions of pg keep it of each answer. */
interface StatusClient {
  readonly readyForQuery: unknown
  getTransactionStatus(): unknown
}

function isIdleInTransaction(client: object): boolean {
  const { readyForQuery, getTransactionStatus }: Partial<StatusClient> = client
  return readyForQuery === true && getTransactionStatus?.call(client) === 'T'
}

/** Returns a result like that of Kysely's own connection. */
function answerOf<Row>({ command, rowCount, rows }: ClientResult): QueryResult<Row> {
  const input = rows as Row[] // rows are read by their positions
  return changes.has(command) ? { rows: input, numAffectedRows: BigInt(rowCount ?? 0) } : { rows: input }
}

const changes: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

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
  catchLongValues(client)
  // Kysely's type omits it, and clients of other libraries may not have it.
  const { on }: { readonly on?: unknown } = Object(client)
  if (typeof on === 'function') on.call(client, 'error', () => undefined)
}

/** Pools and clients with listeners. */
const heard = new WeakSet<object>()

// A value that is longer than a text of JavaScript can be. pg meets it in a listener of its socket, where what is thrown would end the process.

/** The part of a socket that is used here. */
interface Socket {
  listeners(event: 'data'): readonly ((chunk: unknown) => unknown)[]
  on(event: 'data', listener: (chunk: unknown) => void): unknown
  off(event: 'data', listener: (chunk: unknown) => unknown): unknown
}

/** Ends the connection of a client of pg with its call, where a value cannot be read. */
function catchLongValues(client: object): void {
  const { connection }: { readonly connection?: unknown } = Object(client)
  const { stream }: { readonly stream?: unknown } = Object(connection)
  if (!isWire(connection) || !isSocket(stream)) return
  for (const listener of stream.listeners('data')) {
    let isBroken = false
    stream.on('data', (chunk) => {
      // The parser would meet the same value again.
      if (isBroken) return
      try {
        listener.call(stream, chunk)
      } catch (error) {
        if (codeOf(error) !== 'ERR_STRING_TOO_LONG') throw error
        isBroken = true
        breakOff(connection, tooLong(error))
      }
    })
    stream.off('data', listener)
  }
}

const isSocket = (input: unknown): input is Socket =>
  typeof input === 'object' &&
  input !== null &&
  ['listeners', 'on', 'off'].every((method) => typeof Reflect.get(input, method) === 'function')

const tooLong = (cause: unknown) =>
  fault('INVALID_QUERY', 'A value of the answer is longer than a text may be.', {
    hint: 'Ask for fewer items or fields.',
    cause,
  })
