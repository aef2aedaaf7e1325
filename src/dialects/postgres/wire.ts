// The raw connection beneath Kysely's own PostgresDialect, which keeps its client private. With pg, a query
// object may write itself to the wire, as its cursors do. So an object that sends nothing learns which
// connection that is, and the server is not involved.
import { unreachable } from '../../errors/errors.ts'
import { passToClient } from '../connections/kysely-connections.ts'
import { type RawConnection, rawConnection } from '../connections/wire.ts'

/** Returns undefined if the raw connection is unknown, or busy. */
export function rawOf(connection: object): RawConnection | undefined {
  if (hasRaw(connection)) return connection[rawConnection]
  const known = lines.get(connection)
  if (known) return known
  const raw = rawMet(connection)
  if (raw) lines.set(connection, raw)
  return raw
}

const lines = new WeakMap<object, RawConnection>()

const hasRaw = (connection: object): connection is { readonly [rawConnection]: RawConnection } =>
  rawConnection in connection

function rawMet(connection: object): RawConnection | undefined {
  const visitor = new Visitor()
  return passToClient(connection, visitor) ? visitor.raw : undefined
}

/** The process may have two copies of this file, one for each entry. */
const visiting: unique symbol = Symbol.for('quernel.visitor')

export const isVisitor = (input: unknown): input is Visitor =>
  typeof input === 'object' && input !== null && visiting in input

/** A query object that is submitted, and sends nothing. */
class Visitor {
  readonly [visiting] = true
  raw: RawConnection | undefined
  /** Set by pg if it has a query timeout. */
  callback: ((error: unknown) => void) | undefined

  /** Called by pg when its turn has come. The returned error keeps pg from waiting for the server. */
  submit(connection: unknown): Error {
    if (isWire(connection)) this.raw = { close: (reason) => breakOff(connection, reason) }
    return unreachable('nothing was to be sent')
  }

  handleError(error: unknown): void {
    this.callback?.(error)
  }
}

/** The connection of a pg client, which reads and writes the wire. */
export interface Wire {
  emit(event: string, error: Error): unknown
}

export const isWire = (input: unknown): input is Wire =>
  typeof input === 'object' && input !== null && 'emit' in input && typeof input.emit === 'function'

/** Marks the connection of a client of pg as broken. It rejects all waiting queries, and its pool destroys it
 *  when it is released. */
export function breakOff(wire: Wire, reason: Error): void {
  try {
    wire.emit('error', reason)
  } catch (error) {
    // The client emits it again, and while it is in use there may be no listener: then the reason itself is
    // thrown. Any other error is one of a listener's own. It becomes an uncaught exception as usual, and
    // waiting queries are rejected nevertheless.
    if (error === reason) return
    queueMicrotask(() => {
      throw error
    })
  }
}
