import { fault } from '../errors/errors.ts'

export interface Queue {
  /** Waits for a slot. Returns a function that gives it back. */
  readonly slot: (signal: AbortSignal) => Promise<() => void>
}

interface QueueBounds {
  /** The maximum number of slots in use at once. */
  readonly concurrency: number
  /** The maximum number of waiting callers. */
  readonly queue: number
  /** The maximum waiting time. */
  readonly timeoutMs: number
}

/** A queue of bounded length: a caller that finds it full gets an error at once, instead of late. */
export function newQueue({ concurrency, queue, timeoutMs }: QueueBounds): Queue {
  let atWork = 0
  const waiting = new Set<() => void>()

  function giveBack(): void {
    atWork -= 1
    const [next] = waiting
    if (!next) return
    waiting.delete(next)
    next()
  }

  function taken(): () => void {
    atWork += 1
    let isBack = false
    return () => {
      if (isBack) return
      isBack = true
      giveBack()
    }
  }

  return {
    async slot(signal) {
      signal.throwIfAborted()
      if (atWork < concurrency) return taken()
      if (waiting.size >= queue) throw overloaded()
      return await new Promise((resolve, reject) => {
        const leave = (reason: unknown) => {
          waiting.delete(enter)
          end()
          reject(reason)
        }
        const abort = () => leave(signal.reason)
        const timer = Number.isFinite(timeoutMs)
          ? setTimeout(() => leave(overloaded()), timeoutMs)
          : undefined
        const end = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', abort)
        }
        const enter = () => {
          end()
          resolve(taken())
        }
        signal.addEventListener('abort', abort)
        waiting.add(enter)
      })
    },
  }
}

const overloaded = () =>
  fault('SERVICE_UNAVAILABLE', 'Too many pictures are being made at the moment.', {
    extensions: { retryAfter: 1 },
  })
