/** Work that several wait for, and that is done once. */
export interface Flights<Result> {
  /** Joins the work of this name, or begins it. It is given up when everybody who waited for it has left. */
  readonly join: (
    name: string,
    work: (signal: AbortSignal) => Promise<Result>,
    signal: AbortSignal | undefined,
  ) => Promise<Result>
}

interface Flight<Result> {
  readonly result: Promise<Result>
  readonly controller: AbortController
  passengers: number
}

export function newFlights<Result>(): Flights<Result> {
  const flights = new Map<string, Flight<Result>>()

  function begin(name: string, work: (signal: AbortSignal) => Promise<Result>): Flight<Result> {
    const controller = new AbortController()
    const result = work(controller.signal).finally(() => land(name, flight))
    const flight: Flight<Result> = { result, controller, passengers: 0 }
    // Whoever waits is told; when nobody waits any more, nobody wants to know.
    result.catch(() => undefined)
    flights.set(name, flight)
    return flight
  }

  function land(name: string, flight: Flight<Result>): void {
    if (flights.get(name) === flight) flights.delete(name)
  }

  return {
    async join(name, work, signal) {
      signal?.throwIfAborted()
      const flight = flights.get(name) ?? begin(name, work)
      flight.passengers += 1
      try {
        return await unlessAborted(flight.result, signal)
      } finally {
        flight.passengers -= 1
        if (flight.passengers === 0) {
          // Nobody may join what is being given up.
          land(name, flight)
          flight.controller.abort()
        }
      }
    },
  }
}

function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort)
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
