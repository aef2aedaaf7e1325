import { internalsOf } from '../../engine/engine.ts'
import type { EventName } from '../../engine/events.ts'
import type { CommittedChange } from '../../engine/listeners.ts'
import { onAbort } from '../../errors/abort-signal.ts'
import type { Source, SourceBatch, SourceChange, SourceContext, WriteOperation } from './source.ts'

/** Reports what the engine itself writes, in this process. It does not see what others write: another process, SQL of your own, triggers and
 *  cascades of the database, and a transaction of yours before `committed()`.
 *  @example const feed = createFeed(engine, { source: localSource() })
 *  await feed.stop() */
export const localSource = (): Source => ({
  tells: 'own writes',
  read: (_after, context) => new LocalChanges(context),
})

const operations: Readonly<Partial<Record<EventName, WriteOperation>>> = {
  'items.create': 'create',
  'items.update': 'update',
  'items.delete': 'delete',
}

const done = { done: true, value: undefined } as const

/** Listens from the moment at which it is made. */
class LocalChanges implements AsyncIterable<SourceBatch>, AsyncIterator<SourceBatch, undefined> {
  readonly #stops: readonly (() => unknown)[]
  #position = 0
  #changes: SourceChange[] = []
  /** True if there is a batch to send: the first one says that it listens. */
  #isTold = false
  #isOver = false
  #wake: (() => void) | undefined

  constructor({ engine, wants, signal }: SourceContext) {
    const { listeners } = internalsOf(engine).hooks
    this.#stops = [
      listeners.add((changes) => this.#hear(changes), wants),
      onAbort(signal, () => void this.return()),
    ]
    if (signal.aborted) void this.return()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<SourceBatch, undefined>> {
    while (this.#isTold && this.#changes.length === 0 && !this.#isOver)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    if (this.#isOver) return done
    this.#isTold = true
    const changes = this.#changes
    this.#changes = []
    return { done: false, value: { position: this.#position, changes } }
  }

  async return(): Promise<IteratorResult<SourceBatch, undefined>> {
    this.#isOver = true
    for (const stop of this.#stops ?? []) stop()
    this.#wake?.()
    return done
  }

  #hear(changes: readonly CommittedChange[]): void {
    this.#position += 1
    for (const { event, collection, keys, fields, isDoubtful, before } of changes) {
      const known = event === 'items.create' ? keys?.map(() => null) : before
      const operation = operations[event]
      this.#changes.push({ collection, keys, fields, isDoubtful, before: known, operation })
    }
    this.#wake?.()
  }
}
