import type { EngineError, Path } from './errors.ts'
import { Problems } from './problems.ts'

/** Reports each mistake once, even if several items share a payload. */
export class DistinctProblems extends Problems {
  readonly #reported = new Set<string>()
  readonly #made = new Set<string>()

  override report(problem: EngineError): void {
    const { code, path, message } = problem
    if (!this.isFull && isNew(this.#reported, [code, path, message])) super.report(problem)
  }

  override reportMade(make: () => EngineError, path: Path): void {
    if (!this.isFull && isNew(this.#made, path)) super.reportMade(make, path)
  }
}

function isNew(known: Set<string>, what: readonly unknown[]): boolean {
  const text = JSON.stringify(what)
  if (known.has(text)) return false
  known.add(text)
  return true
}
