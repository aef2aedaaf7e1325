// The one walk that evaluates a condition in memory, whatever its rows are: items, rows of a version, or values of a data chain.

import type { Path } from '../../errors/errors.ts'
import type { OnRelated } from '../walk.ts'
import type { Test } from './predicate.ts'

interface Leaf {
  readonly kind: 'test'
}

interface Step {
  readonly kind: OnRelated['kind']
}

/** A condition on a row: tests, conditions on the rows behind a step, and what joins them. */
export type RowCondition<L extends Leaf, S extends Step> =
  | L
  | { readonly kind: 'and'; readonly parts: readonly RowCondition<L, S>[]; readonly path?: Path }
  | { readonly kind: 'or'; readonly parts: readonly RowCondition<L, S>[]; readonly path?: Path }
  | { readonly kind: 'owner'; readonly condition: RowCondition<L, S> }
  | (S & { readonly condition: RowCondition<L, S> })

export interface RowReader<Row, L extends Leaf = Test, S extends Step = OnRelated> {
  /** True if a row passes a test; undefined if that is not known. Without a row all values are null. */
  readonly passes: (test: L, row: Row | null) => boolean | undefined
  /** Returns the rows behind a step; undefined if they are not known, and false if the step is not met whatever is asked of them. */
  readonly behind: (step: S, row: Row) => readonly (Row | null)[] | false | undefined
  /** Called for each part of a condition, before it is looked at. */
  readonly visit?: () => void
}

/** True if a row meets a condition; undefined if that is not known; else the part that it does not meet. */
export type Verdict<L extends Leaf, S extends Step> = true | undefined | RowCondition<L, S>

/** Evaluates a condition on a row. `owner`: the row whose child it is. */
export function verdictOn<Row, L extends Leaf, S extends Step>(
  condition: RowCondition<L, S>,
  row: Row | null,
  reader: RowReader<Row, L, S>,
  owner: Row | null = null,
): Verdict<L, S> {
  reader.visit?.()
  if (condition.kind === 'test') {
    const passes = reader.passes(condition, row)
    return passes === false ? condition : passes
  }
  if (condition.kind === 'owner') return verdictOn(condition.condition, owner, reader)
  if (condition.kind === 'and' || condition.kind === 'or') {
    const isEach = condition.kind === 'and'
    return joined(condition.parts, isEach, (part) => verdictOn(part, row, reader, owner), condition)
  }
  const rows = row === null ? [] : reader.behind(condition, row)
  if (!rows) return rows === false ? condition : undefined
  const onRow = (one: Row | null) => verdictOn(condition.condition, one, reader, row)
  if (condition.kind === 'one') return onRow(rows[0] ?? null)
  const found = joined(rows, false, onRow, condition)
  return found && (found === true) === (condition.kind === 'none') ? condition : found && true
}

/** Joins verdicts: each of them has to be true, or one. `none`: the verdict on none, of which one would have to be. */
function joined<One, V>(
  all: readonly One[],
  isEach: boolean,
  verdictOf: (one: One) => V | true | undefined,
  none: V,
): V | true | undefined {
  let left: V | true | undefined = isEach || none
  for (const one of all) {
    const verdict = verdictOf(one)
    if (verdict === true ? !isEach : isEach && verdict) return verdict
    if (verdict !== true) left &&= verdict && (left === none ? verdict : left)
  }
  return left
}
