// Timers of the feed.
import { afterEach, expect, it, vi } from 'vitest'
import { later } from '../../src/realtime/timers.ts'

afterEach(() => vi.restoreAllMocks())

it('waits for the whole of a part of a millisecond, which Node cuts off: a list would wake before it may be read', () => {
  const timers = vi.spyOn(globalThis, 'setTimeout')
  for (const milliseconds of [9.02, 9.98, 10]) later(milliseconds, () => undefined)()
  expect(timers.mock.calls.map(([, milliseconds]) => milliseconds)).toEqual([10, 10, 10])
})
