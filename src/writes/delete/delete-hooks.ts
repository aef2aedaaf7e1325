import { type Key, keyIdentity } from '../../plan/key.ts'
import type { Collection } from '../../schema/model.ts'
import { changeOf, runBeforeHooks, type WriteContext } from '../write-context.ts'
import { mostKeys } from './affected-rows.ts'

/** The hooks before rows of a collection are deleted: they run once for each row, and for as many at a time as keys are kept in memory. */
export class DeleteHooks {
  /** True if there are any. */
  readonly exist: boolean
  readonly #collection: Collection
  readonly #writing: WriteContext
  readonly #seen = new Set<string>()

  constructor(collection: Collection, writing: WriteContext) {
    this.#collection = collection
    this.#writing = writing
    this.exist = writing.engine.hooks.of('before', 'items.delete', collection.name).length > 0
  }

  /** Runs the hooks for those rows for which they have not run yet. */
  async run(keys: readonly Key[]): Promise<void> {
    if (!this.exist) return
    const unseen = keys.filter((key) => !this.#seen.has(keyIdentity(key)))
    for (const key of unseen) this.#seen.add(keyIdentity(key))
    for (let from = 0; from < unseen.length; from += mostKeys) {
      const batch = unseen.slice(from, from + mostKeys)
      await runBeforeHooks(
        this.#writing,
        changeOf(this.#writing, 'items.delete', { collection: this.#collection, keys: batch }),
      )
    }
  }
}
