// A thread that reads, as the process has it: it runs one statement after the other.
import { randomBytes } from 'node:crypto'
import type { MessagePort, Worker } from 'node:worker_threads'
import type { QueryResult } from 'kysely'
import type { RawConnection } from '../../../dialects/connections/wire.ts'
import { fault } from '../../../errors/errors.ts'
import type { Done } from '../../../execution/acquire-timeout.ts'
import {
  abandoned,
  called,
  type ReaderFailure,
  type ReaderMessage,
  type ReaderSettings,
  type ReaderStatement,
  type ThreadSettings,
} from './messages.ts'
import { unreadable, withoutWal } from './options.ts'

export class ReaderThread implements RawConnection {
  readonly #worker: Worker
  readonly #signals: Int32Array
  readonly #port: MessagePort
  #receive: ((message: Settled) => void) | undefined
  #abandon: ((reason: unknown) => void) | undefined
  #cause: unknown
  /** False once the thread has ended. */
  isAlive = true
  /** Called when an abandoned statement ends, and when the thread ends. */
  onFree: () => void = () => undefined

  private constructor(worker: Worker, signals: Int32Array, port: MessagePort) {
    this.#worker = worker
    this.#signals = signals
    this.#port = port
    worker.on('message', (message: ReaderMessage) => this.#end(message))
    worker.on('error', (cause) => {
      this.#cause = cause
    })
    worker.on('exit', () => {
      this.isAlive = false
      this.#end({ kind: 'lost', cause: this.#cause })
    })
  }

  /** Begins a thread, once its file is open. */
  static async begin(settings: ReaderSettings): Promise<ReaderThread> {
    const [{ MessageChannel, Worker: Thread }, { program }] = await Promise.all([
      import('node:worker_threads'),
      import('./built-thread.js'),
    ])
    const signals = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
    // Deno takes messages at once from ports like these, and not from that of a parent.
    const { port1, port2 } = new MessageChannel()
    const workerData: ThreadSettings = {
      ...settings,
      signals,
      port: port2,
      guard: `quernel_${randomBytes(8).toString('hex')}`,
    }
    const options = { eval: true, workerData, transferList: [port2], argv: [], execArgv: [] }
    const thread = new ReaderThread(new Thread(program, options), signals, port1)
    const message = await new Promise<Settled>((resolve) => thread.#expect(resolve))
    if (message.kind === 'ready') return thread
    thread.close()
    throw unfit(message, settings)
  }

  /** True while a statement runs, also an abandoned one. */
  get isBusy(): boolean {
    return this.#receive !== undefined
  }

  run<Row>(statement: ReaderStatement): Promise<QueryResult<Row>> {
    return new Promise((resolve, reject) => {
      this.send<Row>(statement, (error, result) => (result ? resolve(result) : reject(error)))
    })
  }

  /** Runs a statement, and calls back once: when it ends or is abandoned. Promises on the way would cost a part of a small read. */
  send<Row>({ sql, parameters }: ReaderStatement, done: Done<QueryResult<Row>>): void {
    try {
      this.#call({ sql, parameters })
    } catch (error) {
      done(error)
      return
    }
    const abandon = (reason: unknown) => done(reason)
    this.#abandon = abandon
    this.#expect((message) => {
      if (this.#abandon !== abandon) return
      this.#abandon = undefined
      if (message.kind === 'rows')
        done(undefined, message as QueryResult<Row>) // as the statement selects them
      else done(message.kind === 'failed' ? errorOf(message.failure) : lost(Reflect.get(message, 'cause')))
    })
  }

  #call(statement: ReaderStatement): void {
    if (!this.isAlive) throw lost(this.#cause)
    if (this.isBusy)
      throw fault('SERVICE_UNAVAILABLE', 'The thread of a reader still runs a statement that was abandoned.')
    Atomics.store(this.#signals, abandoned, 0)
    this.#port.postMessage(statement)
    Atomics.store(this.#signals, called, 1)
    Atomics.notify(this.#signals, called)
  }

  /** Ends the wait for the statement that runs. The thread takes no other one until it has ended. */
  abandon(reason: unknown): void {
    this.#worker.unref()
    Atomics.store(this.#signals, abandoned, 1)
    const leave = this.#abandon
    this.#abandon = undefined
    leave?.(reason)
  }

  /** Abandons the statement that runs, unless it has ended by the time that the caller has its own reason. */
  async cancel(): Promise<true> {
    const running = this.#abandon
    await undefined
    if (running && this.#abandon === running) this.abandon(undefined)
    return true
  }

  close(): void {
    this.isAlive = false
    this.abandon(lost(this.#cause))
    // It has nothing to deliver any more, and its end is not waited for.
    this.#worker.terminate().catch(() => undefined)
  }

  #expect(receive: (message: Settled) => void): void {
    // A thread that does nothing keeps no process alive.
    this.#worker.ref()
    this.#receive = receive
  }

  #end(message: Settled): void {
    const receive = this.#receive
    this.#receive = undefined
    this.#worker.unref()
    receive?.(message)
    this.onFree()
  }
}

type Settled = ReaderMessage | { readonly kind: 'lost'; readonly cause: unknown }

const errorOf = ({ error, ...members }: ReaderFailure): unknown => Object.assign(Object(error), members)

const lost = (cause: unknown): Error =>
  fault('SERVICE_UNAVAILABLE', 'The thread of a reader has ended before its statement.', {
    cause,
    extensions: { retryAfter: 1 },
  })

/** Returns the error for a file that threads cannot read. */
function unfit(message: Settled, { driver }: ReaderSettings): unknown {
  const path = ['path']
  if (message.kind === 'lost') return lost(message.cause)
  if (message.kind === 'failed') return unreadable(errorOf(message.failure), path)
  if (message.kind === 'unfit' && message.lacks === 'wal') return withoutWal(message.journal, path)
  const cause = message.kind === 'unfit' && message.lacks === 'driver' ? errorOf(message.failure) : undefined
  return fault(
    'INVALID_OPTIONS',
    driver === undefined
      ? 'Readers want the package "better-sqlite3", or Node 22.16 or newer, and find neither.'
      : '"driver" leads to no "better-sqlite3" that can be loaded.',
    {
      path: ['driver'],
      hint: 'npm install better-sqlite3. No bundler carries it: where it is not in node_modules beside the bundle, "driver" is its folder.',
      cause,
    },
  )
}
