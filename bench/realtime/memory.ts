// R5: what a subscription keeps in memory.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { watchItems } from 'quernel/realtime'
import { Audience, openFeed, pause } from './audience.ts'
import { scenes, tenantCaller } from './changes.ts'
import type { Figure, Measuring } from './figures.ts'

export async function measureMemory(measuring: Measuring): Promise<readonly Figure[]> {
  return [
    { what: 'match', value: await keptBy('match', measuring), unit: 'KB' },
    { what: 'page', value: await keptBy('page', measuring), unit: 'KB' },
  ]
}

async function keptBy(membership: 'match' | 'page', { ground, callers }: Measuring): Promise<number> {
  const feed = openFeed(ground.engine)
  // The first one makes what is made once.
  await (await Audience.of(feed, [listOf(0)])).leave()
  const before = heap()
  const audience = await Audience.of(
    feed,
    Array.from({ length: callers }, (_, caller) => listOf(caller)),
  )
  await pause(100)
  const kept = (heap() - before) / callers / 1_000
  await audience.leave()
  await feed.stop()
  return kept

  function listOf(caller: number) {
    if (membership === 'match') return scenes.R1(callers).watch(feed, caller)
    const query = { fields: ['id', 'title', 'amount'], filter: { amount: { _gte: caller } }, limit: 10 }
    return watchItems(feed.as(tenantCaller(caller, callers)), 'tickets', query)
  }
}

/** Bytes in use once nothing is left to collect. */
export function heap(): number {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  for (let time = 0; time < 3; time++) collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
