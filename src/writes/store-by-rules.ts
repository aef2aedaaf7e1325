// Stores items where only the stored rows show which rule allows them: they are written behind a savepoint with the values of one rule, and
// undone and written again with those of the next where it refuses them.

import { type EngineError, isEngineError, type Path } from '../errors/errors.ts'
import type { ItemWrite } from '../plan/write/write-plan.ts'
import { isUndecided, RulesRefuse, settleRules, takeNextRule } from './authorize/rule-choice.ts'
import { ofRows } from './context/in-halves.ts'
import { newProblems, type WriteContext } from './context/write-context.ts'
import { restoring } from './store-judged.ts'

interface Steps {
  /** Writes the items, and judges them as they are stored. */
  readonly store: (inside: WriteContext) => Promise<void>
  /** Checks items again for which another rule is tried. */
  readonly check: (items: readonly ItemWrite[]) => Promise<void>
}

/** Stores items with the values of the first rules that allow them. */
export async function storeByRules(
  items: readonly ItemWrite[],
  writing: WriteContext,
  { store, check }: Steps,
): Promise<void> {
  for (let left = mostAttempts(items, writing); left > 0 && hasUndecided(items, writing); left--) {
    const restore = restoring(items)
    const refused = await refusedIn(items, writing, store)
    if (!refused) return
    restore()
    for (const [item, errors] of refused) takeNextRule(item, errors, writing)
    await check([...refused.keys()])
  }
  settleRules(items, writing)
  await store(writing)
}

const hasUndecided = (items: readonly ItemWrite[], writing: WriteContext): boolean =>
  items.some((item) => isUndecided(item, writing))

/** Returns the maximum number of attempts: a rule that looks at the other items of a call may refuse one that it allowed before. */
const mostAttempts = (items: readonly ItemWrite[], { choices }: WriteContext): number =>
  items.reduce((most, item) => Math.max(most, 2 * (choices.get(item)?.ways.length ?? 0)), 0)

/** Writes items, and returns those that were refused while other rules are left for them, with the errors. All is undone then. */
async function refusedIn(
  items: readonly ItemWrite[],
  writing: WriteContext,
  store: Steps['store'],
): Promise<ReadonlyMap<ItemWrite, readonly EngineError[]> | undefined> {
  // References that an attempt has judged are judged again once it is undone.
  const references = new Map(
    [...writing.references].map(([item, one]) => [item, { ...one, judged: new Set(one.judged) }]),
  )
  try {
    await writing.caller.atomic(
      (caller) => store({ ...writing, caller, engine: caller.whole(), problems: newProblems(), references }),
      writing.options,
    )
    return undefined
  } catch (error) {
    if (error instanceof RulesRefuse) return error.refused
    if (!isEngineError(error) || !ofRows.has(error.code)) throw error
    // A row that cannot be stored with the values of a rule may be with those of the next.
    const [item, ...others] = items.filter((one) => isUndecided(one, writing) && isAbout(one, error.path))
    if (!item || others.length > 0) throw error
    return new Map([[item, error.errors ?? [error]]])
  }
}

/** True if an error with some path may be about an item. */
const isAbout = (item: ItemWrite, path: Path | undefined): boolean =>
  path === undefined || item.path.every((step, at) => step === path[at])
