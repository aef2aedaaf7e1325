// Calls end in time, and with the signal of their caller, whatever `fetch` makes of it.

import { onAbort } from '../errors/abort-signal.ts'
import { failure } from '../errors/errors.ts'

export interface TimeLimit {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs: number
}

/** Does work whose signal is aborted when the caller's is, or when its time is over. `extensions`: members of the error of then. */
export const inTime = <Result>(
  { signal, timeoutMs }: TimeLimit,
  extensions: Readonly<Record<string, unknown>>,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const controller = new AbortController()
    const end = (reason: unknown) => {
      controller.abort(reason)
      reject(reason)
    }
    const says = `No whole answer within ${timeoutMs} ms.`
    const timer = setTimeout(
      () => end(failure('OUT_OF_TIME', says, { status: 408, extensions })),
      // Timers of browsers and Node take no longer time.
      Math.min(timeoutMs, 2 ** 31 - 1),
    )
    const forget = onAbort(signal, () => end(signal?.reason))
    work(controller.signal)
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer)
        forget()
      })
  })

/** Waits until a signal of ours is aborted at most. */
export const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.onabort = () => {
      clearTimeout(timer)
      resolve()
    }
  })
