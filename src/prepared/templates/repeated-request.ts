// A request with the same values as the last one of its shape reuses the bound values, without reading them again.

import type { BoundStatement } from '../../execution/statement.ts'
import type { Statement } from '../../sql/statement.ts'
import { type BoundValues, bindStatement } from './template.ts'

/** Keeps the values of the last request. */
export class LastRequest {
  #values: readonly unknown[] = []
  #boundValues: BoundValues | undefined
  /** Bound statements for these values. */
  #filled = new Map<Statement, BoundStatement>()

  boundValuesFor(values: readonly unknown[]): BoundValues | undefined {
    return this.#boundValues && isSame(values, this.#values) ? this.#boundValues : undefined
  }

  /** True if the same values come twice in a row. Only then it pays to keep what was bound. */
  isRequestedAgain(values: readonly unknown[]): boolean {
    if (isSame(values, this.#values)) return true
    // Objects may change between requests and are read each time; long values are not kept.
    if (!values.every(isSmall)) return false
    this.#values = values
    this.#boundValues = undefined
    this.#filled.clear()
    return false
  }

  /** Keeps the bound values of a repeated request. */
  keep(boundValues: BoundValues): void {
    this.#boundValues = boundValues
  }

  /** Returns a bound statement, from the kept values if these are the same. */
  filled(statement: Statement, boundValues: BoundValues): BoundStatement {
    if (boundValues !== this.#boundValues) return bindStatement(statement, boundValues)
    const known = this.#filled.get(statement)
    if (known) return known
    const made = bindStatement(statement, boundValues)
    // Many calls share the parameters, and they are passed to callbacks such as `onQuery`.
    Object.freeze(made.parameters)
    this.#filled.set(statement, made)
    return made
  }
}

export function isSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  const { length } = some
  if (length !== others.length) return false
  for (let index = 0; index < length; index++) if (some[index] !== others[index]) return false
  return true
}

function isSmall(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= longestKept
  return typeof value === 'number' || typeof value === 'boolean'
}

const longestKept = 200
