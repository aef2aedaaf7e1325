// Scripts in a thread of their own: QuickJS runs them, and the thread is ended when one does not end by itself.
import { createRequire } from 'node:module'
import type { Worker } from 'node:worker_threads'
import { onAbort } from '../../errors/abort-signal.ts'
import { checkOptions, type OptionKind, optionNames } from '../../errors/check-options.ts'
import { fault } from '../../errors/errors.ts'
import { readJson } from '../chain/json-value.ts'
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

interface ScriptBounds {
  /** The file from which the package is found. */
  readonly from: string
  readonly timeoutMs: number
  readonly memoryBytes: number
}

interface ScriptJob {
  readonly code: string
  readonly data: string
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: unknown) => void
}

/** Milliseconds after its deadline at which a script that QuickJS does not stop is ended with its thread. */
const graceMs = 100

/** Scripts that wait for the thread, one after the other. */
class ScriptQueue implements FlowScript {
  readonly #bounds: ScriptBounds
  readonly #waiting: ScriptJob[] = []
  #running: ScriptJob | undefined
  #worker: Worker | undefined
  #isReady = false
  #isClosing = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(bounds: ScriptBounds) {
    this.#bounds = bounds
  }

  run(code: string, data: object, signal: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(outOfTime())
      const job: ScriptJob = {
        code,
        data: JSON.stringify(data),
        resolve: (answer) => end(() => resolve(answer)),
        reject: (error) => end(() => reject(error)),
      }
      const stopListening = onAbort(signal, () => this.#abandon(job))
      const end = (tell: () => void) => {
        stopListening()
        tell()
      }
      this.#waiting.push(job)
      this.#isClosing = false
      this.#next()
    })
  }

  close(): void {
    if (this.#running) this.#isClosing = true
    else this.#end()
  }

  #abandon(job: ScriptJob): void {
    const at = this.#waiting.indexOf(job)
    if (at >= 0) this.#waiting.splice(at, 1)
    job.reject(outOfTime())
    if (this.#running === job) this.#restart()
  }

  #next(): void {
    if (this.#running) return
    this.#running = this.#waiting.shift()
    if (!this.#running) {
      // A thread that does nothing keeps no process alive.
      if (this.#isClosing) this.#end()
      else this.#worker?.unref()
      return
    }
    if (!this.#worker) {
      this.#begin().catch((error: unknown) => this.#fail(error))
      return
    }
    this.#worker.ref()
    if (this.#isReady) this.#post(this.#worker, this.#running)
  }

  async #begin(): Promise<void> {
    const { Worker: Thread } = await import('node:worker_threads')
    // Meanwhile nobody may wait any more, or another has begun.
    if (this.#worker || !this.#running) return
    const worker = new Thread(scriptThread, {
      eval: true,
      workerData: { from: this.#bounds.from, memoryBytes: this.#bounds.memoryBytes },
      env: {},
      argv: [],
      execArgv: [],
      // Output that the package prints where it fails is none of the host's. Nobody reads it: reading would keep the process alive.
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32 },
    })
    this.#worker = worker
    worker.on('message', (answer: ScriptAnswer) => {
      if (this.#worker === worker) this.#hear(worker, answer)
    })
    const lost = (error: unknown) => {
      if (this.#worker === worker) this.#fail(error)
    }
    worker.on('error', lost)
    worker.on('exit', () => lost(undefined))
  }

  #post(worker: Worker, { code, data }: ScriptJob): void {
    const { timeoutMs } = this.#bounds
    const job = this.#running
    // An answer that came while this thread was busy is heard first.
    const late = () => setImmediate(() => job && this.#running === job && this.#abandon(job))
    this.#timer = setTimeout(late, timeoutMs + graceMs)
    worker.postMessage({ code, data, timeoutMs })
  }

  #hear(worker: Worker, answer: ScriptAnswer): void {
    if (answer.kind === 'ready') {
      this.#isReady = true
      if (this.#running) this.#post(worker, this.#running)
      return
    }
    const job = this.#running
    if (!job) return
    settle(job, answer)
    // Where a script has reached a bound, what it leaves behind goes with its thread.
    if (answer.kind === 'spent') {
      this.#restart()
      return
    }
    clearTimeout(this.#timer)
    this.#running = undefined
    this.#next()
  }

  #fail(cause: unknown): void {
    this.#running?.reject(fault('INTERNAL_SERVER_ERROR', 'The thread of scripts has failed.', { cause }))
    this.#restart()
  }

  #restart(): void {
    this.#end()
    this.#running = undefined
    this.#next()
  }

  #end(): void {
    clearTimeout(this.#timer)
    const worker = this.#worker
    this.#worker = undefined
    this.#isReady = false
    // It has nothing to say any more, and how it ends nobody waits for.
    worker?.terminate().catch(() => undefined)
  }
}

function settle({ resolve, reject }: ScriptJob, answer: Exclude<ScriptAnswer, { kind: 'ready' }>): void {
  if (answer.kind === 'value') resolve(readJson(answer.text))
  else if (answer.kind === 'spent') reject(outOfTime())
  else {
    const { message, line, column } = answer
    const place =
      line === undefined ? '' : ` at line ${line}${column === undefined ? '' : `, column ${column}`}`
    reject(badValue(`The script has failed${place}: ${message}`, ['code']))
  }
}

const outOfTime = () => tooLong('The script has not ended within its time or its memory.')
