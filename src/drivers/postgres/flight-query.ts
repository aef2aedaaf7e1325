// A query object of pg for statements that are sent together; those with names are prepared by the server. After one that fails
// the server skips the rest. pg's own query asks for the columns each time, and makes an emitter and copies of the statement and of the result,
// which costs more than a small statement itself.
import type { Done } from '../../execution/acquire-timeout.ts'
import { ArrivingBytes } from './arriving-bytes.ts'

/** A column of a statement, as the server describes it. The server refuses to run a prepared one whose columns have changed. */
export interface ResultColumn {
  readonly dataTypeID: number
  readonly name?: string
}

/** The result of a statement. */
export interface ClientResult {
  readonly command: string
  readonly rowCount: number | null
  readonly rows: readonly unknown[]
  readonly fields?: readonly ResultColumn[]
}

/** The result of what is not sent. */
export const nothing: ClientResult = { command: '', rowCount: 0, rows: [] }

/** The part of pg's clients that is used here. */
export interface FlightClient {
  readonly connection: FlightWire
  /** True for statements that do not wait for each other. */
  readonly pipeline?: unknown
  readonly getTypeParser: (type: number, format: 'text') => (text: string) => unknown
}

/** The part of pg's connections that is used here. */
interface FlightWire {
  /** Texts of the statements that the server has prepared, by their names. */
  readonly parsedStatements: Readonly<Record<string, string>>
  readonly stream: { cork?(): void; uncork?(): void }
  parse(message: { readonly name: string; readonly text: string }): void
  bind(message: {
    readonly portal: string
    readonly statement: string
    readonly values: readonly unknown[]
  }): void
  describe(message: { readonly type: 'P'; readonly name: string }): void
  execute(message: { readonly portal: string }): void
  sync(): void
  sendCopyFail?(message: string): void
}

/** True for clients of pg on which statements can be sent this way. */
export function canFly(client: object): client is FlightClient {
  const { connection, getTypeParser }: Partial<FlightClient> = client
  if (typeof getTypeParser !== 'function' || typeof connection !== 'object') return false
  const { parsedStatements, stream, parse, bind, describe, execute, sync }: Partial<FlightWire> = connection
  const isWhole = typeof parsedStatements === 'object' && typeof stream === 'object'
  return isWhole && [parse, bind, describe, execute, sync].every((method) => typeof method === 'function')
}

/** A statement with the values that are sent. */
export interface FlightStatement {
  /** Empty for one without a name. */
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
  /** True if the server has it by its name. */
  readonly isParsed: boolean
  /** Undefined where the server has to describe them. */
  readonly columns: readonly ResultColumn[] | undefined
  /** True if its rows are arrays. */
  readonly isInArrays: boolean
}

interface FlightListener {
  /** Called before anything is sent. */
  readonly sent: () => void
  /** Called with each result, and the columns of its statement. */
  readonly answered: (at: number, result: ClientResult) => void
}

export class FlightQuery {
  /** Set by pg, and replaced if it has a query timeout. */
  callback: Done<ClientResult> | undefined
  readonly #statements: readonly FlightStatement[]
  readonly #client: FlightClient
  readonly #listener: FlightListener
  #at = 0
  #columns: readonly ResultColumn[] | undefined
  #parsers: readonly ((text: string) => unknown)[] | undefined
  #rows: unknown[] = []
  #result: ClientResult = nothing
  #bytes: ArrivingBytes | undefined
  #failure: { readonly error: unknown } | undefined

  constructor(statements: readonly FlightStatement[], client: FlightClient, listener: FlightListener) {
    this.#statements = statements
    this.#client = client
    this.#listener = listener
  }

  /** The statement that the server is at. pg notes by its name that it has been parsed. */
  get name(): string | undefined {
    return this.#statements[this.#at]?.name || undefined
  }

  get text(): string | undefined {
    return this.#statements[this.#at]?.text
  }

  /** Called by pg when its turn has come. */
  submit(wire: FlightWire): null {
    const { stream } = wire
    const parsed: string[] = []
    this.#listener.sent()
    // All messages in one packet.
    stream.cork?.()
    try {
      for (const { name, text, values, isParsed, columns } of this.#statements) {
        if (!isParsed && !parsed.includes(name)) {
          wire.parse({ name, text })
          if (name !== '') parsed.push(name)
        }
        wire.bind({ portal: '', statement: name, values })
        if (!columns) wire.describe({ type: 'P', name: '' })
        wire.execute({ portal: '' })
      }
    } catch (error) {
      this.#failure = { error }
    } finally {
      wire.sync()
      stream.uncork?.()
    }
    return null
  }

  handleRowDescription({ fields }: { readonly fields: readonly ResultColumn[] }): void {
    this.#columns = fields
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.#failure) return
    try {
      this.#bytes ??= new ArrivingBytes(this.text ?? '')
      this.#bytes.add(fields)
      this.#rows.push(this.#read(fields))
    } catch (error) {
      this.#rows = []
      this.#failure = { error }
    }
  }

  /** Called with texts such as `SELECT 5`, `INSERT 0 1` and `COMMIT`. */
  handleCommandComplete({ text }: { readonly text: string }): void {
    const end = text.indexOf(' ')
    const command = end < 0 ? text : text.slice(0, end)
    const rowCount = Number(text.slice(text.lastIndexOf(' ') + 1)) || 0
    const fields = this.#columns ?? this.#statements[this.#at]?.columns ?? []
    const result: ClientResult = { command, rowCount, rows: this.#rows, fields }
    const at = this.#at++
    this.#rows = []
    this.#bytes = undefined
    this.#columns = undefined
    this.#parsers = undefined
    this.#result = result
    this.#listener.answered(at, result)
  }

  /** Called for a text without a statement. */
  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' })
  }

  /** Refuses to copy in. While the server waits for rows it takes no Sync, so that it needs another one. */
  handleCopyInResponse(wire: FlightWire): void {
    wire.sendCopyFail?.('There are no rows to copy.')
    wire.sync()
  }

  /** Takes rows of a copy, which are not returned. */
  handleCopyData(): void {
    return
  }

  handleReadyForQuery(): void {
    if (this.#failure) this.callback?.(this.#failure.error)
    else this.callback?.(null, this.#result)
  }

  handleError(error: unknown): void {
    this.callback?.(error)
  }

  #read(fields: readonly (string | null)[]): unknown {
    const { isInArrays, columns: known = [] } = this.#statements[this.#at] ?? {}
    const columns = this.#columns ?? known
    this.#parsers ??= columns.map(({ dataTypeID }) => this.#client.getTypeParser(dataTypeID, 'text'))
    const { length } = fields
    const row = new Array<unknown>(length)
    for (let at = 0; at < length; at++) {
      const text = fields[at]
      row[at] = text === null || text === undefined ? null : this.#parsers[at]?.(text)
    }
    if (isInArrays) return row
    return Object.fromEntries(row.map((value, at) => [columns[at]?.name ?? String(at), value]))
  }
}
