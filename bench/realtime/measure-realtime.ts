// R1 to R15: lists that stay true, for thousands of subscribers.
import goals from '../goals.json' with { type: 'json' }
import type { DatabaseName, Options } from '../options.ts'
import { aligned, print } from '../tables.ts'
import type { RealtimeWorkload } from '../workloads.ts'
import { measureChangeLog } from './change-log.ts'
import { measureChanges } from './changes.ts'
import type { Figure, Measuring, RealtimeOutcome } from './figures.ts'
import { watchedGround } from './ground.ts'
import { measureLateness } from './lateness.ts'
import { measureMemory } from './memory.ts'
import { measurePages } from './pages.ts'
import {
  measureFanOut,
  measureReconnect,
  measureSocketMemory,
  measureSockets,
  measureStalled,
} from './sockets.ts'
import { measureUnwatched } from './unwatched.ts'
import { measureValueSets } from './value-sets.ts'

/** The number of callers that the goals are of. */
const callers = 10_000

const measures: Readonly<Record<RealtimeWorkload, (measuring: Measuring) => Promise<readonly Figure[]>>> = {
  R1: (measuring) => measureChanges('R1', measuring),
  R2: (measuring) => measureChanges('R2', measuring),
  R3: measurePages,
  R4: (measuring) => measureChanges('R4', measuring),
  R5: measureMemory,
  R6: measureUnwatched,
  R7: measureLateness,
  R8: measureValueSets,
  R9: measureSockets,
  R10: measureFanOut,
  R11: measureSocketMemory,
  R12: measureReconnect,
  R13: measureStalled,
  R14: measureChangeLog,
  R15: (measuring) => measureChanges('R15', measuring),
}

export async function measureRealtime(
  { databases, realtime, seconds }: Pick<Options, 'databases' | 'realtime' | 'seconds'>,
  count = callers,
): Promise<readonly RealtimeOutcome[]> {
  const outcomes: RealtimeOutcome[] = []
  for (const database of databases)
    for (const workload of realtime) {
      // Each measure changes the rows, and counts on how they were made.
      const ground = await watchedGround(database, count)
      try {
        const figures = await measures[workload]({ ground, callers: count, seconds })
        print(
          `${workload} on ${database}, ${count.toLocaleString('en')} callers`,
          tableOf(database, workload, figures),
        )
        outcomes.push({ database, workload, figures })
      } finally {
        await ground.close()
      }
    }
  return outcomes
}

const tableOf = (database: DatabaseName, workload: RealtimeWorkload, figures: readonly Figure[]): string =>
  aligned([
    ['', 'measured', 'goal', ''],
    ...figures.map(({ what, value, unit }) => {
      const goal = goalOf(database, workload, what)
      const isMissed = goal !== undefined && !(value <= goal)
      return [
        what,
        `${value.toFixed(2)} ${unit}`,
        goal === undefined ? '' : `${goal}`,
        isMissed ? 'missed' : '',
      ]
    }),
  ])

/** The most that a figure may be; undefined where it is only told. */
function goalOf(database: DatabaseName, workload: RealtimeWorkload, what: string): number | undefined {
  const of: Readonly<Record<string, number>> = goals.realtime[database][workload]
  return of[what]
}

/** A sentence for each goal that Quernel missed. */
export function missedRealtime(outcomes: readonly RealtimeOutcome[]): readonly string[] {
  return outcomes.flatMap(({ database, workload, figures }) =>
    figures.flatMap(({ what, value, unit }) => {
      const goal = goalOf(database, workload, what)
      if (goal === undefined || value <= goal) return []
      return [
        `Missed: ${workload} on ${database}, ${what}: ${value.toFixed(2)} ${unit} instead of ${goal} ${unit}.`,
      ]
    }),
  )
}
