// Figures of feeds: what was measured, and what it may be.
import type { DatabaseName } from '../options.ts'
import type { RealtimeWorkload } from '../workloads.ts'
import type { WatchedGround } from './ground.ts'

/** A figure, named as its goal is where it has one. */
export interface Figure {
  readonly what: string
  readonly value: number
  readonly unit: 'ms' | 'KB' | '×' | '1/s'
}

export interface RealtimeOutcome {
  readonly database: DatabaseName
  readonly workload: RealtimeWorkload
  readonly figures: readonly Figure[]
}

/** Everything that a measure needs. */
export interface Measuring {
  readonly ground: WatchedGround
  /** Subscriptions, each of another caller. */
  readonly callers: number
  readonly seconds: number
}

/** Milliseconds of a core, here and in the server. */
export interface Processor {
  readonly here: number
  readonly server: number
}

/** Returns what the processors have done for some work. */
export async function processorOf(ground: WatchedGround, work: () => Promise<unknown>): Promise<Processor> {
  const [server, before] = [await ground.server(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(before)
  return { here: (user + system) / 1_000, server: (await ground.server()) - server }
}

/** The value below which so large a share of them lies. */
export function share(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
