// The timers that are running.
import { afterEach, beforeEach, vi } from 'vitest'

/** Counts the timers that tests of this file begin and nobody ends. */
export function countTimers(): () => number {
  const running = new Set<unknown>()
  beforeEach(() => {
    running.clear()
    const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void, ...rest: never[]) => {
      const timer = setTimeout(
        () => {
          running.delete(timer)
          work()
        },
        ...rest,
      )
      running.add(timer)
      return timer
    }) as typeof setTimeout)
    vi.spyOn(globalThis, 'setInterval').mockImplementation(((work: () => void, ...rest: never[]) => {
      const timer = setInterval(work, ...rest)
      running.add(timer)
      return timer
    }) as typeof setInterval)
    const ended =
      (end: (timer: never) => void) =>
      (timer: unknown): void => {
        running.delete(timer)
        end(timer as never)
      }
    vi.spyOn(globalThis, 'clearTimeout').mockImplementation(ended(clearTimeout))
    vi.spyOn(globalThis, 'clearInterval').mockImplementation(ended(clearInterval))
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })
  return () => running.size
}
