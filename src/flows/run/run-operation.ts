// Runs one operation: with the rights that it has, within its time.

import { type Engine, internalsOf } from '../../engine/engine.ts'
import { onAbort } from '../../errors/abort-signal.ts'
import { type EngineError, fault, unreachable } from '../../errors/errors.ts'
import { isPromiseOf } from '../../values/guards.ts'
import { mostChain } from '../chain/chain.ts'
import { copyJson, isNoJson, type JsonCopy } from '../chain/json-value.ts'
import type { CompiledOperation } from '../check/compiled.ts'
import { readCondition, unmetBy } from '../condition.ts'
import { ConditionWork } from '../condition-work.ts'
import type { AnyOperationType, FlowContext } from '../operation-type.ts'
import { type Control, withControl } from '../operations/control.ts'
import { badValue, chosenError } from '../reject.ts'
import { checkReach, mayGetSecrets } from '../world/reach.ts'
import { Parked } from './keeper.ts'
import { type FlowCause, RunningCause, type RunningFlow } from './run-start.ts'

type Options = Readonly<Record<string, unknown>>

/** Reads the options of an operation by its schemas. */
export function readOptions({ type, typeName }: CompiledOperation, rendered: Options): Options {
  const read: (readonly [string, unknown])[] = []
  for (const [name, { schema }] of Object.entries(type.options)) {
    const found = schema.safeParse(rendered[name])
    if (!found.success) {
      const [issue] = found.error.issues
      const path = [
        name,
        ...(issue?.path ?? []).map((step) => (typeof step === 'symbol' ? String(step) : step)),
      ]
      throw badValue(`The option "${name}" of "${typeName}" cannot be used: ${issue?.message}.`, path)
    }
    if (found.data !== undefined) read.push([name, found.data])
  }
  return Object.fromEntries(read)
}

/** Runs an operation, and returns what it answers. */
export async function runOperation(
  operation: CompiledOperation,
  options: Options,
  run: RunningFlow,
): Promise<unknown> {
  const { type } = operation
  const { signal: around } = run.start
  if (type.kind === 'pure')
    return inTime(operation, around, (ending) => type.run(options, contextOf(operation, run, { ending })))
  if (type.kind === 'outside') checkReach(operation, options, run.start.reach)
  const engine = causedBy(await run.engineFor(operation.access), causeOf(run, options))
  const work = async (inside: Engine) =>
    inTime(operation, around, (ending) =>
      type.run(options, contextOf(operation, run, { ending, engine: inside })),
    )
  // One call of the engine is all or nothing by itself.
  return type.kind === 'database' && !type.isOneCall ? engine.transaction(work) : work(engine)
}

const causedBy = (engine: Engine, cause: FlowCause): Engine => internalsOf(engine).causedBy(cause).asEngine()

/** Returns the cause of what an operation does. It starts its own flow again only if it says so. */
function causeOf({ start: { cause } }: RunningFlow, options: Options): FlowCause {
  return options.emitEvents === true ? new RunningCause(new Set(), cause.depth) : cause
}

function contextOf(
  operation: CompiledOperation,
  run: RunningFlow,
  { ending, engine }: { readonly ending: Ending; readonly engine?: Engine },
): FlowContext {
  return withControl(
    {
      flow: run.flow.name,
      operation: operation.key,
      get signal() {
        return ending.signal
      },
      get idempotencyKey() {
        return run.start.keeper?.idempotencyKey(operation)
      },
      get engine() {
        if (!engine) throw unreachable('an operation of the kind "pure" that asks for the engine')
        return engine
      },
    },
    controlFor(operation, run),
  )
}

const controlFor = (operation: CompiledOperation, run: RunningFlow): Control => ({
  mayWait: !run.start.isInside,
  sleep: run.start.keeper && ((milliseconds) => run.start.keeper?.sleep(milliseconds)),
  forEach: (list) => run.forEach(operation, list),
  start: (flow, payload) => run.start.startFlow(flow, payloadOf(payload), operation.access, run),
  chain: () => run.chain.all,
  now: run.start.now,
  world: run.start.world,
  mayFollow: (origin) => mayGetSecrets(operation, run.start.reach, origin),
  holdsSecret: (text) => run.start.redact(text) !== text,
  unmet: (filter) => {
    const { start, chain } = run
    const work = new ConditionWork(start.budget.conditionWork)
    try {
      const condition =
        operation.condition ??
        readCondition(filter, ['filter'], {
          // Most conditions name no variable.
          get caller() {
            return start.caller()
          },
          now: start.now(),
          work,
        })
      return unmetBy(condition, chain.all, { ...start.setting, work })?.slice(1)
    } finally {
      start.budget.conditionWork -= work.spent
    }
  },
})

function payloadOf(payload: unknown): JsonCopy {
  const copy = copyJson(payload, mostChain)
  if (isNoJson(copy)) throw badValue(`The payload ${copy.says}.`, ['payload', ...copy.path])
  return copy
}

const defaultTimeoutMs = 10_000

/** The end of an operation before its answer. Most operations never ask for the signal. */
class Ending {
  #controller: AbortController | undefined
  #error: Error | undefined

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#error) this.#controller.abort()
    return this.#controller.signal
  }

  end(error: Error): void {
    this.#error = error
    this.#controller?.abort()
  }
}

/** Waits for an operation as long as it may take, and as long as anybody waits for its run. */
function inTime(
  { type, typeName }: CompiledOperation,
  around: AbortSignal | undefined,
  work: (ending: Ending) => unknown,
): unknown {
  const { timeoutMs = defaultTimeoutMs } = type
  const ending = new Ending()
  if (around?.aborted) ending.end(new Parked('Nobody waits for this run.'))
  const answer = work(ending)
  if (!isPromiseOf<unknown>(answer) || (timeoutMs === Number.POSITIVE_INFINITY && !around)) return answer
  return new Promise((resolve, reject) => {
    const end = (error: Error) => {
      reject(error)
      ending.end(error)
    }
    const timer =
      timeoutMs === Number.POSITIVE_INFINITY
        ? undefined
        : setTimeout(() => end(late(type, typeName, timeoutMs)), timeoutMs)
    const stopListening = around && onAbort(around, () => end(new Parked('Nobody waits for this run.')))
    answer.then(resolve, reject).then(() => {
      clearTimeout(timer)
      stopListening?.()
    })
  })
}

function late({ kind, isOneCall }: AnyOperationType, typeName: string, timeoutMs: number): EngineError {
  const message = `"${typeName}" has not ended within ${timeoutMs.toLocaleString('en')} ms.`
  // What it has asked the engine for may still come, and only the end of the transaction undoes that.
  if (kind === 'reads' || (kind === 'database' && isOneCall)) return fault('OUT_OF_TIME', message)
  return chosenError({ code: 'OUT_OF_TIME', status: 408, message, extensions: {} })
}
