// Connections to the test server that one test has after the other. For a new one the server begins a process, which reads its catalogue: that
// takes longer than most tests do.
import { createConnection, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import pg from 'pg'

/** A connection that was opened here, with what the server has said of itself. */
interface Kept {
  readonly client: pg.Client
  readonly socket: Socket
  readonly greeting: Buffer
}

type Listener = (data: Buffer) => void

/** By connection string: those that nobody has. */
const free = new Map<string, Kept[]>()
const mostFree = 10

/** Returns the options of a pool whose connections are kept, under the name of a schema, by which a test finds its own ones. They are as new, except that their settings are not those to which `reset` goes back.
 *  @example new pg.Pool(keptConnections(url, schema)) */
export function keptConnections(url: string, schema: string): pg.PoolConfig {
  return { connectionString: url, application_name: schema, stream: () => new KeptStream(url, schema) }
}

/** Stream of a client that has a kept connection, which answers its greeting here. Its end gives the connection back. */
class KeptStream extends Duplex {
  readonly #url: string
  readonly #schema: string
  #address: readonly [port: number, host: string] = [0, '']
  #kept: Kept | undefined
  #socket: Socket | undefined
  /** True while the server has answered all that was asked. */
  #isIdle = false
  /** Listeners of the client that has opened the connection. */
  #others: readonly Listener[] = []

  constructor(url: string, schema: string) {
    super({ decodeStrings: false })
    this.#url = url
    this.#schema = schema
  }

  connect(port: number, host: string): this {
    this.#address = [port, host]
    process.nextTick(() => this.emit('connect'))
    return this
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  ref(): this {
    this.#socket?.ref()
    return this
  }

  unref(): this {
    this.#socket?.unref()
    return this
  }

  override _write(data: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (!this.#socket) void this.#begin(data).then(() => done(), done)
    else if (data.equals(end)) this.#end(done)
    else {
      this.#isIdle = false
      this.#socket.write(data, done)
    }
  }

  override _writev(
    chunks: readonly { readonly chunk: Buffer }[],
    done: (error?: Error | null) => void,
  ): void {
    const all = chunks.map(({ chunk }) => chunk)
    const isLast = all.at(-1)?.equals(end) === true
    const first = Buffer.concat(isLast ? all.slice(0, -1) : all)
    if (!isLast) this._write(first, 'utf8', done)
    else if (first.length === 0) this._write(end, 'utf8', done)
    else this._write(first, 'utf8', (error) => (error ? done(error) : this._write(end, 'utf8', done)))
  }

  override _read(): void {
    this.#socket?.resume()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket?.destroy()
    done(error)
  }

  async #begin(first: Buffer): Promise<void> {
    if (first.readInt32BE(4) !== startup) {
      this.#follow(createConnection(...this.#address))
      this.#socket?.write(first)
      return
    }
    const kept = await take(this.#url, this.#schema)
    this.#kept = kept
    this.#others = kept.socket.listeners('data') as Listener[] // nobody else listens
    for (const other of this.#others) kept.socket.off('data', other)
    this.#follow(kept.socket)
    this.#isIdle = true
    this.push(kept.greeting)
  }

  #follow(socket: Socket): void {
    this.#socket = socket
    socket.on('data', this.#hear).on('error', this.#break).on('close', this.#close)
  }

  readonly #hear = (data: Buffer): void => {
    this.#isIdle = data.subarray(-idle.length).equals(idle)
    if (!this.push(data)) this.#socket?.pause()
  }

  readonly #break = (error: Error): void => {
    this.destroy(error)
  }

  readonly #close = (): void => {
    this.push(null)
    this.destroy()
  }

  /** Ends the client, and gives its connection back. One in the middle of something ends with it. */
  #end(done: () => void): void {
    const socket = this.#socket
    const kept = this.#kept
    if (socket && kept && this.#isIdle) {
      socket.off('data', this.#hear).off('error', this.#break).off('close', this.#close)
      for (const other of this.#others) socket.on('data', other)
      this.#socket = undefined
      void giveBack(this.#url, kept)
    } else socket?.end(end)
    done()
    setImmediate(() => this.destroy())
  }
}

async function take(url: string, schema: string): Promise<Kept> {
  const kept = free.get(url)?.pop() ?? (await open(url))
  kept.socket.ref()
  await kept.client.query(`set search_path = ${schema}; set application_name = '${schema}'`)
  return kept
}

/** The part of pg's connection that is used here. */
interface Wire {
  readonly stream: Socket
  on(event: string, listener: (message: Record<string, string>) => void): void
}

async function open(url: string): Promise<Kept> {
  const client = new pg.Client(url)
  const { connection } = client as unknown as { readonly connection: Wire }
  const told: Buffer[] = [message('R', Buffer.alloc(4))]
  connection.on('parameterStatus', ({ parameterName, parameterValue }) =>
    told.push(message('S', Buffer.from(`${parameterName}\0${parameterValue}\0`))),
  )
  connection.on('backendKeyData', ({ processID, secretKey }) => {
    const key = Buffer.alloc(8)
    key.writeInt32BE(Number(processID))
    key.writeInt32BE(Number(secretKey), 4)
    told.push(message('K', key))
  })
  // What ends while nobody has it is asked no more.
  client.on('error', () => forget(url, client))
  await client.connect()
  return { client, socket: connection.stream, greeting: Buffer.concat([...told, idle]) }
}

const forget = (url: string, client: pg.Client): void => {
  const all = free.get(url) ?? []
  free.set(
    url,
    all.filter((kept) => kept.client !== client),
  )
}

async function giveBack(url: string, kept: Kept): Promise<void> {
  try {
    await kept.client.query('discard all')
    kept.socket.unref()
    const all = free.get(url) ?? []
    free.set(url, all)
    if (all.length < mostFree) all.push(kept)
    else await kept.client.end()
  } catch {
    kept.socket.destroy()
  }
}

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** The last message of an answer outside of a transaction. */
const idle = message('Z', Buffer.from('I'))
const end = message('X', Buffer.alloc(0))

/** The version of the protocol, where a client does not ask to cancel something. */
const startup = 196_608
