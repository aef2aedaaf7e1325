// Texts of the items of events: subscribers who see the same, and ask for the same, share them.

import type { EngineInternals } from '../../engine/engine.ts'
import { keepRead, stateName } from '../../realtime/socket/shared-reads.ts'
import { Cache } from '../../values/cache.ts'
import type { PlannedRoot } from '../answer/roots/plan-root.ts'

/** An event of a list, its token in the feed, and the engine of its receiver. */
interface HeardEvent {
  readonly collection: string
  readonly engine: EngineInternals
  readonly token: string
}

export class EventTexts {
  readonly #known = new Cache<Promise<string> | undefined>(maxKept)

  /** Returns the text of a planned read. `signal`: aborted when the reader no longer waits for it. */
  async of(root: PlannedRoot, event: HeardEvent, signal: AbortSignal | undefined): Promise<string> {
    try {
      return await this.#shared(root, event)
    } catch (error) {
      // The one who began the read has left, and the others are still there.
      if (error === operationEnded && !signal?.aborted) return this.of(root, event, signal)
      throw error
    }
  }

  async #shared(root: PlannedRoot, { collection, engine, token }: HeardEvent): Promise<string> {
    const list = { collection, query: { identity: root.identity() } }
    const name = stateName({ token, list, engine }, [])
    const text = await keepRead(this.#known, name, async () => (await root.run()).text)
    if (name !== undefined && text.length > longestKept) this.#known.set(name, undefined)
    return text
  }
}

const maxKept = 500
/** The memory that texts take has to have a bound, too. */
const longestKept = 20_000

/** The reason why what was begun for an operation is given up. It is no error. */
export const operationEnded = new DOMException('The operation has ended.', 'AbortError')
