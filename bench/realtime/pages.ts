// R3: pages that are all moved by each change of one collection, at a fixed rate of changes.
import { updateItem } from 'quernel'
import { watchItems } from 'quernel/realtime'
import { Audience, openFeed, pause } from './audience.ts'
import { lastChange } from './changes.ts'
import { type Figure, type Measuring, processorOf, share } from './figures.ts'

/** Changes in a second. */
const rate = 50
/** Pages for so many callers of other measures. */
const pagesOf = (callers: number) => callers / 10

export async function measurePages({ ground, callers, seconds }: Measuring): Promise<readonly Figure[]> {
  const { engine } = ground
  const feed = openFeed(engine)
  const mine = feed.as({ admin: true })
  const written: number[] = []
  const told: number[] = []
  const ages: number[] = []
  const waits: number[] = []
  // Nearly each change is of what all of them list, and comes first in it.
  const lists = Array.from({ length: pagesOf(callers) }, (_, index) =>
    watchItems(mine, 'tickets', {
      fields: ['id', 'title', 'changed'],
      filter: { amount: { _gte: index % 100 }, id: { _gte: index } },
      sort: '-changed',
      limit: 20,
    }),
  )
  const audience = await Audience.of(feed, lists, (message, index) => {
    const last = lastChange(message)
    if (last < 1) return
    // The oldest change that this message is the first to tell.
    const at = written[(told[index] ?? 0) + 1]
    if (at !== undefined) ages.push(performance.now() - at)
    told[index] = last
  })
  const changes = rate * seconds
  try {
    const { here, server } = await processorOf(ground, async () => {
      const start = performance.now()
      for (let turn = 1; turn <= changes; turn++) {
        const ahead = start + (turn * 1_000) / rate - performance.now()
        if (ahead > 0) await pause(ahead)
        written[turn] = performance.now()
        // One that all of the pages list.
        await updateItem(engine, 'tickets', callers - (turn % 100), {
          changed: turn,
          amount: 200,
          title: `Turn ${turn}`,
        })
        if (turn % 10 === 0) waits.push(feed.status().oldest)
      }
      await pause(50)
      await audience.quiet()
    })
    return [
      { what: 'age, median', value: share(ages, 0.5), unit: 'ms' },
      { what: 'age, p95', value: share(ages, 0.95), unit: 'ms' },
      { what: 'oldest that waits, p95', value: share(waits, 0.95), unit: 'ms' },
      { what: 'messages a second', value: audience.takeHeard() / seconds, unit: '1/s' },
      { what: 'processor a second', value: here / seconds, unit: 'ms' },
      ...(server > 0
        ? [{ what: 'processor a second, server', value: server / seconds, unit: 'ms' } as const]
        : []),
    ]
  } finally {
    await audience.leave()
    await feed.stop()
  }
}
