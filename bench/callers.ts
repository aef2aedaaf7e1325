// Many callers at once: what counts is how many calls are answered, and what each costs this process.
import type { Entrant } from './contest.ts'
import type { Turn } from './workloads.ts'

export const callers = 16

export interface Throughput extends Omit<Entrant, 'run'> {
  readonly perSecond: number
  readonly processor: number
}

export async function throughput(
  entrants: readonly Entrant[],
  turn: (call: number) => Turn,
  seconds: number,
): Promise<readonly Throughput[]> {
  const rounds = 4
  const share = (seconds * 1_000) / rounds / entrants.length
  const totals = entrants.map((entrant) => ({ ...entrant, calls: 0, time: 0, processor: 0 }))
  for (const { run } of entrants) await answerAll(run, turn, Math.min(share, 300))
  for (let round = 0; round < rounds; round++) {
    for (const total of totals) {
      const before = process.cpuUsage()
      const start = performance.now()
      total.calls += await answerAll(total.run, turn, share)
      total.time += performance.now() - start
      const { user, system } = process.cpuUsage(before)
      total.processor += (user + system) / 1_000
    }
  }
  return totals.map(({ party, form, calls, time, processor }) => ({
    party,
    form,
    perSecond: (calls * 1_000) / time,
    processor: processor / calls,
  }))
}

const answerAll = (run: Entrant['run'], turn: (call: number) => Turn, milliseconds: number) =>
  answersWithin((call) => run(turn(call)), callers, milliseconds)

/** How many calls are answered in that time, to so many callers at once. */
export async function answersWithin(
  ask: (call: number) => unknown,
  callers: number,
  milliseconds: number,
): Promise<number> {
  let calls = 0
  const end = performance.now() + milliseconds
  const caller = async () => {
    while (performance.now() < end) await ask(calls++)
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return calls
}
