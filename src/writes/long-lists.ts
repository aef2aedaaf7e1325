// The length of lists that come from outside. A host's own code may write longer ones, whose rows are written in batches.
import { fault, type Path } from '../errors/errors.ts'
import type { Limits } from '../query/limits.ts'

/** Refuses a list of items, or of keys, before anything is made of its elements. What is no list is checked elsewhere. */
export function refuseLong(list: unknown, { listOperand: most }: Limits, path: Path = []): void {
  if (!Array.isArray(list) || list.length <= most) return
  throw fault('INVALID_PAYLOAD', `A list has at most ${most} elements; this one has ${list.length}.`, {
    path,
    hint: 'Send several lists.',
  })
}
