// A request that asks exactly what the last one of its shape asked has the same answers, which need not be read again.

import type { BoundStatement } from '../execution/statement.ts'
import type { Statement } from '../sql/statements.ts'
import { type BoundValues, bindStatement } from './template.ts'

/** Remembers what was asked last. */
export class LastRequest {
  #values: readonly unknown[] = []
  #answers: BoundValues | undefined
  /** What it made of statements. */
  #filled = new Map<Statement, BoundStatement>()

  answersTo(values: readonly unknown[]): BoundValues | undefined {
    return this.#answers && isSame(values, this.#values) ? this.#answers : undefined
  }

  /** Whether the same is asked a second time in a row. Only then it is worth its while to keep the answers. */
  isAskedAgain(values: readonly unknown[]): boolean {
    if (isSame(values, this.#values)) return true
    // What may change by itself is read each time, and what is long is not kept.
    if (!values.every(isSmall)) return false
    this.#values = values
    this.#answers = undefined
    this.#filled.clear()
    return false
  }

  /** Keeps the answers to what was asked again. */
  keep(answers: BoundValues): void {
    this.#answers = answers
  }

  /** A statement with the answers that were kept, if these are they. */
  filled(statement: Statement, answers: BoundValues): BoundStatement {
    if (answers !== this.#answers) return bindStatement(statement, answers)
    const known = this.#filled.get(statement)
    if (known) return known
    const made = bindStatement(statement, answers)
    // Many calls share it, and it is shown to whoever wants to know what is run.
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
