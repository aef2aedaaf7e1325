// Admission: how many requests are at work at once. One beyond that gets its 503 at once, so that those inside end in time.
import { fault } from '../errors/errors.ts'
import type { ReadGate } from '../execution/database.ts'
import type { RequestHead, RequestWithHead, TransportRequest } from './messages.ts'

/** Number of requests at work, unless the host says another. */
export const defaultMaxRequests = 500

/** Share of the places that requests for anything but one item take at most. */
const shareOfOthers = 0.75

/** Share of the places up to which a read that takes long begins. */
const shareOfHeavy = 0.5

/** The segment that is the key, by the first segment of a path. */
const keyPlaces: ReadonlyMap<string, number> = new Map([
  ['items', 2],
  ['files', 1],
  ['assets', 1],
  ['versions', 1],
])

export class Admission {
  readonly #max: number
  readonly #maxOthers: number
  readonly #maxHeavy: number
  readonly #counts: Counts = { atWork: 0, refused: 0 }

  constructor(max = defaultMaxRequests) {
    this.#max = max
    this.#maxOthers = Math.max(1, Math.floor(max * shareOfOthers))
    this.#maxHeavy = Math.max(1, Math.floor(max * shareOfHeavy))
  }

  /** Admits a request, or refuses it. Those for one item are refused last: they take the least. Undefined for one that takes no place. */
  enter({ method }: RequestHead, segments: readonly string[] | undefined): RequestPlace | undefined {
    if (isOfDirectory(method, segments)) return undefined
    const place = keyPlaces.get(segments?.[0] ?? '')
    const isByKey = place !== undefined && segments?.[place] !== undefined
    if (this.#counts.atWork >= (isByKey ? this.#max : this.#maxOthers)) throw isFull()
    return new RequestPlace(this.#counts, this.#maxHeavy)
  }
}

interface Counts {
  /** Requests at work. */
  atWork: number
  /** Those of them whose read that takes long was refused: they mostly end at once, and so do not keep others of a crowd from theirs. */
  refused: number
}

export class RequestPlace implements ReadGate {
  readonly #counts: Counts
  readonly #maxHeavy: number
  #isTaken = false
  #isLeft = false
  /** Undefined until a read that takes long is about to begin. All that follow in the request have the same answer. */
  #mayBeHeavy: boolean | undefined

  constructor(counts: Counts, maxHeavy: number) {
    this.#counts = counts
    this.#maxHeavy = maxHeavy
    this.#take(true)
  }

  /** Returns the request, which gives its place up while it waits for bytes of its client. */
  watched(received: RequestWithHead): RequestWithHead {
    const { head, request, parsed, whole } = received
    if (parsed || bodiless.has(head.method)) return received
    return { head, request, parsed, whole, bytes: this.#waiting(received) }
  }

  /** True if a read that takes long would be refused now. Where it is false no gate is needed, and an engine behind one takes time. */
  get isCrowded(): boolean {
    const { atWork, refused } = this.#counts
    return atWork - refused > this.#maxHeavy
  }

  leave(): void {
    this.#take(false)
    this.#isLeft = true
    // Streams and listeners that outlive their request were let in, and an engine that a hook has kept belongs to no request.
    this.beforeWrite()
  }

  readonly beforeHeavy = (): void => {
    if (this.#mayBeHeavy === undefined) {
      this.#mayBeHeavy = !this.isCrowded
      if (!this.#mayBeHeavy) this.#counts.refused++
    }
    if (!this.#mayBeHeavy) throw isFull()
  }

  /** Nothing of a request that has written is refused. */
  readonly beforeWrite = (): void => {
    if (this.#mayBeHeavy === false) this.#counts.refused--
    this.#mayBeHeavy = true
  }

  #take(isTaken: boolean): void {
    if (this.#isLeft || this.#isTaken === isTaken) return
    this.#isTaken = isTaken
    this.#counts.atWork += isTaken ? 1 : -1
  }

  /** The bytes of a body. A client that sends them slowly must not keep others out. */
  async *#waiting({ bytes, request }: TransportRequest): AsyncGenerator<Uint8Array> {
    const chunks = bytes ?? request().body
    if (!chunks) return
    this.#take(false)
    try {
      for await (const chunk of chunks) {
        this.#take(true)
        yield chunk
        this.#take(false)
      }
    } finally {
      this.#take(true)
    }
  }
}

const bodiless: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** True for requests that list paths, or describe the schema. Load balancers ask them to see if the service is up. */
const isOfDirectory = (method: string, segments: readonly string[] | undefined): boolean =>
  method === 'OPTIONS' || ['', 'items', 'schema'].includes(segments?.join('/') ?? '?')

const isFull = () =>
  fault('SERVICE_UNAVAILABLE', 'Too many requests are at work.', {
    hint: 'Try again.',
    extensions: { retryAfter: 1 },
  })

/** Refuses an option that is no number of requests. */
export function checkMaxRequests(max: unknown): void {
  if (max === undefined || (Number.isSafeInteger(max) && Number(max) > 0)) return
  throw fault('INVALID_OPTIONS', '"maxRequests" is a whole number of 1 or more.', { path: ['maxRequests'] })
}
