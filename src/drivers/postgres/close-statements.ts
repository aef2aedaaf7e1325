// A query object of pg that takes statements from the server that it has prepared, and which are used no more.
import type { Done } from '../../execution/acquire-timeout.ts'

/** The part of pg's connections that is used here. */
interface ClosingWire {
  /** Texts of the statements that the server has prepared, by their names. */
  readonly parsedStatements: Readonly<Record<string, string>>
  readonly stream: { cork?(): void; uncork?(): void }
  close(message: { readonly type: 'S'; readonly name: string }): void
  sync(): void
}

/** True for clients of pg on which statements can be closed. */
export function canClose(client: object): boolean {
  const {
    connection,
    pipeline,
  }: { readonly connection?: Partial<ClosingWire>; readonly pipeline?: unknown } = client
  if (pipeline) return false
  return typeof connection?.close === 'function' && typeof connection.sync === 'function'
}

export class CloseStatements {
  readonly #names: readonly string[]
  /** Replaced by pg if it has a query timeout. */
  callback: Done<unknown>

  /** `done`: called in any case. If the connection is broken, the next statement reports it. */
  constructor(names: readonly string[], done: () => void) {
    this.#names = names
    this.callback = () => done()
  }

  /** Called by pg when its turn has come. It gets an error if nothing was sent. */
  submit(wire: ClosingWire): unknown {
    const { stream, parsedStatements } = wire
    stream.cork?.()
    try {
      for (const name of this.#names) {
        Reflect.deleteProperty(parsedStatements, name)
        wire.close({ type: 'S', name })
      }
      wire.sync()
    } catch (error) {
      return error
    } finally {
      stream.uncork?.()
    }
    return null
  }

  handleReadyForQuery(): void {
    this.callback(null)
  }

  handleError(error: unknown): void {
    this.callback(error)
  }
}
