// The order in which a worker begins runs under which others may have died.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { RunQueue } from '../../../src/flows/runs/run-queue.ts'
import type { ClaimedRun } from '../../../src/flows/runs/run-row.ts'

const run = (id: string, deaths = 0) => ({ id, deaths }) as ClaimedRun // the rest of it is not looked at

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

it('lets each suspect be alone, until it has recorded something', () => {
  const queue = new RunQueue()
  queue.add([run('a', 1), run('b', 1), run('c'), run('d')])
  expect(queue.take(1)).toBeUndefined()
  expect(queue.take(0)?.id).toBe('a')
  expect(queue.take(1)).toBeUndefined()
  queue.clear(run('a', 1))
  expect(queue.take(1)).toBeUndefined()
  expect(queue.take(0)?.id).toBe('b')
  queue.clear(run('b', 1))
  expect([queue.take(1)?.id, queue.take(2)?.id, queue.take(3)]).toEqual(['c', 'd', undefined])
})

it('holds up nothing for longer than ten seconds', () => {
  const queue = new RunQueue()
  queue.add([run('suspect', 1), run('c')])
  expect(queue.take(1)).toBeUndefined()
  vi.advanceTimersByTime(10_000)
  expect(queue.take(1)?.id).toBe('suspect')
  expect(queue.take(2)).toBeUndefined()
  vi.advanceTimersByTime(10_000)
  expect(queue.take(2)?.id).toBe('c')
})
