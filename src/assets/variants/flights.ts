// Work that several wait for, and that is done once.

export interface Flights<Result> {
  /** Joins the work of this name, or begins it. It is given up when everybody who waited for it has left. */
  readonly join: (
    name: string,
    work: (signal: AbortSignal) => Promise<Result>,
    signal: AbortSignal | undefined,
  ) => Promise<Result>
}

/** What several use at the same time. */
export interface Shared<Thing> {
  /** Uses the thing of this name. It is fetched for the first one, and kept until the last one is done with it. */
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
  passengers: number
}

export function newFlights<Result>(): Flights<Result> {
  const { begin, board } = newAirfield<Result>()
  return {
    join: (name, work, signal) =>
      board(
        name,
        () => begin(name, work, 'settled'),
        signal,
        async (flight) => unlessAborted(flight.result, signal),
      ),
  }
}

export function newShared<Thing>(): Shared<Thing> {
  const { begin, board } = newAirfield<Thing>()
  return {
    use: (name, fetch, signal, work) =>
      board(
        name,
        () => begin(name, fetch, 'failed'),
        signal,
        async (flight) => work(await unlessAborted(flight.result, signal)),
      ),
  }
}

/** Where flights begin and land; who comes later joins one that is in the air. */
function newAirfield<Result>() {
  const flights = new Map<string, Flight<Result>>()

  function begin(
    name: string,
    work: (signal: AbortSignal) => Promise<Result>,
    landsWhen: 'settled' | 'failed',
  ): Flight<Result> {
    const controller = new AbortController()
    const result = work(controller.signal)
    const flight: Flight<Result> = { result, controller, passengers: 0 }
    const down = () => land(name, flight)
    // Whoever waits is told; when nobody waits any more, nobody wants to know.
    result.then(landsWhen === 'settled' ? down : undefined, down)
    flights.set(name, flight)
    return flight
  }

  function land(name: string, flight: Flight<Result>): void {
    if (flights.get(name) === flight) flights.delete(name)
  }

  async function board<Told>(
    name: string,
    begun: () => Flight<Result>,
    signal: AbortSignal | undefined,
    fly: (flight: Flight<Result>) => Promise<Told>,
  ): Promise<Told> {
    signal?.throwIfAborted()
    const flight = flights.get(name) ?? begun()
    flight.passengers += 1
    try {
      return await fly(flight)
    } finally {
      flight.passengers -= 1
      if (flight.passengers === 0) {
        // Nobody may join what is being given up.
        land(name, flight)
        flight.controller.abort()
      }
    }
  }

  return { begin, board }
}

function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort)
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
