// Rows that an operation may lead to, of all its fields together: one engine's limit would otherwise hold for each field anew.
import { type EngineError, fault } from '../../errors/errors.ts'
import type { PlannedRoot } from './roots/plan-root.ts'

/** Returns the field that asks for the most rows, if all of them could lead to more than a bound, with its error. */
export function rowsBeyond<Root extends PlannedRoot>(
  roots: readonly Root[],
  bound: number,
): Beyond<Root> | undefined {
  const requested = roots.map(({ rows }) => rows?.requested ?? 0)
  return beyond(roots, requested, bound, () =>
    fault('INVALID_QUERY', `The limits of this operation could lead to more than ${bound} rows.`, {
      hint: 'Ask for smaller pages.',
    }),
  )
}

/** Counts the rows below the items of several fields, if there could be more than one answer may have, up to the first that is too many. */
export async function countedBeyond<Root extends PlannedRoot>(
  roots: readonly Root[],
): Promise<Beyond<Root> | undefined> {
  // A single field is counted with its own statement.
  if (roots.length < 2) return undefined
  const below = roots.flatMap(({ rows }) => rows ?? [])
  const allowed = Math.min(...below.map((rows) => rows.allowed))
  if (below.length < 2 || sumOf(below.map(({ max }) => max())) <= allowed) return undefined
  const counts: number[] = []
  for (const { rows } of roots) {
    const left = allowed - sumOf(counts)
    if (left < 0) break
    counts.push((await rows?.count(left)) ?? 0)
  }
  return beyond(roots, counts, allowed, () =>
    fault('INVALID_QUERY', `There are more than ${allowed} rows below the items of the answer.`, {
      hint: 'Ask for fewer items, or give the lists inside a smaller "limit".',
    }),
  )
}

interface Beyond<Root> {
  readonly root: Root
  readonly error: EngineError
}

function beyond<Root>(
  roots: readonly Root[],
  counts: readonly number[],
  bound: number,
  error: () => EngineError,
): Beyond<Root> | undefined {
  if (sumOf(counts) <= bound) return undefined
  const root = roots[counts.indexOf(Math.max(...counts))]
  return root && { root, error: error() }
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)
