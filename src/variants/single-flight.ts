// Single flight: several callers wait for the same work, which is done once.
import { onAbort } from '../errors/abort-signal.ts'

export interface SingleFlight<Result> {
  /** Joins the work of this name, or begins it. The work is aborted when all callers who waited for it have left. */
  readonly join: (
    name: string,
    work: (signal: AbortSignal) => Promise<Result>,
    signal: AbortSignal | undefined,
  ) => Promise<Result>
}

/** A resource that several callers use at the same time. */
export interface Shared<Thing> {
  /** Uses the resource of this name. It is fetched for the first caller, and kept until the last one is done with it. */
  readonly use: <Result>(
    name: string,
    fetch: (signal: AbortSignal) => Promise<Thing>,
    signal: AbortSignal | undefined,
    work: (thing: Thing) => Promise<Result>,
  ) => Promise<Result>
}

interface Flight<Result> {
  readonly result: Promise<Result>
  readonly controller: AbortController
  /** Number of callers that wait for the result or use it. */
  waiters: number
}

export function newSingleFlight<Result>(): SingleFlight<Result> {
  const use = newResource<Result>('settled')
  return { join: (name, work, signal) => use(name, work, signal, async (result) => result) }
}

export function newShared<Thing>(): Shared<Thing> {
  return { use: newResource<Thing>('failed') }
}

/** Work by name, in progress or in use; a later caller joins it. */
function newResource<Result>(forgetsWhen: 'settled' | 'failed'): Shared<Result>['use'] {
  const flights = new Map<string, Flight<Result>>()

  function begin(name: string, work: (signal: AbortSignal) => Promise<Result>): Flight<Result> {
    const controller = new AbortController()
    const result = work(controller.signal)
    const flight: Flight<Result> = { result, controller, waiters: 0 }
    const end = () => forget(name, flight)
    // Waiting callers get the error from the promise; without any, the error is ignored.
    result.then(forgetsWhen === 'settled' ? end : undefined, end)
    flights.set(name, flight)
    return flight
  }

  function forget(name: string, flight: Flight<Result>): void {
    if (flights.get(name) === flight) flights.delete(name)
  }

  return async (name, work, signal, use) => {
    signal?.throwIfAborted()
    const flight = flights.get(name) ?? begin(name, work)
    flight.waiters += 1
    try {
      return await use(await unlessAborted(flight.result, signal))
    } finally {
      flight.waiters -= 1
      if (flight.waiters === 0) {
        // No caller may join work that is being aborted.
        forget(name, flight)
        flight.controller.abort()
      }
    }
  }
}

function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const stopListening = onAbort(signal, () => reject(signal.reason))
    work.then(resolve, reject).finally(stopListening)
  })
}
