// Waiting for a connection. No call waits for ever: one that gets no connection in time fails, and leaves the queue.
import { onAbort } from '../errors/abort-signal.ts'
import { fault } from '../errors/errors.ts'

interface WaitingCall {
  readonly until: number
  give: (reason: unknown) => void
}

const all = new Set<WaitingCall>()
let clock: NodeJS.Timeout | undefined
let isStarting = false

/** The interval in which the timer checks all waiting calls; a timer for each call would cost more than a small read. */
const interval = 50

/** Callback for the end of work. Without an error there is a result. */
export type Done<Result> = (error: unknown, result?: Result) => void

/** The wait of a call, for its work. */
export interface Wait<Result> {
  readonly isWanted: () => boolean
  readonly isLeft: () => boolean
  /** Ends the call. */
  readonly give: (reason: unknown) => void
  readonly onLeave: OnLeave
  readonly done: Done<Result>
}

/** Takes what ends the wait for a connection where its call gives up. */
export type OnLeave = (leave: () => void) => void

interface LeaveOptions {
  readonly signal: AbortSignal | undefined
  /** Milliseconds for which the call waits after an abort for what has begun. Before that it ends at once. */
  readonly patience?: number
}

/** Runs work that begins by waiting for a connection. The call is rejected when the time is over, or when the
 *  signal is aborted: whatever has begun is ended elsewhere, and the call does not wait for that. The work
 *  calls `isWanted` once, when it has its connection, to learn whether it should go on; before that it may call
 *  `isLeft` as often as it likes, and `onLeave`. */
export function withAcquireTimeout<Result>(
  work: (isWanted: () => boolean, isLeft: () => boolean, onLeave: OnLeave) => Promise<Result>,
  milliseconds: number,
  { signal, patience = 0 }: LeaveOptions,
  /** Returns the error that is thrown for one of the work, or of the wait. */
  translate = asItIs,
): Promise<Result> {
  const begin = ({ isWanted, isLeft, give, onLeave, done }: Wait<Result>) => {
    let hasBegun = false
    const begins = () => {
      hasBegun = isWanted()
      return hasBegun
    }
    const begun = work(begins, isLeft, onLeave)
    const ended = signal ? untilAborted(signal, () => (hasBegun ? patience : 0), give, begun) : begun
    ended.then((result) => done(undefined, result), done)
  }
  return withAcquireTimeoutOf(begin, milliseconds, translate)
}

/** The same for work that calls back, and itself listens for an abort, upon which it calls `give`: a promise for each of its steps would cost
 *  more than a small read. */
export function withAcquireTimeoutOf<Result>(
  begin: (wait: Wait<Result>) => void,
  milliseconds: number,
  translate: (error: unknown) => unknown,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    // A call that is over may live on for long, and must not keep its result alive.
    let succeed: typeof resolve = resolve
    let fail: typeof reject = reject
    let isGivenUp = false
    let waits = true
    let leaveQueue: () => void = nothing
    const give = (reason: unknown) => {
      isGivenUp = true
      leave(waiting)
      fail(translate(reason))
      leaveQueue()
    }
    const waiting: WaitingCall = { until: performance.now() + milliseconds, give }
    const isWanted = () => {
      waits = false
      leave(waiting)
      return !isGivenUp
    }
    const done: Done<Result> = (error, result) => {
      waits = false
      leave(waiting)
      if (error !== undefined) fail(translate(error))
      // Without an error there is a result.
      else succeed(result as Result)
      succeed = nothing
      fail = nothing
      leaveQueue = nothing
    }
    const onLeave: OnLeave = (own) => {
      leaveQueue = own
    }
    try {
      begin({ isWanted, isLeft: () => isGivenUp, give, onLeave, done })
      // One that has its connection at once needs no clock.
      if (waits && !isGivenUp) join(waiting)
    } catch (error) {
      done(error)
    }
  })
}

const asItIs = (error: unknown): unknown => error

async function untilAborted<Result>(
  signal: AbortSignal,
  patience: () => number,
  give: (reason: unknown) => void,
  work: Promise<Result>,
): Promise<Result> {
  let clock: NodeJS.Timeout | undefined
  const leave = () => give(signal.reason)
  const stopListening = onAbort(signal, () => {
    const milliseconds = patience()
    if (milliseconds === 0) leave()
    else clock = setTimeout(leave, milliseconds)
  })
  try {
    return await work
  } finally {
    stopListening()
    clearTimeout(clock)
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
  // A call that has left is not garbage collected at once, and must not keep the result of the database alive.
  waiting.give = nothing
  if (all.delete(waiting) && all.size === 0) clock?.unref()
}

const nothing = () => undefined

/** Starts the timer. Most calls get a connection before the next turn of the event loop, and need none. */
function start(): void {
  isStarting = false
  if (all.size > 0) clock = setInterval(look, interval)
}

function look(): void {
  // A monotonic clock: the system clock may be set during the wait.
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
