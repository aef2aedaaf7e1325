import { combine, type EngineError, type ErrorCode, fault, type Path } from './errors.ts'

/** A suggestion of what to do instead. Searching for the nearest word takes longer than finding the problem, so
 *  it runs last. */
export type Hint = string | undefined | (() => string | undefined)

/** Collects all problems of one input, so that a caller gets them all at once. */
export class Problems {
  readonly #found: EngineError[] = []
  readonly #code: ErrorCode

  constructor(code: ErrorCode) {
    this.#code = code
  }

  add(path: Path, message: string, hint?: Hint): void {
    // An error captures its stack, which costs more than finding the problem.
    if (this.isFull) return
    this.report(fault(this.#code, message, { path, hint: typeof hint === 'function' ? hint() : hint }))
  }

  report(problem: EngineError): void {
    // A hostile input can be wrong in a million places; no reader needs more than a few.
    if (!this.isFull) this.#found.push(problem)
  }

  /** Adds an error that is expensive to make: it is made only if there is room for it. There is one such error per path. */
  reportMade(make: () => EngineError, _path: Path): void {
    if (!this.isFull) this.report(make())
  }

  get all(): readonly EngineError[] {
    return this.#found
  }

  /** True if there are so many problems that reading on is not worth the time. */
  get isFull(): boolean {
    return this.#found.length >= max
  }

  get isEmpty(): boolean {
    return this.#found.length === 0
  }

  throwIfAny(): void {
    if (!this.isEmpty) throw combine(this.#found)
  }
}

const max = 100
