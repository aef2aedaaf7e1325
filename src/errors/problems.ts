import { combine, type EngineError, type ErrorCode, fault, type Path } from './errors.ts'

/** What to do instead. Searching for the nearest word takes longer than finding the problem, so it is asked for last. */
export type Hint = string | undefined | (() => string | undefined)

/** Gathers everything that is wrong with one input, so that a caller sees it all at once. */
export class Problems {
  readonly #found: EngineError[] = []
  readonly #code: ErrorCode

  constructor(code: ErrorCode) {
    this.#code = code
  }

  add(path: Path, message: string, hint?: Hint): void {
    // An error takes its stack with it, which costs more than finding the problem.
    if (this.isFull) return
    this.report(fault(this.#code, message, { path, hint: typeof hint === 'function' ? hint() : hint }))
  }

  report(problem: EngineError): void {
    // A hostile input can be wrong in a million places; nobody reads more than a few.
    if (!this.isFull) this.#found.push(problem)
  }

  /** Notes an error that takes some work to make: only where there is room for it. There is one such error at a path. */
  reportMade(make: () => EngineError, _path: Path): void {
    if (!this.isFull) this.report(make())
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
