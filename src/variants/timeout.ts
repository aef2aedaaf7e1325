import { outOfTime } from '../images/run-steps.ts'

/** Rings when something takes too long: the library looks at its clock once a second at most, and a storage never. */
export interface Timeout {
  /** Fails when it rings. */
  readonly rung: Promise<never>
  /** Answers when it will ring. Started once more, it rings later. */
  readonly start: () => number
  readonly stop: () => void
}

export function newTimeout(milliseconds: number): Timeout {
  let timer: NodeJS.Timeout | undefined
  let ring: (error: unknown) => void
  const rung = new Promise<never>((_, reject) => {
    ring = reject
  })
  const stop = () => clearTimeout(timer)
  const start = () => {
    stop()
    timer = setTimeout(() => ring(outOfTime()), milliseconds)
    return performance.now() + milliseconds
  }
  return { rung, start, stop }
}
