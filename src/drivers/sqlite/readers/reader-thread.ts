// A thread that reads, as the process has it: it runs one statement after the other.
import { randomBytes } from 'node:crypto'
import type { Worker } from 'node:worker_threads'
import type { QueryResult } from 'kysely'
import { fault } from '../../../errors/errors.ts'
import type {
  ReaderFailure,
  ReaderMessage,
  ReaderSettings,
  ReaderStatement,
  ThreadSettings,
} from './messages.ts'

export class ReaderThread {
  readonly #worker: Worker
  /** Not 0 once the statement that runs is abandoned, which ends it. */
  readonly #flag: Int32Array
  #settle: ((message: ReaderMessage | { readonly kind: 'lost'; readonly cause: unknown }) => void) | undefined
  #reject: ((reason: unknown) => void) | undefined
  #cause: unknown
  /** False once the thread has ended. */
  isAlive = true
  /** Called when an abandoned statement ends, and when the thread ends. */
  onFree: () => void = () => undefined

  private constructor(worker: Worker, flag: Int32Array) {
    this.#worker = worker
    this.#flag = flag
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
    const [{ Worker: Thread }, { program }] = await Promise.all([
      import('node:worker_threads'),
      import('./built-thread.js'),
    ])
    const flag = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    const workerData: ThreadSettings = {
      ...settings,
      flag,
      guard: `quernel_${randomBytes(8).toString('hex')}`,
    }
    const options = { eval: true, workerData, argv: [], execArgv: [] }
    const thread = new ReaderThread(new Thread(program, options), flag)
    const message = await thread.#next()
    if (message.kind === 'ready') return thread
    thread.end()
    throw unfit(message)
  }

  /** True while a statement runs, also an abandoned one. */
  get isBusy(): boolean {
    return this.#settle !== undefined
  }

  async run<Row>({ sql, parameters }: ReaderStatement): Promise<QueryResult<Row>> {
    if (this.isBusy)
      throw fault('SERVICE_UNAVAILABLE', 'The thread of a reader still runs a statement that was abandoned.')
    const abandoned = new Promise<never>((_, reject) => {
      this.#reject = reject
    })
    const next = this.#next()
    Atomics.store(this.#flag, 0, 0)
    this.#worker.postMessage({ sql, parameters })
    const message = await Promise.race([next, abandoned])
    if (message.kind === 'rows') return { rows: message.rows as Row[] } // as the statement selects them
    throw message.kind === 'failed' ? errorOf(message.failure) : lost(message)
  }

  /** Ends the wait for the statement that runs. The thread takes no other one until it has ended. */
  abandon(reason: unknown): void {
    this.#worker.unref()
    Atomics.store(this.#flag, 0, 1)
    this.#reject?.(reason)
  }

  end(): void {
    this.isAlive = false
    // It has nothing to deliver any more, and its end is not waited for.
    this.#worker.terminate().catch(() => undefined)
  }

  #next(): Promise<Settled> {
    if (!this.isAlive) return Promise.resolve({ kind: 'lost', cause: this.#cause })
    // A thread that does nothing keeps no process alive.
    this.#worker.ref()
    return new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  #end(message: Settled): void {
    const settle = this.#settle
    this.#settle = undefined
    this.#reject = undefined
    this.#worker.unref()
    settle?.(message)
    this.onFree()
  }
}

type Settled = ReaderMessage | { readonly kind: 'lost'; readonly cause: unknown }

const errorOf = ({ error, ...members }: ReaderFailure): unknown => Object.assign(Object(error), members)

const lost = (message: object): Error =>
  fault('SERVICE_UNAVAILABLE', 'The thread of a reader has ended before its statement.', {
    cause: Reflect.get(message, 'cause'),
    extensions: { retryAfter: 1 },
  })

/** Returns the error for a file that threads cannot read. */
function unfit(message: Settled): unknown {
  const path = ['path']
  if (message.kind === 'lost') return lost(message)
  if (message.kind === 'failed') {
    const cause = errorOf(message.failure)
    const isNone = message.failure.code === 'SQLITE_NOTADB' || message.failure.errcode === 26
    return isNone
      ? fault('INVALID_OPTIONS', 'The file is encrypted, or no database of SQLite.', { path, cause })
      : fault('INVALID_OPTIONS', 'The file cannot be opened for reading.', {
          path,
          hint: 'A reader needs the file, and "-wal" and "-shm" beside it or the right to create them.',
          cause,
        })
  }
  if (message.kind === 'unfit' && message.lacks === 'wal')
    return fault(
      'INVALID_OPTIONS',
      `Readers want a file in WAL mode, and the journal mode of this one is "${message.journal}".`,
      { path, hint: 'pragma journal_mode = wal, once for each file.' },
    )
  const cause = message.kind === 'unfit' && message.lacks === 'driver' ? errorOf(message.failure) : undefined
  return fault(
    'INVALID_OPTIONS',
    'Readers want the package "better-sqlite3", or Node 22.16 or newer, and find neither.',
    {
      hint: 'npm install better-sqlite3. A bundler leaves it outside of what it makes, with its folder in node_modules.',
      cause,
    },
  )
}
