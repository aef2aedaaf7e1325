// Timers that keep no process alive.

import { onAbort } from '../errors/abort-signal.ts'
import { unreachable } from '../errors/errors.ts'

/** Calls back after some milliseconds. Returns a function that prevents it. */
export function later(milliseconds: number, work: () => void): () => void {
  const timer = setTimeout(work, Math.min(milliseconds, longest))
  timer.unref?.()
  return () => clearTimeout(timer)
}

/** Resolves after some milliseconds, or when the signal is aborted. */
export const waitFor = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const stop = later(milliseconds, () => {
      forget()
      resolve()
    })
    const forget = onAbort(signal, () => {
      stop()
      resolve()
    })
  })

/** Resolves when others have had their turn. */
export const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** The longest time that a timer takes. */
const longest = 2 ** 31 - 1

/** A promise, and how it is settled. */
export interface Deferred {
  readonly promise: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Returns a promise whose failure nobody has to wait for. */
export function deferred(): Deferred {
  let settle: Omit<Deferred, 'promise'> | undefined
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject }
  })
  promise.catch(() => undefined)
  if (!settle) throw unreachable('a promise settles its callback at once')
  return { promise, ...settle }
}
