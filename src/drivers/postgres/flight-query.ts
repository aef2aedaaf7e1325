// A query object of pg for several statements that are sent together. After one that fails the server skips the rest.
import type { Done } from '../../execution/acquire-timeout.ts'
import { ArrivingBytes } from './arriving-bytes.ts'
import type { ClientResult, PreparingClient, ResultColumn } from './prepared-query.ts'

/** The part of pg's connections that is used here. */
export interface FlightWire {
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
  readonly columns: readonly FlightColumn[] | undefined
  /** True if its rows are arrays. */
  readonly isInArrays: boolean
}

interface FlightColumn extends ResultColumn {
  readonly name?: string
}

/** True for clients of pg on which statements can be sent together. */
export function canFly(client: PreparingClient): boolean {
  const { parse, describe }: Partial<FlightWire> = client.connection as object // missing in the part that others use
  return typeof parse === 'function' && typeof describe === 'function' && !client.pipeline
}

interface FlightListener {
  /** Called before anything is sent. */
  readonly sent: () => void
  /** Called with each result, and the columns of its statement. */
  readonly answered: (at: number, result: ClientResult) => void
}

export class FlightQuery {
  /** Set by pg, and replaced if it has a query timeout. */
  callback: Done<void> | undefined
  readonly #statements: readonly FlightStatement[]
  readonly #client: PreparingClient
  readonly #listener: FlightListener
  #at = 0
  #columns: readonly FlightColumn[] | undefined
  #rows: unknown[] = []
  #bytes: ArrivingBytes | undefined
  #failure: { readonly error: unknown } | undefined

  constructor(
    statements: readonly FlightStatement[],
    client: PreparingClient,
    listener: FlightListener,
    callback: Done<void>,
  ) {
    this.#statements = statements
    this.#client = client
    this.#listener = listener
    this.callback = callback
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
    const parsed = new Set<string>()
    this.#listener.sent()
    // All messages in one packet.
    stream.cork?.()
    try {
      for (const { name, text, values, isParsed, columns } of this.#statements) {
        if (!isParsed && !parsed.has(name)) wire.parse({ name, text })
        if (name !== '') parsed.add(name)
        wire.bind({ portal: '', statement: name, values })
        if (!columns) wire.describe({ type: 'P', name: '' })
        wire.execute({ portal: '' })
      }
      wire.sync()
    } finally {
      stream.uncork?.()
    }
    return null
  }

  handleRowDescription({ fields }: { readonly fields: readonly FlightColumn[] }): void {
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
    const [command = ''] = text.split(' ', 1)
    const rowCount = Number(text.slice(text.lastIndexOf(' ') + 1)) || 0
    const fields = this.#columns ?? this.#statements[this.#at]?.columns ?? []
    const result: ClientResult = { command, rowCount, rows: this.#rows, fields }
    const at = this.#at++
    this.#rows = []
    this.#bytes = undefined
    this.#columns = undefined
    this.#listener.answered(at, result)
  }

  handleReadyForQuery(): void {
    this.callback?.(this.#failure?.error ?? null)
  }

  handleError(error: unknown): void {
    this.callback?.(error)
  }

  #read(fields: readonly (string | null)[]): unknown {
    const statement = this.#statements[this.#at]
    const columns = this.#columns ?? statement?.columns ?? []
    const row = fields.map((text, at) =>
      text === null ? null : this.#client.getTypeParser(columns[at]?.dataTypeID ?? 0, 'text')(text),
    )
    if (statement?.isInArrays) return row
    return Object.fromEntries(row.map((value, at) => [columns[at]?.name ?? String(at), value]))
  }
}
