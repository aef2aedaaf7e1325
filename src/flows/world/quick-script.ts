// Scripts in a thread of their own: QuickJS runs them, and the thread is ended when one does not end by itself.
import { createRequire } from 'node:module'
import type { Worker } from 'node:worker_threads'
import { onAbort } from '../../errors/abort-signal.ts'
import { checkOptions, type OptionKind, optionNames } from '../../errors/check-options.ts'
import { fault } from '../../errors/errors.ts'
import { readJson } from '../chain/chain.ts'
import { badValue, tooLong } from '../reject.ts'
import { type ScriptAnswer, scriptThread } from './script-thread.ts'

/** A runner of scripts: `quickScript()`. */
export interface FlowScript {
  /** Runs a script with the data chain, and returns what it answers. */
  run(code: string, data: object, signal: AbortSignal): Promise<unknown>
  /** Ends the thread, after the scripts that run or wait. The next script begins another. */
  close(): void
}

/** Bounds of scripts. */
export interface QuickScriptOptions {
  /** Milliseconds that a script may take. By default 100. All of its operation, with its wait for others, takes ten seconds at most. */
  readonly timeoutMs?: number
  /** Bytes that it may have, its data among them, from 1 MiB to 1 GiB. By default 16 MiB. */
  readonly memoryBytes?: number
}

const mebibyte = 1024 * 1024

const between = (least: number, most: number): OptionKind => ({
  says: `is a whole number from ${least.toLocaleString('en')} to ${most.toLocaleString('en')}`,
  holds: (input) => typeof input === 'number' && Number.isInteger(input) && input >= least && input <= most,
})

const quickScriptOptions = optionNames<QuickScriptOptions>({
  timeoutMs: between(1, 3_600_000),
  memoryBytes: between(mebibyte, 1_024 * mebibyte),
})

const packageName = 'quickjs-emscripten'

/** Returns what runs scripts by QuickJS, of the optional peer `quickjs-emscripten`, in a thread of its own. All scripts of a process share the
 *  thread of one call.
 *  @example const flows = createFlows(engine, {
 *    script: quickScript({ timeoutMs: 2_000 }),
 *    flows: [defineFlow({
 *      name: 'sum',
 *      trigger: { on: 'flow' },
 *      first: 'add',
 *      operations: { add: { type: 'script', options: { code: 'module.exports = ({ $trigger: { a, b } }) => a + b' } } },
 *    })],
 *  })
 *  const run = await flows.run('sum', { a: 1, b: 2 }, { inline: true })
 *  run.state === 'succeeded' && run.result // → 3 */
export function quickScript(options: QuickScriptOptions = {}): FlowScript {
  checkOptions(options, quickScriptOptions)
  const { timeoutMs = 100, memoryBytes = 16 * mebibyte } = options
  return new ScriptQueue({ from: placeOfPackage(), timeoutMs, memoryBytes })
}

/** Returns a file from which the package is found. A bundler may leave no address of this file, or one of the machine that it ran on: then it is found
 *  from the program or the folder that the process was started with. */
function placeOfPackage(): string {
  const own: unknown = import.meta.url
  const places = [own, process.argv[1], `${process.cwd()}/scripts.js`]
  let cause: unknown
  for (const place of places)
    try {
      if (typeof place !== 'string') continue
      createRequire(place).resolve(packageName)
      return place
    } catch (error) {
      cause ??= error
    }
  throw fault('INVALID_OPTIONS', `Scripts want the package "${packageName}", which is not found.`, {
    hint: `npm install ${packageName}. A bundler leaves it outside of what it makes, with its folder in node_modules.`,
    cause,
  })
}

/** Bounds, and the file from which the package is found. */
type ScriptBounds = Required<QuickScriptOptions> & { readonly from: string }

/** Milliseconds after its deadline at which a script that QuickJS does not stop is ended with its thread. */
const graceMs = 100

/** Message of the thread, or its failure. */
type ThreadAnswer = ScriptAnswer | { readonly kind: 'failed'; readonly cause: unknown }

/** Scripts that wait for the thread, one after the other. */
class ScriptQueue implements FlowScript {
  readonly #bounds: ScriptBounds
  /** Resolves once the last script has ended. */
  #last: Promise<unknown> = Promise.resolve()
  /** Number of those that run or wait. */
  #waiting = 0
  #isClosing = false
  #thread: Worker | undefined
  #hear: (answer: ThreadAnswer) => void = () => undefined

  constructor(bounds: ScriptBounds) {
    this.#bounds = bounds
  }

  async run(code: string, data: object, signal: AbortSignal): Promise<unknown> {
    if (signal.aborted) throw outOfTime()
    const script = { code, data: JSON.stringify(data) }
    this.#waiting += 1
    this.#isClosing = false
    return new Promise((resolve, reject) => {
      // Also while it waits for others.
      const stopListening = onAbort(signal, () => reject(outOfTime()))
      this.#last = this.#last
        .then(() => this.#answerTo(script, signal))
        .then(resolve, reject)
        .then(() => {
          stopListening()
          this.#waiting -= 1
          if (this.#waiting > 0) return
          // A thread that does nothing keeps no process alive.
          if (this.#isClosing) this.#end()
          else this.#thread?.unref()
        })
    })
  }

  close(): void {
    if (this.#waiting > 0) this.#isClosing = true
    else this.#end()
  }

  async #answerTo(script: object, signal: AbortSignal): Promise<unknown> {
    if (signal.aborted) throw outOfTime()
    if (!this.#thread) resultOf(await this.#begin().catch((cause: unknown) => ({ kind: 'failed', cause })))
    const thread = this.#thread
    if (signal.aborted || !thread) throw outOfTime()
    const { timeoutMs } = this.#bounds
    let end = () => {}
    const answer = await new Promise<ThreadAnswer>((hear) => {
      this.#hear = hear
      // An answer that came while this thread was busy is read first.
      const timer = setTimeout(() => setImmediate(hear, { kind: 'spent' }), timeoutMs + graceMs)
      const stopListening = onAbort(signal, () => hear({ kind: 'spent' }))
      end = () => {
        clearTimeout(timer)
        stopListening()
      }
      thread.ref()
      thread.postMessage({ ...script, timeoutMs })
    })
    end()
    // Where a script has reached a bound, what it leaves behind goes with its thread.
    if (answer.kind === 'spent') this.#end()
    return resultOf(answer)
  }

  /** Begins the thread, and returns what it says first. */
  async #begin(): Promise<ThreadAnswer> {
    const { Worker: Thread } = await import('node:worker_threads')
    const thread = new Thread(scriptThread, {
      eval: true,
      workerData: { from: this.#bounds.from, memoryBytes: this.#bounds.memoryBytes },
      env: {},
      argv: [],
      execArgv: [],
      // Output that the package prints where it fails does not belong to the host's. It is not read: reading would keep the process alive.
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32 },
    })
    this.#thread = thread
    const lost = (cause?: unknown) => {
      if (this.#thread !== thread) return
      this.#end()
      this.#hear({ kind: 'failed', cause })
    }
    thread.on('message', (answer: ScriptAnswer) => this.#thread === thread && this.#hear(answer))
    thread.on('error', lost)
    thread.on('exit', () => lost())
    return new Promise((resolve) => {
      this.#hear = resolve
    })
  }

  #end(): void {
    const thread = this.#thread
    this.#thread = undefined
    // It has no result to deliver any more, and its end is not waited for.
    thread?.terminate().catch(() => undefined)
  }
}

/** Returns the value that a script has returned, and throws for any other outcome. */
function resultOf(answer: ThreadAnswer): unknown {
  if (answer.kind === 'ready') return undefined
  if (answer.kind === 'value') return readJson(answer.text)
  if (answer.kind === 'spent') throw outOfTime()
  if (answer.kind === 'failed')
    throw fault('INTERNAL_SERVER_ERROR', 'The thread of scripts has failed.', { cause: answer.cause })
  const { message, line, column } = answer
  const place =
    line === undefined ? '' : ` at line ${line}${column === undefined ? '' : `, column ${column}`}`
  throw badValue(`The script has failed${place}: ${message}`, ['code'])
}

const outOfTime = () => tooLong('The script has not ended within its time or its memory.')
