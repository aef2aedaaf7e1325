import { combine, type EngineError, type ErrorCode, fault, type Path } from './errors.ts'

/** Gathers everything that is wrong with one input, so that a caller sees it all at once. */
export class Problems {
  readonly #found: EngineError[] = []
  readonly #code: ErrorCode

  constructor(code: ErrorCode) {
    this.#code = code
  }

  add(path: Path, message: string, hint?: string): void {
    // An error takes its stack with it, which costs more than finding the problem.
    if (!this.isFull) this.report(fault(this.#code, message, { path, hint }))
  }

  report(problem: EngineError): void {
    // A hostile input can be wrong in a million places; nobody reads more than a few.
    if (!this.isFull) this.#found.push(problem)
  }

  get all(): readonly EngineError[] {
    return this.#found
  }

  /** So much is wrong that reading on is not worth the time. */
  get isFull(): boolean {
    return this.#found.length >= most
  }

  get isEmpty(): boolean {
    return this.#found.length === 0
  }

  throwIfAny(): void {
    if (!this.isEmpty) throw combine(this.#found)
  }
}

const most = 100
