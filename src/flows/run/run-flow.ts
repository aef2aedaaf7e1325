// Runs a flow: one operation after the other, each with what stands in the data chain.
import { setImmediate as turn } from 'node:timers/promises'
import { Chain, copyJson, isNoJson, type JsonCopy, maxChain, mostResult } from '../chain/chain.ts'
import { renderOptions } from '../chain/render-value.ts'
import type { Block, CompiledOperation } from '../check/compiled.ts'
import { runStarter } from '../flow-rights.ts'
import { badValue, chosenError, isFinal, type Rejection, rejectionOf } from '../reject.ts'
import { type BlockFrame, Frames, storedCopy } from './frames.ts'
import { type FlowStep, Parked, type RunEnd, type RunKeeper, type RunPosition } from './keeper.ts'
import { readOptions, runOperation } from './run-operation.ts'
import {
  mostIterated,
  mostOfRowMs,
  mostSteps,
  type RunningFlow,
  type RunStart,
  tooMany,
} from './run-start.ts'

/** The error of an operation that no other one has handled. */
interface Failed {
  readonly error: unknown
}

const longestBreathMs = 50

export class FlowRun implements RunningFlow {
  readonly start: RunStart
  readonly keeper: RunKeeper
  readonly chain = new Chain()
  readonly #frames: Frames
  #steps = 0
  /** When this run last yielded to the event loop. */
  #breath = performance.now()

  /** `from`: the position from which it goes on, with the steps before it. */
  constructor(start: RunStart, from?: RunPosition, steps: readonly FlowStep[] = []) {
    this.start = start
    this.keeper = start.keep(this)
    const { flow, trigger, parts, budget } = start
    this.chain.set('$trigger', trigger)
    this.chain.setLast(trigger)
    if (flow.namesCaller) this.chain.point('$accountability', runStarter(start.caller()))
    this.chain.point('$env', parts.secrets)
    for (const { operation, status, result, error } of steps)
      this.#keep(operation, storedCopy(status === 'resolved' ? result : error))
    this.#frames = new Frames(this.chain, from?.frames ?? [{ next: flow.block.first }])
    if (!from) return
    this.#steps = from.steps
    budget.iterated = from.iterated
  }

  get position(): RunPosition {
    return {
      frames: this.#frames.left ?? this.#frames.positions,
      steps: this.#steps,
      iterated: this.start.budget.iterated,
    }
  }

  get frame(): BlockFrame {
    return this.#frames.innermost
  }

  get isInLoop(): boolean {
    return this.#frames.isInLoop
  }

  async toEnd(): Promise<RunEnd> {
    const failed = await this.#runBlock(this.start.flow.block)
    // The next run for the same event would begin at once.
    await this.#giveTurn()
    const end: RunEnd = failed
      ? { state: 'failed', error: failed.error }
      : { state: 'succeeded', result: this.#result() }
    await this.keeper.finish(end)
    return end
  }

  #result(): unknown {
    const { returns } = this.start.flow
    if (returns === undefined) return undefined
    if (returns === '$all') return this.chain.all
    return (returns === '$last' ? this.chain.last.value : this.chain.at(returns)) ?? null
  }

  /** Runs the operations of the innermost frame until none follows. */
  async #runBlock({ operations }: Block): Promise<Failed | undefined> {
    const { frame } = this
    while (frame.next !== undefined) {
      const operation = operations.get(frame.next)
      if (!operation) return undefined
      const failed = await this.#step(operation)
      if (failed && (operation.reject === undefined || this.#isOver(failed.error))) return failed
      if (failed) this.#frames.handle()
      frame.next = failed ? operation.reject : operation.resolve
      frame.calls = undefined
      await this.keeper.after()
    }
    return undefined
  }

  /** True for an error after which nothing of the run may follow. */
  #isOver(error: unknown): boolean {
    const { budget, isInside } = this.start
    return (
      this.#steps > mostSteps ||
      budget.iterated > mostIterated ||
      performance.now() > budget.until ||
      (isInside && isFinal(error))
    )
  }

  async #step(operation: CompiledOperation): Promise<Failed | undefined> {
    const { keeper, start } = this
    const mayShowSecrets = operation.type.kind === 'outside' || operation.secrets.size > 0
    let options = operation.written
    try {
      await keeper.before(operation)
      this.#count()
      await this.#breathe()
      const rendered = renderOptions(operation.options, this.chain)
      options = shownOptions(operation, rendered)
      const read = readOptions(operation, rendered)
      const copy = copyOf(
        await keeper.operate(operation, () => runOperation(operation, read, this)),
        operation,
      )
      const result = mayShowSecrets ? this.#redacted(copy, operation) : copy
      this.#keepResult(operation.key, result)
      keeper.keep({ operation: operation.key, status: 'resolved', options, result: result.value })
      return undefined
    } catch (error) {
      if (error instanceof Parked) throw error
      await keeper.failed(operation, error)
      const rejection = rejectionOf(error)
      const shown = mayShowSecrets ? (start.parts.redact(rejection) as Rejection) : rejection // texts alone are replaced
      this.#keepRejection(operation.key, shown)
      keeper.keep({ operation: operation.key, status: 'rejected', options, error: shown })
      return { error: shown === rejection ? error : chosenError(shown) }
    }
  }

  /** Returns an answer without the texts of secrets. It is copied before: bytes are texts then, and nothing nests without end. */
  #redacted(copy: JsonCopy, operation: CompiledOperation): JsonCopy {
    const value = this.start.parts.redact(copy.value)
    return value === copy.value ? copy : copyOf(value, operation)
  }

  #count(): void {
    // A run that goes on was counted when it began.
    if (this.#frames.isResuming) return
    const { budget } = this.start
    if (!this.isInLoop) this.#steps += 1
    if (this.isInLoop || this.start.cause.depth > 1) budget.iterated += 1
    if (this.#steps > mostSteps) throw badValue(`A run has ${mostSteps.toLocaleString('en')} steps at most.`)
    if (budget.iterated > mostIterated) throw tooMany()
  }

  /** Lets others have their turn: what only computes would keep them waiting to its end. */
  async #breathe(): Promise<void> {
    const now = performance.now()
    if (now > this.start.budget.until)
      throw badValue(`A flow of this kind takes ${mostOfRowMs / 1_000} seconds at most.`)
    await this.#giveTurn(now)
  }

  async #giveTurn(now = performance.now()): Promise<void> {
    if (now - this.#breath < longestBreathMs) return
    await turn()
    this.#breath = performance.now()
  }

  #keepResult(key: string, result: JsonCopy): void {
    if (this.chain.bytes + result.bytes > maxChain)
      throw badValue(`The data chain of the flow has more than ${maxChain.toLocaleString('en')} bytes.`)
    this.#keep(key, result)
  }

  #keepRejection(key: string, rejection: Rejection): void {
    const copy = copyJson(rejection, mostResult)
    this.#keep(key, isNoJson(copy) ? { value: { ...rejection, extensions: {} }, bytes: 600 } : copy)
  }

  #keep(key: string, copy: JsonCopy): void {
    this.chain.set(key, copy)
    this.chain.setLast(copy)
  }

  async forEach({ block }: CompiledOperation, list: readonly unknown[]): Promise<readonly unknown[]> {
    if (!block) return []
    return this.#frames.inLoop(
      block,
      list,
      async (frame) => {
        const failed = await this.#runBlock(block)
        if (failed) throw failed.error
        const { last } = this.chain
        frame.bytes += last.bytes
        if (frame.bytes > mostResult) throw tooLarge()
        return last.value
      },
      () => this.keeper.iterated(),
    )
  }
}

const tooLarge = () => badValue(`An operation answers ${mostResult.toLocaleString('en')} bytes at most.`)

function shownOptions(
  { secret, written }: CompiledOperation,
  rendered: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const known = Object.entries(rendered).filter(([, value]) => value !== undefined)
  return Object.fromEntries(known.map(([name, value]) => [name, secret.has(name) ? written[name] : value]))
}

function copyOf(value: unknown, { typeName }: CompiledOperation): JsonCopy {
  const copy = copyJson(value, mostResult)
  if (!isNoJson(copy)) return copy
  const at = copy.path.length > 0 ? ` at "${copy.path.join('.')}"` : ''
  throw badValue(`What "${typeName}" answers${at} ${copy.says}.`, copy.path)
}
