// Starts runs that somebody asks for, and waits for their ends: one for each key, and none where too many are due.
import { fault, isEngineError } from '../../errors/errors.ts'
import { mayBeStored } from '../../execution/transaction/uncertain-commit.ts'
import { tellWritten } from '../../writes/announce.ts'
import { pause } from '../../writes/retry.ts'
import type { JsonCopy } from '../chain/json-value.ts'
import type { RunAnswer, StartRequest } from '../outside/starts.ts'
import type { BoundFlow } from '../triggers/bind-triggers.ts'
import { type DueCounts, queueIsFull } from './due-counts.ts'
import { awaitEnd, type RunEnds, runOfRequest } from './find-run.ts'
import { insertRuns } from './insert-runs.ts'
import type { NewRuns } from './new-runs.ts'
import type { NewRun, RunOrigin } from './run-row.ts'
import type { RunTables } from './run-tables.ts'

/** Parts with which runs are started. */
interface StartParts {
  readonly tables: RunTables
  readonly newRuns: NewRuns
  readonly counts: DueCounts
  readonly ends: RunEnds
  readonly wake: () => void
  readonly report: (error: unknown) => void
}

/** Attempts to store a run of which nobody knows whether the one before has. */
const mostAttempts = 5

/** A start, as far as it is not of the flow. */
type Start = Pick<StartRequest, 'request' | 'waitMs' | 'signal'> & { readonly origin: RunOrigin }

export class StartedRuns {
  readonly #parts: StartParts

  constructor(parts: StartParts) {
    this.#parts = parts
  }

  /** Starts a run, or finds the one that its request has started before, and returns how far it comes in time. */
  async start(bound: BoundFlow, trigger: JsonCopy, start: Start): Promise<RunAnswer> {
    const { tables, ends, report } = this.#parts
    const { waitMs, signal, request } = start
    const before = request && (await this.#startedBefore(request))
    const id = before ?? (await this.#begin(bound, trigger, start))
    return awaitEnd(tables, { id, flow: bound.flow.name }, ends, { waitMs, signal, report })
  }

  /** Begins a run, and returns its id. */
  async #begin(bound: BoundFlow, { value }: JsonCopy, { origin, request }: Start): Promise<string> {
    const { newRuns, counts, wake } = this.#parts
    if (!(await counts.mayBegin(bound.flow.name))) throw queueIsFull()
    const run = newRuns.of(bound, { trigger: value, origin, depth: 0, request })
    const id = await this.#store(run)
    counts.grow(1)
    wake()
    return id
  }

  /** Stores a run, and returns its id, or that of the run which another request with its key has started. If the answer is lost, it is stored once
   *  more under the same id: the database refuses that if the first attempt has stored it, and waits for one that is still on its way. */
  async #store(run: NewRun): Promise<string> {
    const { tables } = this.#parts
    let doubt: unknown
    for (let attempt = 1; ; attempt++) {
      try {
        await insertRuns(tables, [run], tables.engine)
        return run.id
      } catch (error) {
        doubt ??= mayBeStored(error) ? error : undefined
        const found = await this.#storedAs(run, error, doubt !== undefined)
        if (found !== undefined) return found
        if (doubt === undefined || attempt >= mostAttempts) throw doubt ?? error
      }
      await pause(attempt, undefined)
    }
  }

  /** Returns the id under which a run is stored whose insert has failed; undefined if it is not, or nobody knows.
   *  `isDoubtful`: true if an attempt before may have stored it. */
  async #storedAs(run: NewRun, error: unknown, isDoubtful: boolean): Promise<string | undefined> {
    const { tables } = this.#parts
    const isThere = isDoubtful && isEngineError(error) && error.code === 'RECORD_NOT_UNIQUE'
    try {
      // Without a key nothing but its id is there already.
      const found = run.request ? await this.#startedBefore(run.request) : isThere ? run.id : undefined
      if (found === run.id) tellWritten(tables.engine, 'items.create', tables.collections.runs, [found])
      return found
    } catch (worse) {
      // The next attempt says whether it is stored.
      if (isDoubtful && !isRefusal(worse)) return undefined
      throw worse
    }
  }

  /** Returns the id of the run that a request has started before. */
  async #startedBefore({ key, body }: NonNullable<StartRequest['request']>): Promise<string | undefined> {
    const found = await runOfRequest(this.#parts.tables, key)
    if (found && found.body !== body)
      throw fault('UNPROCESSABLE_CONTENT', 'This key was sent before, with something else.', {
        hint: 'Send a key of its own with each request, and the same one only with the same body.',
      })
    return found?.id
  }
}

const isRefusal = (error: unknown): boolean => isEngineError(error) && error.code === 'UNPROCESSABLE_CONTENT'
