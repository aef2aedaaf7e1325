// A client of sockets, over a real connection.
import { WebSocket } from 'ws'

export interface Frame {
  readonly [name: string]: unknown
}

export class SocketClient {
  readonly frames: Frame[] = []
  readonly #socket: WebSocket
  #wakes: (() => void)[] = []
  #read = 0
  /** The code with which the connection was closed. */
  closed: number | undefined
  /** The status with which the upgrade was refused. */
  refused: { readonly status: number; readonly body: string } | undefined
  readonly ready: Promise<void>

  constructor(url: string, options: { headers?: Record<string, string>; protocols?: string[] } = {}) {
    this.#socket = new WebSocket(url, options.protocols ?? [], { headers: options.headers ?? {} })
    const wake = () => {
      for (const one of this.#wakes.splice(0)) one()
    }
    this.ready = new Promise((resolve) => {
      this.#socket.on('open', resolve)
      this.#socket.on('error', () => resolve())
      this.#socket.on('unexpected-response', (request, response) => {
        let body = ''
        response.on('data', (chunk) => {
          body += String(chunk)
        })
        response.on('end', () => {
          this.refused = { status: response.statusCode ?? 0, body }
          request.destroy()
          resolve()
          wake()
        })
      })
    })
    this.#socket.on('message', (data) => {
      this.frames.push(JSON.parse(String(data)) as Frame)
      wake()
    })
    this.#socket.on('close', (code) => {
      this.closed = code
      wake()
    })
  }

  send(message: object | string): void {
    this.#socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  sendBytes(bytes: Uint8Array): void {
    this.#socket.send(bytes)
  }

  /** Returns the next frame that was not read. It fails if none comes. */
  async next(): Promise<Frame> {
    await this.heard(this.#read + 1, 60_000)
    const frame = this.frames[this.#read]
    if (!frame) throw new Error(`There is no frame after ${JSON.stringify(this.frames)}; ${this.closed}`)
    this.#read += 1
    return frame
  }

  ask(message: object | string): Promise<Frame> {
    this.send(message)
    return this.next()
  }

  /** Waits until so many frames have come, the connection is closed, or the time is over. */
  async heard(count: number, milliseconds: number): Promise<void> {
    const end = performance.now() + milliseconds
    while (this.frames.length < count && this.closed === undefined && performance.now() < end)
      await this.#change(end - performance.now())
  }

  /** Waits until the connection is closed, and returns the code. */
  async end(): Promise<number | undefined> {
    const until = performance.now() + 60_000
    while (this.closed === undefined && performance.now() < until)
      await this.#change(until - performance.now())
    return this.closed
  }

  async close(): Promise<void> {
    this.#socket.close()
    await this.end()
  }

  /** Breaks the connection. */
  terminate(): void {
    this.#socket.terminate()
  }

  pause(): void {
    this.#socket.pause()
  }

  async #change(milliseconds: number): Promise<void> {
    let clock: ReturnType<typeof setTimeout> | undefined
    await new Promise<void>((resolve) => {
      this.#wakes.push(resolve)
      clock = setTimeout(resolve, milliseconds)
    })
    clearTimeout(clock)
  }
}
