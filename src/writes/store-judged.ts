// Stores items whose references only the stored rows show: they are written behind a savepoint, and undone while it is checked whether
// the caller saw, before the write, what they refer to.

import type { ItemWrite } from '../plan/write/write-plan.ts'
import { referencesStored, refuseAmong, refuseReference } from './authorize/check-references.ts'
import type { FoundReference } from './authorize/references.ts'
import { giveParts } from './authorize/unsure-references.ts'
import type { WriteContext } from './context/write-context.ts'

/** Maximum number of times that references may come out otherwise than they were judged. */
const most = 2

/** Ends an attempt whose rows refer to what is not judged yet. */
class Unjudged extends Error {
  readonly references: readonly FoundReference[]

  constructor(references: readonly FoundReference[]) {
    super()
    this.references = references
  }
}

/** Stores items once all that they refer to is judged. `store` writes them; `finish` does what follows. */
export async function storeJudged(
  items: readonly ItemWrite[],
  writing: WriteContext,
  { store, finish }: Readonly<Record<'store' | 'finish', (inside: WriteContext) => Promise<void>>>,
): Promise<void> {
  const restore = restoring(items)
  for (let attempt = 0; ; attempt++) {
    const unjudged = await undoneIf(writing, async (inside) => {
      await store(inside)
      const found = await referencesStored(items, inside)
      if (found.length > 0) throw new Unjudged(found)
      await finish(inside)
    })
    if (!unjudged) return
    restore()
    if (attempt < most) await refuseAmong(unjudged, writing)
    else for (const one of unjudged) refuseReference(one, writing)
    writing.problems.throwIfAny()
    giveParts(unjudged, writing)
  }
}

/** Runs work behind a savepoint, and returns the references for which it was undone. */
async function undoneIf(
  writing: WriteContext,
  work: (inside: WriteContext) => Promise<void>,
): Promise<readonly FoundReference[] | undefined> {
  try {
    await writing.caller.atomic(
      (caller) => work({ ...writing, caller, engine: caller.whole() }),
      writing.options,
    )
    return undefined
  } catch (error) {
    if (error instanceof Unjudged) return error.references
    throw error
  }
}

/** Returns a function that makes items again what they are now. */
export function restoring(items: readonly ItemWrite[]): () => void {
  const states = items.map((item) => ({
    item,
    key: item.key,
    values: [...item.values],
    increments: [...item.increments],
  }))
  return () => {
    for (const { item, key, values, increments } of states) {
      item.key = key
      item.values.clear()
      for (const [field, value] of values) item.values.set(field, value)
      item.increments.clear()
      for (const [field, by] of increments) item.increments.set(field, by)
    }
  }
}
