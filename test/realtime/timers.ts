// The timers that are running.
import { AsyncLocalStorage } from 'node:async_hooks'
import { afterEach, beforeEach, vi } from 'vitest'

export interface CountedTimers {
  readonly count: () => number
  /** Makes a test whose timers are counted. What other files left running in the process of the test may begin some, too. */
  readonly of: (test: () => Promise<void>) => () => Promise<void>
}

/** Counts the timers that tests begin and nobody ends. */
export function countTimers(): CountedTimers {
  const running = new Set<unknown>()
  const own = new AsyncLocalStorage<true>()
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
      if (own.getStore()) running.add(timer)
      return timer
    }) as typeof setTimeout)
    vi.spyOn(globalThis, 'setInterval').mockImplementation(((work: () => void, ...rest: never[]) => {
      const timer = setInterval(work, ...rest)
      if (own.getStore()) running.add(timer)
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
  return { count: () => running.size, of: (test) => () => own.run(true, test) }
}
