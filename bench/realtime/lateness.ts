// R7: how late a timer comes while thousands are told, beside a loop that has nothing to do.
import { updateItem } from 'quernel'
import { watchItems } from 'quernel/realtime'
import { Audience, openFeed, pause, type WatchedFeed } from './audience.ts'
import { scenes } from './changes.ts'
import { type Figure, type Measuring, share } from './figures.ts'

/** Milliseconds of the timer. */
const every = 5

export async function measureLateness(measuring: Measuring): Promise<readonly Figure[]> {
  const { seconds, callers } = measuring
  const empty = await lateDuring(() => pause(seconds * 1_000))
  const { watch } = scenes.R1(callers)
  const distinct = await lateWith(measuring, 20, watch)
  const shared = await lateWith(measuring, 2, (feed) =>
    watchItems(feed.as({ admin: true }), 'tickets', { fields: ['id', 'title', 'changed'], limit: 1 }, match),
  )
  return [
    late('empty loop, p99.9', empty),
    late('distinct, p99.9', distinct),
    late('one list, p99.9', shared),
  ]
}

const match = { membership: 'match' } as const

const late = (what: string, lateness: readonly number[]): Figure => ({
  what,
  value: share(lateness, 0.999),
  unit: 'ms',
})

/** How late the timer is while lists of all callers are told of so many changes in a second. */
async function lateWith(
  { ground, callers, seconds }: Measuring,
  rate: number,
  watch: (feed: WatchedFeed, caller: number) => ReturnType<typeof watchItems>,
): Promise<readonly number[]> {
  const feed = openFeed(ground.engine)
  const audience = await Audience.of(
    feed,
    Array.from({ length: callers }, (_, caller) => watch(feed, caller)),
  )
  try {
    return await lateDuring(async () => {
      for (let turn = 0; turn < rate * seconds; turn++) {
        await updateItem(ground.engine, 'tickets', 1 + turn, {
          title: `Late ${turn}`,
          amount: callers - 1,
        })
        await pause(1_000 / rate)
      }
      await audience.quiet()
    })
  } finally {
    await audience.leave()
    await feed.stop()
  }
}

export async function lateDuring(work: () => Promise<unknown>): Promise<readonly number[]> {
  const lateness: number[] = []
  let isOver = false
  const tick = (planned: number) => {
    lateness.push(performance.now() - planned)
    if (!isOver) setTimeout(tick, every, performance.now() + every)
  }
  tick(performance.now())
  await work()
  isOver = true
  await pause(every * 4)
  return lateness
}
