import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ReaderPool } from '../../../../src/drivers/sqlite/readers/pool.ts'
import { ReaderThread } from '../../../../src/drivers/sqlite/readers/reader-thread.ts'

/** A thread without one: the test says whether it is busy, and when it becomes free. */
class Thread {
  isAlive = true
  isBusy = false
  onFree: () => void = () => undefined

  close(): void {
    this.isAlive = false
  }
}

let begun: Thread[]
beforeEach(() => {
  begun = []
  vi.spyOn(ReaderThread, 'begin').mockImplementation(async () => {
    const thread = new Thread()
    begun.push(thread)
    return thread as never // It has what a pool uses.
  })
})
afterEach(() => vi.restoreAllMocks())

const taken = (pool: ReaderPool) =>
  new Promise<ReaderThread>((resolve, reject) => {
    pool.take((error, thread) => (thread ? resolve(thread) : reject(error)))
  })

it('replaces threads whose statement was abandoned, and has at most twice as many', async () => {
  const pool = new ReaderPool({ path: 'notes.db', places: [], threads: 2 })
  const lent = await Promise.all([taken(pool), taken(pool)])
  for (let round = 0; round < 2; round++) {
    for (const thread of begun) thread.isBusy = true
    for (const thread of lent.splice(0)) pool.giveBack(thread)
    if (round === 0) lent.push(...(await Promise.all([taken(pool), taken(pool)])))
  }
  expect(begun).toHaveLength(4)
  const served: unknown[] = []
  const waiting = [taken(pool), taken(pool)].map((wait) => wait.then((thread) => served.push(thread)))
  await Promise.resolve()
  expect([begun.length, served]).toEqual([4, []])
  for (const thread of begun.slice(0, 2)) {
    thread.isBusy = false
    thread.onFree()
  }
  await Promise.all(waiting)
  expect(new Set(served)).toEqual(new Set(begun.slice(0, 2)))
  // Those that become free now are too many.
  for (const thread of begun.slice(2)) thread.onFree()
  expect(begun.map(({ isAlive }) => isAlive)).toEqual([true, true, false, false])
})

it('lends a thread that was given back free again, and begins no other one', async () => {
  const pool = new ReaderPool({ path: 'notes.db', places: [], threads: 1 })
  const first = await taken(pool)
  const second = taken(pool)
  pool.giveBack(first)
  expect([(await second) === first, begun.length]).toEqual([true, 1])
})
