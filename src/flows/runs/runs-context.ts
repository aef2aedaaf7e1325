// Context that all parts which work on the runs of an engine share.
import type { FlowEngine } from '../flow-engine.ts'
import type { KeptDefinitions } from './kept-definitions.ts'
import type { RunNews } from './run-news.ts'
import type { RunTables } from './run-tables.ts'

export interface RunsContext {
  readonly flowEngine: FlowEngine
  readonly tables: RunTables
  readonly definitions: KeptDefinitions
  readonly ends: RunEnds
  readonly news: RunNews
  readonly leaseMs: number
  readonly report: (error: unknown) => void
  /** Lets this worker, or others, take runs that have become due. */
  readonly wake: () => void
}

/** Those who wait for runs that leave the worker of this process. */
export class RunEnds {
  readonly #waiting = new Map<string, Set<() => void>>()

  tell(id: string): void {
    for (const listener of this.#waiting.get(id) ?? []) listener()
  }

  /** Resolves when a run has left the worker, or time is over. */
  async next(id: string, milliseconds: number): Promise<void> {
    const all = this.#waiting.get(id) ?? new Set()
    this.#waiting.set(id, all)
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer)
        all.delete(end)
        if (all.size === 0) this.#waiting.delete(id)
        resolve()
      }
      const timer = setTimeout(end, milliseconds)
      all.add(end)
    })
  }
}
