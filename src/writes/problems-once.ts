import type { EngineError } from '../errors.ts'
import { Problems } from '../problems.ts'

/** Tells a mistake once, however many items one payload is meant for. */
export class ProblemsOnce extends Problems {
  readonly #told = new Set<string>()

  override report(problem: EngineError): void {
    const { code, path, message } = problem
    const text = JSON.stringify([code, path, message])
    if (this.#told.has(text)) return
    this.#told.add(text)
    super.report(problem)
  }
}
