// R6: writes of a collection that nobody watches, beside the same without a feed.
import { createItem, updateItem } from 'quernel'
import { contest } from '../contest.ts'
import { bestOf } from '../ratios.ts'
import { Audience, openFeed } from './audience.ts'
import { scenes } from './changes.ts'
import type { Figure, Measuring } from './figures.ts'
import type { Watched } from './ground.ts'

/** Subscribers of another collection. */
const others = 100

export async function measureUnwatched({ ground, callers, seconds }: Measuring): Promise<readonly Figure[]> {
  const feed = openFeed(ground.engine)
  const { watch } = scenes.R1(callers)
  const lists = Array.from({ length: others }, (_, caller) => watch(feed, caller))
  const audience = await Audience.of(feed, lists)
  const { id } = await createItem(ground.bare, 'elsewhere', { title: 'Old' })
  let turn = 0
  const writes: Readonly<Record<string, (engine: Watched) => Promise<unknown>>> = {
    createItem: (engine) => createItem(engine, 'elsewhere', { title: 'New' }),
    updateItem: (engine) => updateItem(engine, 'elsewhere', id, { title: `Turn ${turn++}` }),
  }
  const figures: Figure[] = []
  try {
    for (const [what, write] of Object.entries(writes)) {
      const entrants = [
        { party: 'fed', form: what, run: () => write(ground.engine) },
        { party: 'bare', form: what, run: () => write(ground.bare) },
      ]
      const results = await contest(entrants, () => noTurn, seconds)
      const [fed, bare] = [bestOf('fed', results), bestOf('bare', results)]
      figures.push({ what, value: (fed?.time ?? Number.NaN) / (bare?.time ?? Number.NaN), unit: '×' })
    }
    return figures
  } finally {
    await audience.leave()
    await feed.stop()
  }
}

const noTurn = { page: 1, key: 1, most: 0, skipped: 0 }
