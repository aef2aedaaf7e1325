// Those who wait for a connection. Nobody waits for ever: a call that gets none in time is told so, and gives its place up.
import { fault } from '../errors.ts'

interface Waiting {
  readonly until: number
  readonly give: (reason: unknown) => void
}

const all = new Set<Waiting>()
let clock: NodeJS.Timeout | undefined

/** How often the clock looks; a timer for each call would cost more than a small read does. */
const interval = 50

/** Does something that begins with waiting for a connection. Gives up waiting when the time is over, and altogether when the signal says
 *  so: what has begun is ended by others then, and nobody waits for that. */
export function inTime<Result>(
  work: (isWanted: () => boolean) => Promise<Result>,
  milliseconds: number,
  signal: AbortSignal | undefined,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    let isGivenUp = false
    const give = (reason: unknown) => {
      isGivenUp = true
      leave()
      reject(reason)
    }
    const leave = () => {
      all.delete(waiting)
      if (all.size === 0) clock?.unref()
    }
    const abort = () => give(signal?.reason)
    const waiting: Waiting = { until: Date.now() + milliseconds, give }
    all.add(waiting)
    start()
    signal?.addEventListener('abort', abort)
    const isWanted = () => {
      leave()
      return !isGivenUp
    }
    const end = () => {
      leave()
      signal?.removeEventListener('abort', abort)
    }
    work(isWanted).then(
      (result) => {
        end()
        resolve(result)
      },
      (error) => {
        end()
        reject(error)
      },
    )
  })
}

function start(): void {
  clock?.ref()
  clock ??= setInterval(look, interval)
}

function look(): void {
  const now = Date.now()
  for (const waiting of all) if (waiting.until <= now) waiting.give(tooLate())
  if (all.size > 0) return
  clearInterval(clock)
  clock = undefined
}

const tooLate = () =>
  fault('SERVICE_UNAVAILABLE', 'No connection to the database became free in time.', {
    hint: 'Something holds it: a transaction or a stream that is still open.',
    extensions: { retryAfter: 1 },
  })
