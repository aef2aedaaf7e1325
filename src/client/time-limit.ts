// Calls end in time, and with the signal of their caller, whatever `fetch` makes of it.

import { onAbort } from '../errors/abort-signal.ts'
import { EngineError } from '../errors/errors.ts'

export interface TimeLimit {
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number
}

/** Timers of browsers and Node take no longer time. */
const longestMs = 2_147_483_647

/** Does work whose signal is aborted when the caller's is, or when its time is over. `extensions`: members of the error of then. */
export function inTime<Result>(
  { signal, timeoutMs }: TimeLimit,
  extensions: Readonly<Record<string, unknown>>,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const controller = new AbortController()
    const end = (reason: unknown) => {
      controller.abort(reason)
      reject(reason)
    }
    const says = `There was no whole answer within ${timeoutMs} ms.`
    const late = () => end(new EngineError('OUT_OF_TIME', says, { extensions }))
    const timer = timeoutMs > longestMs ? undefined : setTimeout(late, timeoutMs)
    const forget = onAbort(signal, () => end(signal?.reason))
    work(controller.signal)
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer)
        forget()
      })
  })
}

/** Waits, and rejects when the signal is aborted. */
export const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      forget()
      resolve()
    }, milliseconds)
    const forget = onAbort(signal, () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
