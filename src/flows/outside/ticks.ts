// Ticks of schedules: the moments that a pattern of cron means in a time zone.

/** The class `Cron` of the package croner, with what schedules need of it. */
export type CronClass = new (
  pattern: string,
  options: {
    readonly timezone: string
    readonly paused: boolean
    readonly mode: '5-or-6-parts'
    readonly fixedTimeRule: 'no-wildcard'
  },
) => {
  nextRun(after: Date): Date | null
  previousRuns(count: number, before: Date): readonly Date[]
}

/** The ticks of a schedule, in milliseconds since 1970. */
export interface Ticks {
  /** Returns the first tick after a moment; undefined if none comes. */
  readonly next: (after: number) => number | undefined
  /** Returns the last tick after one moment and up to another, of those within 24 hours before the latter; undefined if there is none. */
  readonly last: (after: number, until: number) => number | undefined
}

/** How far a schedule looks back for what was missed. */
const lookBackMs = 24 * 60 * 60 * 1_000

/** Reads a schedule, and throws the error of croner for an invalid one. A time that a clock skips runs at the end of the gap, and one that
 *  it shows twice runs once, unless the second, minute or hour is `*` or has a step: these follow the hours that pass. */
export function readTicks(Cron: CronClass, { cron, timeZone }: { cron: string; timeZone: string }): Ticks {
  const schedule = new Cron(cron, {
    timezone: timeZone,
    paused: true,
    mode: '5-or-6-parts',
    fixedTimeRule: 'no-wildcard',
  })
  return {
    next: (after) => schedule.nextRun(new Date(after))?.getTime(),
    last: (after, until) => {
      // The tick that it looks for lies before a moment, and a tick is a whole second.
      const [found] = schedule.previousRuns(1, new Date(until + 1))
      const tick = found?.getTime()
      return tick !== undefined && tick > Math.max(after, until - lookBackMs) ? tick : undefined
    },
  }
}
