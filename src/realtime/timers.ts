// Timers that keep no process alive.

import { onAbort } from '../errors/abort-signal.ts'
import { unreachable } from '../errors/errors.ts'

/** Calls back after some milliseconds. Returns a function that prevents it. */
export function later(milliseconds: number, work: () => void): () => void {
  const timer = setTimeout(work, Math.min(Math.ceil(milliseconds), longest))
  timer.unref?.()
  return () => clearTimeout(timer)
}

/** Calls again and again. Returns a function that ends it. */
export function every(milliseconds: number, work: () => void): () => void {
  const timer = setInterval(work, milliseconds)
  timer.unref?.()
  return () => clearInterval(timer)
}

/** Calls again and again, but not while the last call is under way. Returns a function that ends it. `work`: never rejects. */
export function repeat(milliseconds: number, work: () => Promise<void>): () => void {
  let isFree = true
  return every(milliseconds, () => {
    if (!isFree) return
    isFree = false
    void work().finally(() => {
      isFree = true
    })
  })
}

/** Resolves after some milliseconds, or when the signal is aborted. */
export const waitFor = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const stop = later(milliseconds, () => {
      forget()
      resolve()
    })
    const forget = onAbort(signal, () => {
      stop()
      resolve()
    })
  })

/** Resolves when others have had their turn. */
export const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** Lets so many go on in each turn of the loop. The others wait for the next ones, so that thousands do not hold up everybody else. */
export class Turns {
  readonly #max: number
  #left: number
  readonly #waiting: (() => void)[] = []
  #isPlanned = false

  constructor(max: number) {
    this.#max = max
    this.#left = max
  }

  /** Returns undefined if the caller may continue at once. */
  take(): Promise<void> | undefined {
    this.#plan()
    if (this.#left > 0) {
      this.#left -= 1
      return undefined
    }
    return new Promise((resolve) => void this.#waiting.push(resolve))
  }

  #plan(): void {
    if (this.#isPlanned) return
    this.#isPlanned = true
    setImmediate(() => {
      this.#isPlanned = false
      const next = this.#waiting.splice(0, this.#max)
      this.#left = this.#max - next.length
      if (next.length > 0) this.#plan()
      for (const resolve of next) resolve()
    })
  }
}

/** Calls all of some, so many in each turn of the loop. Who asks for it meanwhile lets it begin anew. */
export class CalledInTurns<Item> {
  readonly #work: (item: Item) => void
  #isWanted = false
  #isCalling = false

  constructor(work: (item: Item) => void) {
    this.#work = work
  }

  async call(all: ReadonlySet<Item>): Promise<void> {
    this.#isWanted = true
    if (this.#isCalling) return
    this.#isCalling = true
    while (this.#isWanted) {
      this.#isWanted = false
      let count = 0
      for (const item of [...all]) {
        this.#work(item)
        count += 1
        if (count % maxInTurn === 0) await turn()
      }
    }
    this.#isCalling = false
  }
}

const maxInTurn = 500

/** The longest time that a timer takes. */
const longest = 2 ** 31 - 1

/** Waits for one thing at a time, and for none any more once it is over. */
export class Waits {
  #wake: (() => void) | undefined
  #giveUp: (() => void) | undefined

  /** Ends the wait for anything that happens. */
  readonly wake = (): void => this.#wake?.()

  /** Ends every wait. */
  end(): void {
    this.#giveUp?.()
    this.wake()
  }

  /** Waits until it is woken, at most for some milliseconds. */
  async something(milliseconds: number | undefined): Promise<void> {
    const forget = milliseconds === undefined ? undefined : later(milliseconds, this.wake)
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    forget?.()
  }

  /** Returns what is waited for; undefined if it is over before. */
  for<Result>(work: Promise<Result>): Promise<Result | undefined> {
    return new Promise((resolve, reject) => {
      this.#giveUp = () => resolve(undefined)
      work.then(resolve, reject)
    })
  }
}

/** A promise, and how it is settled. */
export interface Deferred {
  readonly promise: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Returns a promise whose rejection need not be handled. */
export function deferred(): Deferred {
  let settle: Omit<Deferred, 'promise'> | undefined
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject }
  })
  promise.catch(() => undefined)
  if (!settle) throw unreachable('a promise settles its callback at once')
  return { promise, ...settle }
}

/** Returns what is awaited; undefined if it does not come in time. */
export async function within<Result>(
  milliseconds: number,
  coming: Promise<Result>,
): Promise<Result | undefined> {
  let forget: (() => void) | undefined
  const silence = new Promise<undefined>((resolve) => {
    forget = later(milliseconds, () => resolve(undefined))
  })
  try {
    return await Promise.race([coming, silence])
  } finally {
    forget?.()
  }
}
