import { outOfTime } from '../images/run-steps.ts'

/** A timeout for slow work: the library checks its own once a second at most, and a storage never. */
export interface Timeout {
  /** Rejects when the time is up. */
  readonly expired: Promise<never>
  /** Starts the timeout again, and returns when it will end. */
  readonly start: () => number
  readonly stop: () => void
}

export function newTimeout(milliseconds: number): Timeout {
  let timer: NodeJS.Timeout | undefined
  let ring: (error: unknown) => void
  const expired = new Promise<never>((_, reject) => {
    ring = reject
  })
  const stop = () => clearTimeout(timer)
  const start = () => {
    stop()
    timer = setTimeout(() => ring(outOfTime()), milliseconds)
    return performance.now() + milliseconds
  }
  return { expired, start, stop }
}
