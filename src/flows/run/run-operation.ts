// Runs one operation: with the rights that it has, within its time.
import { type Engine, internalsOf } from '../../engine/engine.ts'
import { onAbort } from '../../errors/abort-signal.ts'
import { type EngineError, fault, unreachable } from '../../errors/errors.ts'
import { isPromiseOf } from '../../values/guards.ts'
import type { CompiledOperation } from '../check/compiled.ts'
import type { AnyOperationType, FlowContext } from '../operation-type.ts'
import { badValue, stepsOfIssue, tooLong } from '../reject.ts'
import { checkReach } from '../world/reach.ts'
import { Parked } from './keeper.ts'
import { type FlowCause, RunningCause, type RunningFlow } from './run-start.ts'

type Options = Readonly<Record<string, unknown>>

export function readOptions({ type, typeName }: CompiledOperation, rendered: Options): Options {
  const read: (readonly [string, unknown])[] = []
  for (const [name, { schema }] of Object.entries(type.options)) {
    const found = schema.safeParse(rendered[name])
    if (!found.success) {
      const [issue] = found.error.issues
      const path = [name, ...stepsOfIssue(issue?.path ?? [])]
      throw badValue(`The option "${name}" of "${typeName}" cannot be used: ${issue?.message}.`, path)
    }
    if (found.data !== undefined) read.push([name, found.data])
  }
  return Object.fromEntries(read)
}

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
  const engine = causedBy(await run.keeper.engineFor(operation.access), causeOfWrites(run, options))
  const work = async (inside: Engine) =>
    inTime(operation, around, (ending) =>
      type.run(options, contextOf(operation, run, { ending, engine: inside })),
    )
  // One call of the engine is all or nothing by itself.
  return type.kind === 'database' && !type.isOneCall ? engine.transaction(work) : work(engine)
}

const causedBy = (engine: Engine, cause: FlowCause): Engine => internalsOf(engine).causedBy(cause).asEngine()

/** Returns the cause of what an operation does. It starts its own flow again only if it says so. */
function causeOfWrites({ start: { cause } }: RunningFlow, options: Options): FlowCause {
  return options.emitEvents === true ? new RunningCause(new Set(), cause.depth) : cause
}

function contextOf(
  operation: CompiledOperation,
  run: RunningFlow,
  { ending, engine }: { readonly ending: Ending; readonly engine?: Engine },
): FlowContext {
  return withControl(
    {
      flow: run.start.flow.name,
      operation: operation.key,
      get signal() {
        return ending.signal
      },
      get idempotencyKey() {
        return run.keeper.idempotencyKey(operation)
      },
      get engine() {
        if (!engine) throw unreachable('an operation of the kind "pure" that asks for the engine')
        return engine
      },
    },
    { run, operation },
  )
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

/** Waits for an operation within its time, and until its run is no longer waited for. */
function inTime(
  { type, typeName }: CompiledOperation,
  around: AbortSignal | undefined,
  work: (ending: Ending) => unknown,
): unknown {
  const { timeoutMs = defaultTimeoutMs } = type
  const ending = new Ending()
  if (around?.aborted) ending.end(new Parked('This run is no longer waited for.'))
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
    const stopListening =
      around && onAbort(around, () => end(new Parked('This run is no longer waited for.')))
    answer.then(resolve, reject).then(() => {
      clearTimeout(timer)
      stopListening?.()
    })
  })
}

function late({ kind, isOneCall }: AnyOperationType, typeName: string, timeoutMs: number): EngineError {
  const message = `"${typeName}" has not ended within ${timeoutMs.toLocaleString('en')} ms.`
  // A write that it has asked the engine for may still come, and only the end of the transaction undoes that.
  if (kind === 'reads' || (kind === 'database' && isOneCall)) return fault('OUT_OF_TIME', message)
  return tooLong(message)
}

/** The run that an operation steers: those of the package find it behind their context, and those of hosts do not. */
export interface Control {
  readonly run: RunningFlow
  readonly operation: CompiledOperation
}

const key: unique symbol = Symbol('control of a run')

const withControl = (context: FlowContext, control: Control): FlowContext =>
  Object.defineProperty(context, key, { value: control })

export const controlOf = (context: FlowContext): Control => Reflect.get(context, key) as Control // `withControl` made it
