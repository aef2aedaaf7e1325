import { isOfTooManyBytes } from '../../../errors/too-many-bytes.ts'
import type { TreeText } from '../../../items/read/read-tree.ts'
import type { ResultBudget } from '../result-budget.ts'
import type { PlannedRoot } from './plan-root.ts'

/** Runs the fields of a query, equal ones once, and no more of them once their texts are too long together. */
export function runRoots(roots: readonly PlannedRoot[], budget: ResultBudget): readonly Promise<TreeText>[] {
  const [only] = roots
  // A read has a bound of its own, which is the same.
  if (only && roots.length === 1)
    return [only.mayBeLong === undefined ? countedBy(budget, only.run, 1)() : only.run()]
  const ids = roots.map(({ identity }) => identity())
  const times = new Map<string, number>()
  for (const id of ids) times.set(id, (times.get(id) ?? 0) + 1)
  const runs = new Map<string, Promise<TreeText>>()
  const [maxAtOnce, oneAtOnce] = [atMost(statementsAtOnce), atMost(1)]
  return roots.map(({ run, mayBeLong }, index) => {
    const id = ids[index] ?? ''
    const known = runs.get(id)
    if (known !== undefined) return known
    const work = countedBy(budget, run, times.get(id))
    // Of long answers there is one in memory, beside those that were read before.
    const started = mayBeLong ? oneAtOnce(() => maxAtOnce(work)) : maxAtOnce(work)
    runs.set(id, started)
    return started
  })
}

const countedBy = (budget: ResultBudget, run: PlannedRoot['run'], times: number | undefined) => async () => {
  budget.check()
  try {
    const read = await run()
    budget.take(read.text, times)
    return read
  } catch (error) {
    // The fields that wait are not read for an answer that is refused.
    if (isOfTooManyBytes(error)) budget.exceed()
    throw error
  }
}

/** Statements of one request that may hold a connection at a time. */
const statementsAtOnce = 3

/** Returns a function that runs so many works at a time, in the order in which they come: the first in the queue gets the first place that is free. */
export function atMost(max: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running < max) running++
    else await new Promise<void>((start) => waiting.push(start))
    try {
      return await work()
    } finally {
      const start = waiting.shift()
      // The place is handed on, so that no later work takes it.
      if (start) start()
      else running--
    }
  }
}
