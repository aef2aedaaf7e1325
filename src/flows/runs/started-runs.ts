// Starts runs that somebody asks for, and waits for their ends: one for each key, and none where too many are due.
import { fault } from '../../errors/errors.ts'
import type { JsonCopy } from '../chain/json-value.ts'
import type { RunAnswer, StartRequest } from '../outside/starts.ts'
import type { BoundFlow } from '../triggers/bind-triggers.ts'
import { type DueCounts, queueIsFull } from './due-counts.ts'
import { awaitEnd, type RunEnds, runOfRequest } from './find-run.ts'
import { insertRuns } from './insert-runs.ts'
import type { NewRuns } from './new-runs.ts'
import type { RunOrigin } from './run-row.ts'
import type { RunTables } from './run-tables.ts'

/** Parts with which runs are started. */
interface StartParts {
  readonly tables: RunTables
  readonly newRuns: NewRuns
  readonly counts: DueCounts
  readonly ends: RunEnds
  readonly wake: () => void
}

/** A start, as far as it is not of the flow. */
type Start = Pick<StartRequest, 'request' | 'waitMs' | 'signal'> & { readonly origin: RunOrigin }

export class StartedRuns {
  readonly #parts: StartParts

  constructor(parts: StartParts) {
    this.#parts = parts
  }

  /** Starts a run, or finds the one that its request has started before, and returns how far it comes in time. */
  async start(bound: BoundFlow, trigger: JsonCopy, start: Start): Promise<RunAnswer> {
    const { tables, ends } = this.#parts
    const { waitMs, signal, request } = start
    const before = request && (await this.#startedBefore(request))
    return awaitEnd(tables, before ?? (await this.#begin(bound, trigger, start)), ends, { waitMs, signal })
  }

  /** Begins a run, and returns its id. */
  async #begin(bound: BoundFlow, { value }: JsonCopy, { origin, request }: Start): Promise<string> {
    const { tables, newRuns, counts, wake } = this.#parts
    if (!(await counts.mayBegin(bound.flow.name))) throw queueIsFull()
    const run = newRuns.of(bound, { trigger: value, origin, depth: 0, request })
    try {
      await insertRuns(tables, [run], tables.engine)
    } catch (error) {
      // Another request with its key came first.
      const other = request && (await this.#startedBefore(request))
      if (other === undefined) throw error
      return other
    }
    counts.grow(1)
    wake()
    return run.id
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
