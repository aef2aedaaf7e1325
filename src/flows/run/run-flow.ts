// Runs a flow: one operation after the other, each with what stands in the data chain.
import { setImmediate as turn } from 'node:timers/promises'
import type { Engine } from '../../engine/engine.ts'
import { Chain, mostChain, mostResult } from '../chain/chain.ts'
import { copyJson, isNoJson, type JsonCopy } from '../chain/json-value.ts'
import { renderValue } from '../chain/render-value.ts'
import type { Block, CompiledFlow, CompiledOperation } from '../check/compiled.ts'
import { badValue, isFinal, type Rejection, rejectionOf } from '../reject.ts'
import { readOptions, runOperation } from './run-operation.ts'
import {
  mostIterated,
  mostOfRowMs,
  mostSteps,
  type RunningFlow,
  type RunStart,
  tooMany,
} from './run-start.ts'

/** How a run has ended. */
export type RunEnd =
  | { readonly state: 'succeeded'; readonly result: unknown }
  | { readonly state: 'failed'; readonly error: unknown }

/** The error of an operation that no other one has handled. */
interface Failed {
  readonly error: unknown
}

const longestBreathMs = 50

/** A run of a flow. */
export class FlowRun implements RunningFlow {
  readonly flow: CompiledFlow
  readonly start: RunStart
  readonly chain = new Chain()
  readonly #engines = new Map<string, Promise<Engine>>()
  #steps = 0
  /** Number of iterations that the run is inside of. */
  #depth = 0
  /** The moment at which others had their turn last. */
  #breath = performance.now()

  constructor(flow: CompiledFlow, start: RunStart) {
    this.flow = flow
    this.start = start
    const { trigger, secrets } = start
    this.chain.set('$trigger', trigger)
    this.chain.setLast(trigger)
    if (flow.namesCaller) this.chain.point('$accountability', accountability(start))
    this.chain.point('$env', secrets)
  }

  /** Runs it to its end. */
  async toEnd(): Promise<RunEnd> {
    const failed = await this.#runBlock(this.flow.block)
    return failed ? { state: 'failed', error: failed.error } : { state: 'succeeded', result: this.#result() }
  }

  #result(): unknown {
    const { returns } = this.flow
    if (returns === undefined) return undefined
    if (returns === '$all') return this.chain.all
    return (returns === '$last' ? this.chain.last.value : this.chain.at(returns)) ?? null
  }

  /** Runs operations until none follows. */
  async #runBlock({ first, operations }: Block): Promise<Failed | undefined> {
    let next = first
    while (next !== undefined) {
      const operation = operations.get(next)
      if (!operation) return undefined
      const failed = await this.#step(operation)
      if (failed && (operation.reject === undefined || this.#isOver(failed.error))) return failed
      next = failed ? operation.reject : operation.resolve
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
    const { steps } = this.start
    let options = operation.written
    try {
      this.#count()
      await this.#breathe()
      const rendered = Object.fromEntries(
        operation.options.map(([name, value]) => [name, renderValue(value, this.chain)]),
      )
      options = shownOptions(operation, rendered)
      const result = copyOf(await runOperation(operation, readOptions(operation, rendered), this), operation)
      this.#keep(operation.key, result)
      steps?.push({ operation: operation.key, status: 'resolved', options, result: result.value })
      return undefined
    } catch (error) {
      const rejection = rejectionOf(error)
      this.#keepRejection(operation.key, rejection)
      steps?.push({ operation: operation.key, status: 'rejected', options, error: rejection })
      return { error }
    }
  }

  #count(): void {
    const { budget } = this.start
    if (this.#depth === 0) this.#steps += 1
    if (this.#depth > 0 || this.start.cause.depth > 1) budget.iterated += 1
    if (this.#steps > mostSteps) throw badValue(`A run has ${mostSteps.toLocaleString('en')} steps at most.`)
    if (budget.iterated > mostIterated) throw tooMany()
  }

  /** Lets others have their turn: what only computes would keep them waiting to its end. */
  async #breathe(): Promise<void> {
    const now = performance.now()
    if (now > this.start.budget.until)
      throw badValue(`A flow of this kind takes ${mostOfRowMs / 1_000} seconds at most.`)
    if (now - this.#breath < longestBreathMs) return
    await turn()
    this.#breath = performance.now()
  }

  #keep(key: string, result: JsonCopy): void {
    if (this.chain.bytes + result.bytes > mostChain)
      throw badValue(`The data chain of the flow has more than ${mostChain.toLocaleString('en')} bytes.`)
    this.chain.set(key, result)
    this.chain.setLast(result)
  }

  #keepRejection(key: string, rejection: Rejection): void {
    const copy = copyJson(rejection, mostResult)
    const kept = isNoJson(copy) ? { value: { ...rejection, extensions: {} }, bytes: 600 } : copy
    this.chain.set(key, kept)
    this.chain.setLast(kept)
  }

  async forEach({ block }: CompiledOperation, list: readonly unknown[]): Promise<readonly unknown[]> {
    if (!block) return []
    const around = ['$item', '$index'].map((root) => [root, this.chain.get(root)] as const)
    const results: unknown[] = []
    let bytes = 0
    this.#depth += 1
    try {
      for (const [index, item] of list.entries()) {
        this.chain.point('$item', item)
        this.chain.point('$index', index)
        this.chain.setLast({ value: item, bytes: 0 })
        const failed = await this.#runBlock(block)
        if (failed) throw failed.error
        const { last } = this.chain
        bytes += last.bytes
        if (bytes > mostResult) throw tooLarge()
        results.push(last.value)
        for (const key of block.operations.keys()) this.chain.delete(key)
      }
      return results
    } finally {
      this.#depth -= 1
      // An iteration that has failed leaves nothing behind either.
      for (const key of block.operations.keys()) this.chain.delete(key)
      for (const [root, value] of around)
        if (value === undefined) this.chain.delete(root)
        else this.chain.point(root, value)
    }
  }

  engineFor(access: string): Promise<Engine> {
    const found = this.#engines.get(access)
    if (found) return found
    const made = this.start.engineFor(access)
    this.#engines.set(access, made)
    return made
  }
}

/** The caller who has started a run, as the data chain shows them. */
function accountability({ caller }: RunStart) {
  const { user = null, role = null, roles = [], admin = false } = caller()
  return { user, role, roles, admin }
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
