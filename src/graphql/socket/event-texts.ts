// Texts of the items of events: subscribers who see the same, and ask for the same, share them.

import type { EngineInternals } from '../../engine/engine.ts'
import { keepRead, stateName } from '../../realtime/socket/shared-reads.ts'
import { Cache } from '../../values/cache.ts'
import type { PlannedRoot } from '../answer/plan-root.ts'

/** An event of a list, by the token that was told with it, and who hears of it. */
interface HeardEvent {
  readonly collection: string
  readonly engine: EngineInternals
  readonly token: string
}

export class EventTexts {
  readonly #known = new Cache<Promise<string> | undefined>(mostKept)

  /** Returns the text of a planned read. */
  async of(root: PlannedRoot, { collection, engine, token }: HeardEvent): Promise<string> {
    const list = { collection, query: { identity: root.identity() } }
    const name = stateName({ token, list, engine }, [])
    const text = await keepRead(this.#known, name, async () => (await root.run()).text)
    if (name !== undefined && text.length > longestKept) this.#known.set(name, undefined)
    return text
  }
}

const mostKept = 500
/** The memory that texts take has to have a bound, too. */
const longestKept = 20_000
