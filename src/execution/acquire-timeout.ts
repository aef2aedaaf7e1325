// Those who wait for a connection. Nobody waits for ever: a call that gets none in time is told so, and gives its place up.
import { onAbort } from '../errors/abort-signal.ts'
import { fault } from '../errors/errors.ts'

interface WaitingCall {
  readonly until: number
  give: (reason: unknown) => void
}

const all = new Set<WaitingCall>()
let clock: NodeJS.Timeout | undefined
let isStarting = false

/** How often the clock looks; a timer for each call would cost more than a small read does. */
const interval = 50

/** Does something that begins with waiting for a connection. Gives up waiting when the time is over, and altogether when the signal says
 *  so: what has begun is ended by others then, and nobody waits for that. The work asks once, when it has what it has waited for, whether
 *  that is wanted still; and before that, as often as it likes, whether it is not. */
export function withAcquireTimeout<Result>(
  work: (isWanted: () => boolean, isLeft: () => boolean) => Promise<Result>,
  milliseconds: number,
  signal: AbortSignal | undefined,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    let isGivenUp = false
    const give = (reason: unknown) => {
      isGivenUp = true
      leave(waiting)
      reject(reason)
    }
    const waiting: WaitingCall = { until: performance.now() + milliseconds, give }
    join(waiting)
    const isWanted = () => {
      leave(waiting)
      return !isGivenUp
    }
    const begun = work(isWanted, () => isGivenUp)
    const done = signal ? untilAborted(signal, give, begun) : begun
    done.then(resolve, (error) => {
      leave(waiting)
      reject(error)
    })
  })
}

async function untilAborted<Result>(
  signal: AbortSignal,
  give: (reason: unknown) => void,
  work: Promise<Result>,
): Promise<Result> {
  const stopListening = onAbort(signal, () => give(signal.reason))
  try {
    return await work
  } finally {
    stopListening()
  }
}

function join(waiting: WaitingCall): void {
  all.add(waiting)
  if (clock) clock.ref()
  else if (!isStarting) {
    isStarting = true
    setImmediate(start)
  }
}

function leave(waiting: WaitingCall): void {
  // Whoever has left is not collected at once, and must not hold what the database answers to them.
  waiting.give = nothing
  if (all.delete(waiting) && all.size === 0) clock?.unref()
}

const nothing = () => undefined

/** Most calls get a connection before anything else happens; for those there is no clock. */
function start(): void {
  isStarting = false
  if (all.size > 0) clock = setInterval(look, interval)
}

function look(): void {
  // The clock of the wall may be set while somebody waits.
  const now = performance.now()
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
