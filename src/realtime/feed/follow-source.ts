// Follows a source for as long as a feed lives, and begins again where it fails.

import { fault, quote } from '../../errors/errors.ts'
import { deferred, waitFor } from '../timers.ts'
import type { Source, SourceBatch, SourceContext, SourcePosition } from './source.ts'

interface SourceReader {
  readonly changed: (batch: SourceBatch) => void
  /** Called when something may have been missed. */
  readonly missed: () => void
  readonly onError: (error: unknown) => void
}

export class FollowedSource {
  readonly #source: Source
  readonly #context: SourceContext
  readonly #reader: SourceReader
  #position: SourcePosition | undefined
  /** When the source was lost; undefined while it is followed. */
  #lostAt: number | undefined = performance.now()
  /** Failures that came soon after each other. */
  #failures = 0
  #failedAt = Number.NEGATIVE_INFINITY
  /** True if something may have been missed since the last batch. */
  #isLost = false
  readonly #heard = deferred()

  constructor(source: Source, context: SourceContext, reader: SourceReader) {
    this.#source = source
    this.#context = context
    this.#reader = reader
  }

  /** Milliseconds since the source was lost; 0 while it is followed. */
  get lag(): number {
    return this.#lostAt === undefined ? 0 : performance.now() - this.#lostAt
  }

  /** Resolves once the source is followed for the first time. */
  heard(): Promise<void> {
    return this.#heard.promise
  }

  async follow(): Promise<void> {
    const { signal } = this.#context
    while (!signal.aborted) {
      const failure = await this.#readOnce()
      if (signal.aborted) break
      const now = performance.now()
      this.#lostAt ??= now
      this.#isLost = true
      if (now - this.#failedAt > calm) this.#failures = 0
      this.#failedAt = now
      // Once for each time that it is lost, and not for each attempt to have it back.
      if (this.#failures === 0) this.#reader.onError(failure)
      this.#failures += 1
      await waitFor(Math.min(longestPause, firstPause * 2 ** (this.#failures - 1)), signal)
    }
    this.#heard.resolve()
  }

  /** Reads until the source ends or fails, and returns why. */
  async #readOnce(): Promise<unknown> {
    try {
      for await (const batch of this.#source.read(this.#position, this.#context)) {
        if (this.#context.signal.aborted) return undefined
        this.#hear(batch)
      }
      return fault('SERVICE_UNAVAILABLE', 'The source of a feed has ended.')
    } catch (error) {
      return error
    }
  }

  #hear(batch: SourceBatch): void {
    const { position, isBroken = false } = Object(batch) as SourceBatch // of a host, which may send anything
    const isBack =
      typeof position === 'number' && typeof this.#position === 'number' && position < this.#position
    const { changes, blind } = Object(batch) as Partial<SourceBatch>
    if (!isPosition(position) || !Array.isArray(changes) || !isListOrNothing(blind)) throw noBatch(batch)
    if (blind?.some((one) => !isChange(one))) throw noBatch(batch)
    const strange = changes.findIndex((change) => !isChange(change))
    if (strange >= 0) throw noChange(changes[strange])
    const isLost = this.#isLost && this.#position !== undefined && this.#source.resumes !== true
    this.#position = position
    this.#lostAt = undefined
    this.#isLost = false
    this.#heard.resolve()
    if (isBroken || isBack || isLost) this.#reader.missed()
    this.#reader.changed(batch)
  }
}

const firstPause = 100
const longestPause = 5_000
/** Milliseconds without a failure after which the next one is reported again. */
const calm = 30_000

const isPosition = (input: unknown): boolean => typeof input === 'number' || typeof input === 'string'

/** True for what may be a change. Unknown names and keys are detected where they are looked up. */
function isChange(input: unknown): boolean {
  const { collection, keys, fields, before } = Object(input) as Partial<Record<string, unknown>>
  return typeof collection === 'string' && [keys, fields, before].every(isListOrNothing)
}

const isListOrNothing = (input: unknown): boolean => input === undefined || Array.isArray(input)

const noChange = (change: unknown) =>
  fault('INVALID_OPTIONS', `A source sends changes of { collection, keys }, not ${quote(change)}.`)

const noBatch = (batch: unknown) =>
  fault('INVALID_OPTIONS', `A source sends batches of { position, changes }, not ${quote(batch)}.`)
