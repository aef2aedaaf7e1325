// What is beneath a connection of Kysely's own PostgresDialect, which keeps its client to itself. With pg, what is asked may write itself to
// the line, as its cursors do. So something that has nothing to say learns which line that is, and the server hears nothing of it.
import { unreachable } from '../../errors/errors.ts'
import { beneath, type RawConnection } from '../wire.ts'

/** Undefined where nothing is known of what is beneath, or where it is busy. */
export function lineOf(connection: object): RawConnection | undefined {
  if (hasLine(connection)) return connection[beneath]
  const known = lines.get(connection)
  if (known) return known
  const line = connection.constructor.name === 'PostgresConnection' ? lineMet(connection) : undefined
  if (line) lines.set(connection, line)
  return line
}

const lines = new WeakMap<object, RawConnection>()

const hasLine = (connection: object): connection is { readonly [beneath]: RawConnection } =>
  beneath in connection

function lineMet(connection: object): RawConnection | undefined {
  const visitor = new Visitor()
  // Where the host wants to know of every statement, Kysely has put a method of its own in front of this one.
  const { executeQuery } = Object.getPrototypeOf(connection)
  executeQuery.call(connection, { sql: visitor, parameters: [] }).then(undefined, () => undefined)
  return visitor.line
}

/** There may be two copies of this file in a process, one for each entry. */
const visiting: unique symbol = Symbol.for('quernel.visitor')

export const isVisitor = (given: unknown): given is Visitor =>
  typeof given === 'object' && given !== null && visiting in given

/** Something that is asked, and is never sent. */
class Visitor {
  readonly [visiting] = true
  line: RawConnection | undefined
  /** Put here by pg where it waits for answers for some time only. */
  callback: ((error: unknown) => void) | undefined

  /** Called by pg, when its turn has come. What it answers keeps pg from waiting for the server. */
  submit(connection: unknown): Error {
    if (isWire(connection)) this.line = { close: (reason) => breakOff(connection, reason) }
    return unreachable('nothing was to be sent')
  }

  handleError(error: unknown): void {
    this.callback?.(error)
  }
}

/** What pg reads and writes by. */
export interface Wire {
  emit(event: string, error: Error): unknown
}

export const isWire = (given: unknown): given is Wire =>
  typeof given === 'object' && given !== null && 'emit' in given && typeof given.emit === 'function'

/** Lets a client of pg know that its connection is broken. It tells whoever waits for an answer, and its pool destroys it when it comes
 *  back. */
export function breakOff(wire: Wire, reason: Error): void {
  try {
    wire.emit('error', reason)
  } catch (error) {
    // The client says so itself, too, and while it is held there may be nobody who listens: then the reason itself is thrown. Any other error
    // is one of a listener's own. It goes where errors of listeners go, and whoever waits here is told of the broken connection nevertheless.
    if (error === reason) return
    queueMicrotask(() => {
      throw error
    })
  }
}
