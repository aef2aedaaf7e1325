// A query object of pg for a statement that the server has prepared, and whose columns are known. pg's own asks for the columns each time,
// and makes an emitter and copies of the statement and of the result, which costs more than a small statement itself.

import type { Done } from '../../execution/acquire-timeout.ts'
import { ArrivingBytes } from './arriving-bytes.ts'

/** A column of a prepared statement, as the server describes it. The server refuses to run a statement whose columns have changed. */
export interface ResultColumn {
  readonly dataTypeID: number
}

/** The part of pg's clients that is used here. */
export interface PreparingClient {
  readonly connection: PreparingWire
  /** True for statements that do not wait for each other. */
  readonly pipeline?: unknown
  readonly getTypeParser: (type: number, format: 'text') => (text: string) => unknown
}

/** The part of pg's connections that is used here, and by its cursors. */
interface PreparingWire {
  /** Texts of the statements that the server has prepared, by their names. */
  readonly parsedStatements: Readonly<Record<string, string>>
  readonly stream: { cork?(): void; uncork?(): void }
  bind(message: {
    readonly portal: string
    readonly statement: string
    readonly values: readonly unknown[]
  }): void
  execute(message: { readonly portal: string }): void
  sync(): void
}

/** True for clients of pg on which statements can be run this way. */
export function canPrepare(client: object): client is PreparingClient {
  const { connection, getTypeParser }: Partial<PreparingClient> = client
  if (typeof getTypeParser !== 'function' || typeof connection !== 'object') return false
  const { parsedStatements, stream, bind, execute, sync }: Partial<PreparingWire> = connection
  const isWhole = typeof parsedStatements === 'object' && typeof stream === 'object'
  return isWhole && [bind, execute, sync].every((method) => typeof method === 'function')
}

/** True if a client still knows a statement by its name, and takes query objects at present. */
export const isPrepared = ({ connection, pipeline }: PreparingClient, name: string, text: string) =>
  connection.parsedStatements[name] === text && !pipeline

/** Returns values as they are sent: texts and bytes. Undefined if pg has to convert one. */
export function wireValues(values: readonly unknown[]): readonly unknown[] | undefined {
  let isAsSent = true
  for (const value of values) {
    if (typeof value === 'string' || value === null || Buffer.isBuffer(value)) continue
    if (!plain.has(typeof value)) return undefined
    isAsSent = false
  }
  return isAsSent ? values : values.map(asSent)
}

/** Types of values whose text is what pg sends. */
const plain: ReadonlySet<string> = new Set(['number', 'bigint', 'boolean', 'undefined'])

function asSent(value: unknown): unknown {
  if (value === undefined || value === null) return null
  return typeof value === 'string' || Buffer.isBuffer(value) ? value : String(value)
}

/** The result of a statement. */
export interface ClientResult {
  readonly command: string
  readonly rowCount: number | null
  readonly rows: readonly unknown[]
  /** Absent where they were known before. */
  readonly fields?: readonly ResultColumn[]
}

/** A prepared statement with the values that are sent, and its columns. */
interface Sending {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
  readonly columns: readonly ResultColumn[]
}

export class PreparedQuery implements ClientResult {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
  /** Set by pg, and replaced if it has a query timeout. */
  callback: Done<ClientResult> | undefined
  command = ''
  rowCount = 0
  readonly rows: unknown[][] = []
  readonly #columns: readonly ResultColumn[]
  readonly #client: PreparingClient
  readonly #bytes: ArrivingBytes
  #parsers: readonly ((text: string) => unknown)[] | undefined
  #failure: { readonly error: unknown } | undefined

  constructor({ name, text, values, columns }: Sending, client: PreparingClient) {
    this.name = name
    this.text = text
    this.values = values
    this.#columns = columns
    this.#client = client
    this.#bytes = new ArrivingBytes(text)
  }

  /** Called by pg when its turn has come. It gets an error if nothing was sent. */
  submit(wire: PreparingWire): unknown {
    const { stream } = wire
    // All messages in one packet.
    stream.cork?.()
    try {
      wire.bind({ portal: '', statement: this.name, values: this.values })
      wire.execute({ portal: '' })
      wire.sync()
    } catch (error) {
      return error
    } finally {
      stream.uncork?.()
    }
    return null
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.#failure) return
    try {
      this.#bytes.add(fields)
      this.rows.push(this.#read(fields))
    } catch (error) {
      this.rows.length = 0
      this.#failure = { error }
    }
  }

  /** Called with texts such as `SELECT 5`, `INSERT 0 1` and `COMMIT`. */
  handleCommandComplete({ text }: { readonly text: string }): void {
    const end = text.indexOf(' ')
    this.command = end < 0 ? text : text.slice(0, end)
    this.rowCount = Number(text.slice(text.lastIndexOf(' ') + 1)) || 0
  }

  handleReadyForQuery(): void {
    if (this.#failure) this.callback?.(this.#failure.error)
    else this.callback?.(null, this)
  }

  handleError(error: unknown): void {
    this.callback?.(error)
  }

  #read(fields: readonly (string | null)[]): unknown[] {
    this.#parsers ??= this.#columns.map(({ dataTypeID }) => this.#client.getTypeParser(dataTypeID, 'text'))
    const { length } = fields
    const row = new Array<unknown>(length)
    for (let at = 0; at < length; at++) {
      const text = fields[at]
      row[at] = text === null || text === undefined ? null : this.#parsers[at]?.(text)
    }
    return row
  }
}
