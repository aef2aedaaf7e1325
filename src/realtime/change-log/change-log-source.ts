// The source that reads the change log.

import { usualPause } from '../../dialects/change-log/named.ts'
import { beginsByItself } from '../../dialects/connections/kysely-connections.ts'
import { internalsOf } from '../../engine/engine.ts'
import { onAbort } from '../../errors/abort-signal.ts'
import { checkOptions, optionNames } from '../../errors/check-options.ts'
import { fault } from '../../errors/errors.ts'
import { withConnection } from '../../execution/connection.ts'
import type { Source, SourceBatch, SourceContext } from '../feed/source.ts'
import { later, turn, waitFor } from '../timers.ts'
import { type LogNews, LogReader } from './log-reader.ts'
import { watchEveryMs } from './logged-tables.ts'

/** Options of `changeLogSource`. */
export interface ChangeLogSourceOptions {
  /** Milliseconds between two looks into the log, 10 at least. By default 100, and 1,000 where each look is a request over HTTP. */
  readonly everyMs?: number
}

const least = 10
const sourceOptions = optionNames<ChangeLogSourceOptions>({
  everyMs: {
    says: `is a number of milliseconds of ${least} or more`,
    holds: (input) => typeof input === 'number' && input >= least,
  },
})

/** Reports every write to the collections of the change log: of this engine, other processes, SQL of your own, triggers and cascades. Writes of this engine are reported at once. `installChangeLog` makes the log; a collection that is not in it cannot be watched.
 *  @example await installChangeLog(engine, ['articles'])
 *  const feed = createFeed(engine, { source: changeLogSource({ everyMs: 100 }) })
 *  await feed.stop()
 *  await removeChangeLog(engine) */
export function changeLogSource(options: ChangeLogSourceOptions = {}): Source {
  checkOptions(options, sourceOptions)
  const watchEvery: unknown = Reflect.get(options, watchEveryMs)
  // One reader for each feed: what it knows of triggers outlives a connection.
  const readers = new WeakMap<SourceContext, LogReader>()
  return {
    resumes: true,
    read: (after, context) => {
      const reader =
        readers.get(context) ??
        new LogReader(context, typeof watchEvery === 'number' ? watchEvery : undefined)
      readers.set(context, reader)
      reader.goOnAfter(typeof after === 'string' ? after : undefined)
      return batchesOf(reader, context, options.everyMs)
    },
  }
}

async function* batchesOf(
  reader: LogReader,
  context: SourceContext,
  everyMs: number | undefined,
): AsyncGenerator<SourceBatch, void> {
  const { signal, wants } = context
  const pauses = new Pauses(signal)
  const forget = internalsOf(context.engine).hooks.listeners.add(
    () => pauses.noteCommit(),
    (event, collection) => wants(event, collection) !== false,
  )
  try {
    const pause = await pauseOf(context, everyMs)
    let position: unknown
    let reportedAt = 0
    while (!signal.aborted) {
      pauses.beginLook()
      const news = await reader.look()
      const now = performance.now()
      if (news && isToReport(news, position, now - reportedAt)) {
        position = news.batch.position
        reportedAt = now
        yield news.batch
      }
      await (news?.isFull ? turn() : pauses.wait(pause))
    }
  } finally {
    forget()
    pauses.stop()
  }
}

/** True for the first batch, for one with news, and now and then for one whose position alone has moved. */
function isToReport({ batch }: LogNews, before: unknown, since: number): boolean {
  const { changes, isBroken, blind, position } = batch
  if (before === undefined || changes.length > 0 || isBroken || blind) return true
  return position !== before && since >= reportEvery
}

/** Milliseconds after which a position is reported that has moved without changes of watched collections. */
const reportEvery = 1_000

/** Returns the milliseconds between two looks. Few are taken where each look is a request, and remarked on. */
async function pauseOf({ engine, onError }: SourceContext, everyMs: number | undefined): Promise<number> {
  const { db } = internalsOf(engine)
  const isFar = await withConnection(db, async (connection) => beginsByItself(connection))
  if (isFar && everyMs !== undefined && everyMs < usualPause.far) onError(manyRequests(everyMs))
  return everyMs ?? (isFar ? usualPause.far : usualPause.near)
}

const manyRequests = (everyMs: number) =>
  fault(
    'INVALID_OPTIONS',
    `Each look into the change log is a request here, and there is one every ${everyMs} ms.`,
    {
      path: ['everyMs'],
      hint: `Leave everyMs out, which is ${usualPause.far} here.`,
    },
  )

/** The pauses between looks. Commits of the engine itself end them. */
class Pauses {
  readonly #signal: AbortSignal
  readonly #forget: () => void
  #isNoted = false
  #lookedAt = Number.NEGATIVE_INFINITY
  #end: (() => void) | undefined

  constructor(signal: AbortSignal) {
    this.#signal = signal
    this.#forget = onAbort(signal, () => this.noteCommit())
  }

  noteCommit(): void {
    this.#isNoted = true
    this.#end?.()
  }

  /** Notes that a look begins, which sees what was committed by now. */
  beginLook(): void {
    this.#isNoted = false
    this.#lookedAt = performance.now()
  }

  /** Waits for some milliseconds, for a commit, or for the end. Of many commits some are waited for, so that looks do not take the place of the work. */
  async wait(milliseconds: number): Promise<void> {
    if (!this.#isNoted && !this.#signal.aborted) await this.#pause(milliseconds)
    if (!this.#isNoted) return
    const early = this.#lookedAt + Math.min(shortestPause, milliseconds) - performance.now()
    if (early > 0) await waitFor(early, this.#signal)
    else await turn()
  }

  stop(): void {
    this.#forget()
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const stop = later(milliseconds, () => this.#end?.())
      this.#end = () => {
        this.#end = undefined
        stop()
        resolve()
      }
    })
  }
}

/** Milliseconds between two looks, however much is committed. */
const shortestPause = 5
